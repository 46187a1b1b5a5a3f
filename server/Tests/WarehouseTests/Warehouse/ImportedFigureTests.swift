import TernEvents
import Testing
import WarehouseContract

@testable import AppCatalog
@testable import Warehouse

/// Imported figures in the catalog.
@Suite struct ImportedFigureTests {
  private let directory: TemporaryDirectory
  private let catalog: Catalog
  private let views: [View]

  init() throws {
    let directory = try TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path)
    (self.directory, self.catalog) = (directory, catalog)
    let apps = try ["Player", "Other"].map { try catalog.createApp(name: $0) }
    views = try apps.flatMap { app in
      try ["Web", "Beta"].map { try catalog.createView(app: app.id, name: $0, timeZone: "UTC") }
    }
  }

  private let figures = [
    ImportedFigure(day: day("2016-01-02"), metric: "Users", text: "1,234"),
    ImportedFigure(day: day("2016-01-01"), metric: "Users", text: "5"),
    ImportedFigure(day: day("2016-01-01"), metric: "Bounce Rate", text: "12.50%"),
  ]
  private let all = day("2000-01-01")...day("2030-01-01")

  @Test func `the same import twice counts once, and a newer one replaces figures of its days only`() throws {
    let first = try catalog.importFigures(figures, to: views[0].id, source: "a.csv")
    #expect(first.new == 3 && first.changed == 0)
    let again = try catalog.importFigures(figures, to: views[0].id, source: "a.csv")
    #expect(again.new == 0 && again.changed == 0)
    var newer = Array(figures[..<1])
    newer[0].text = "1,235"
    let changed = try catalog.importFigures(newer, to: views[0].id, source: "b.csv")
    #expect(changed.new == 0 && changed.changed == 1)
    #expect(try catalog.importedFigures(view: views[0].id, days: all) == [figures[2], figures[1], newer[0]])
    #expect(
      try catalog.importedFigures(view: views[0].id, days: day("2016-01-02")...day("2016-01-02")) == [newer[0]])
    #expect(try catalog.importedFigures(view: views[1].id, days: all).isEmpty)
    #expect(
      try catalog.importedMetrics(view: views[0].id) == [
        ImportedMetric(name: "Bounce Rate", days: day("2016-01-01")...day("2016-01-01"), count: 1),
        ImportedMetric(name: "Users", days: day("2016-01-01")...day("2016-01-02"), count: 2),
      ])
    let entry = try #require(try catalog.audit(limit: 1).first)
    #expect(entry.action == "data imported" && entry.subject == "view \(views[0].id), b.csv")
  }

  @Test func `figures of a metric or of a view are deleted, and others stay`() throws {
    for view in views { _ = try catalog.importFigures(figures, to: view.id, source: "a.csv") }
    #expect(try catalog.deleteImported(view: views[0].id, metric: "Users") == 2)
    #expect(try catalog.importedFigures(view: views[0].id, days: all) == [figures[2]])
    #expect(try catalog.deleteImported(view: views[0].id) == 1)
    #expect(try catalog.deleteImported(view: views[0].id) == 0)
    #expect(try catalog.audit(limit: 1).first?.action == "imported days deleted")
    #expect(try catalog.importedFigures(view: views[1].id, days: all).count == 3)
  }

  @Test func `figures are deleted with their view and with their app`() throws {
    for view in views { _ = try catalog.importFigures(figures, to: view.id, source: "a.csv") }
    try catalog.deleteView(views[0])
    #expect(try catalog.importedFigures(view: views[0].id, days: all).isEmpty)
    #expect(try catalog.importedFigures(view: views[1].id, days: all).count == 3)
    let app = try #require(try catalog.app(views[2].app))
    let job = try catalog.requestDeletion(of: app)
    try catalog.finishDeletion(of: app.id, job: job.id, DataJob.Result(message: "done"))
    for view in views[2...] { #expect(try catalog.importedFigures(view: view.id, days: all).isEmpty) }
    #expect(try catalog.importedFigures(view: views[1].id, days: all).count == 3)
  }

  @Test func `an unknown view and too many figures are refused, and nothing of them stays`() throws {
    #expect(throws: WarehouseError.self) { try catalog.importFigures(figures, to: ViewID(99), source: "a.csv") }
    let many = (0...Catalog.maximumImported).map { ImportedFigure(day: Day(number: $0), metric: "Users", text: "1") }
    #expect(throws: WarehouseError.self) { try catalog.importFigures(many, to: views[0].id, source: "a.csv") }
    #expect(try catalog.importedMetrics(view: views[0].id).isEmpty)
    _ = try catalog.importFigures(Array(many.prefix(5)), to: views[0].id, source: "a.csv")
    #expect(throws: WarehouseError.self) {
      try catalog.importFigures(Array(many.dropFirst()), to: views[0].id, source: "a.csv")
    }
    #expect(try catalog.importedFigures(view: views[0].id, days: Day(number: 0)...Day(number: 1_000_000)).count == 5)
  }
}
