import Foundation
import TernEvents
import Testing

@testable import AppCatalog
@testable import Warehouse

/// Dashboards and notes in the catalog.
@Suite struct DashboardStoreTests {
  private let directory: TemporaryDirectory
  private let catalog: Catalog
  private let app: AppID

  init() throws {
    directory = try TemporaryDirectory()
    catalog = try Catalog(directory: directory.path, now: { Timestamp(millisecondsSince1970: 1_000) })
    app = try catalog.createApp(name: "Player").id
  }

  private func card(_ name: String) -> DashboardCard { DashboardCard(name: name, page: "explore", query: "") }

  @Test func `an app begins with one dashboard`() throws {
    let dashboards = try catalog.dashboards(app: app)
    #expect(dashboards.map(\.name) == ["At a glance"])
    #expect(dashboards.first?.cards.count == 6)
  }

  @Test func `changes are kept, and only concern the app's own dashboards`() throws {
    let other = try catalog.createApp(name: "Other").id
    let made = try AuditActor.$current.withValue(AuditActor(name: "ann", address: "")) {
      try catalog.createDashboard(app: app, name: "Sales", cards: [card("a"), card("b")])
    }
    #expect(made.author == "ann" && made.changed == Timestamp(millisecondsSince1970: 1_000))
    #expect(try catalog.changeDashboard(made.id, app: other) { $0.cards = [] } == nil)
    #expect(try !catalog.removeDashboard(made.id, app: other))
    let changed = try catalog.changeDashboard(made.id, app: app) { $0.cards.swapAt(0, 1) }
    #expect(changed?.cards.map(\.name) == ["b", "a"])
    #expect(try catalog.dashboards(app: app).last?.cards.map(\.name) == ["b", "a"])
    #expect(try catalog.removeDashboard(made.id, app: app))
    #expect(try catalog.dashboards(app: app).count == 1)
    let actions = try catalog.audit(limit: 3).map(\.action)
    #expect(actions == ["dashboard deleted", "dashboard changed", "dashboard created"])
  }

  @Test func `names are unique, whatever their case, and sizes are bounded`() throws {
    let sales = try catalog.createDashboard(app: app, name: "Sales", cards: [])
    func refuses(_ change: () throws -> Void, _ message: String) {
      let error = #expect(throws: WarehouseError.self) { try change() }
      #expect(error?.code == .invalid, "\(message)")
    }
    refuses({ _ = try catalog.createDashboard(app: app, name: "sales", cards: []) }, "the name of another")
    refuses({ _ = try catalog.changeDashboard(sales.id, app: app) { $0.name = "at a Glance" } }, "the name of another")
    refuses({ _ = try catalog.createDashboard(app: app, name: "", cards: []) }, "no name")
    refuses({ _ = try catalog.createDashboard(app: app, name: "x", cards: [card("")]) }, "a card without a name")
    let cards = (0..<Dashboard.maximumCards).map { card("\($0)") }
    refuses({ _ = try catalog.changeDashboard(sales.id, app: app) { $0.cards = cards + [card("x")] } }, "25 cards")
    let long = DashboardCard(
      name: "x", page: "explore", query: String(repeating: "x", count: DashboardCard.maximumQueryBytes + 1))
    refuses({ _ = try catalog.createDashboard(app: app, name: "x", cards: [long]) }, "a long query")
    #expect(try catalog.changeDashboard(sales.id, app: app) { ($0.name, $0.cards) = ("SALES", cards) } != nil)
    for number in 2..<CountLimit.dashboards.maximum {
      _ = try catalog.createDashboard(app: app, name: "\(number)", cards: [])
    }
    refuses({ _ = try catalog.createDashboard(app: app, name: "one more", cards: []) }, "51 dashboards")
  }

  @Test func `notes are ordered by day, and concern one app`() throws {
    let other = try catalog.createApp(name: "Other").id
    let later = try catalog.createAnnotation(app: app, day: Day(number: 20), text: "later")
    _ = try catalog.createAnnotation(app: app, day: Day(number: 10), text: "earlier")
    _ = try catalog.createAnnotation(app: other, day: Day(number: 15), text: "other")
    #expect(try catalog.annotations(app: app).map(\.text) == ["earlier", "later"])
    #expect(try !catalog.removeAnnotation(later.id, app: other))
    #expect(try catalog.removeAnnotation(later.id, app: app))
    #expect(try catalog.annotations(app: app).map(\.text) == ["earlier"])
    #expect(throws: WarehouseError.self) { try catalog.createAnnotation(app: app, day: Day(number: 1), text: "") }
    #expect(throws: WarehouseError.self) { try catalog.createAnnotation(app: AppID(9), day: Day(number: 1), text: "x") }
  }

  @Test func `dashboards and notes are deleted with their app`() throws {
    _ = try catalog.createAnnotation(app: app, day: Day(number: 10), text: "note")
    let job = try catalog.requestDeletion(of: try #require(try catalog.app(app)))
    try catalog.finishDeletion(of: app, job: job.id, DataJob.Result(message: "done"))
    #expect(try catalog.dashboards(app: app).isEmpty)
    #expect(try catalog.annotations(app: app).isEmpty)
  }
}
