import Foundation
import TernBase
import TernEvents
import Testing

@testable import AppCatalog
@testable import Views
@testable import Warehouse
@testable import WarehouseSQLite

/// Definitions of custom dimensions and metrics, and settings of views, as stored in the catalog.
@Suite struct DefinitionTests {
  /// A clock controlled by the test.
  private final class Clock: Sendable {
    let time = Locked(timestamp("2024-05-14T10:00:00Z"))
  }

  private func over(_ body: (Catalog, App, Clock) throws -> Void) throws {
    let directory = try TemporaryDirectory()
    let clock = Clock()
    let catalog = try Catalog(directory: directory.path, now: { clock.time.withLock { $0 } })
    try body(catalog, try catalog.createApp(name: "A"), clock)
    try catalog.close()
  }

  @Test func `a name applies to all reports, a scope only from the change on`() throws {
    try over { catalog, app, clock in
      let first = try catalog.define(app: app.id, kind: .dimension, index: 3, name: "Plan", scope: .session)
      #expect(first.rules == [.init(start: timestamp("2024-05-14T10:00:00Z"), scope: .session)])
      let renamed = try catalog.define(app: app.id, kind: .dimension, index: 3, name: "Tariff")
      #expect(renamed.name == "Tariff" && renamed.rules == first.rules)
      clock.time.withLock { $0 = timestamp("2024-05-15T10:00:00Z") }
      let widened = try catalog.define(app: app.id, kind: .dimension, index: 3, scope: .user)
      #expect(widened.rules.map(\.scope) == [.session, .user] && widened.name == "Tariff")
      // Setting the clock back must not affect existing rules.
      clock.time.withLock { $0 = timestamp("2024-05-13T10:00:00Z") }
      let stopped = try catalog.define(app: app.id, kind: .dimension, index: 3, isActive: false)
      #expect(stopped.rules.last?.start == timestamp("2024-05-15T10:00:00Z") + .milliseconds(1))
      #expect(try catalog.definitions(app: app.id) == [stopped] && stopped.scope == .user && !stopped.isActive)
      let rules = CustomRules([stopped])
      let start = milliseconds("2024-05-14T10:00:00Z")
      #expect(
        rules.scope("cd3", at: EventTime(start - 1)) == .hit && rules.scope("cd3", at: EventTime(start)) == .session)
      #expect(rules.scope("cd3", at: EventTime(start + 86_400_000)) == .user)
      #expect(
        rules.scope("cd3", at: EventTime(start + 86_400_001)) == nil && rules.scope("cd4", at: EventTime(start)) == .hit
      )
    }
  }

  @Test func `invalid definitions are refused`() throws {
    try over { catalog, app, _ in
      for index in [0, 201, -1] {
        #expect(throws: WarehouseError.self) {
          try catalog.define(app: app.id, kind: .dimension, index: index, name: "X")
        }
      }
      #expect(throws: WarehouseError.self) { try catalog.define(app: app.id, kind: .dimension, index: 1) }
      #expect(throws: WarehouseError.self) { try catalog.define(app: app.id, kind: .dimension, index: 1, name: " ") }
      #expect(throws: WarehouseError.self) {
        try catalog.define(app: app.id, kind: .metric, index: 1, name: "M", scope: .session)
      }
      #expect(throws: WarehouseError.self) {
        try catalog.define(app: AppID(99), kind: .metric, index: 1, name: "M")
      }
      #expect(try catalog.definitions(app: app.id).isEmpty)
      let metric = try catalog.define(app: app.id, kind: .metric, index: 200, name: "Paid", type: .currency)
      #expect(metric.parameter == "cm200" && metric.type == .currency)
    }
  }

  @Test func `a view keeps its settings, and invalid ones are refused`() throws {
    try over { catalog, app, _ in
      let settings = ViewSettings(
        sessionTimeout: .seconds(60), campaignDays: 731, hasQuotas: true, currency: "EUR", identity: .explicitUser)
      let view = try catalog.createView(app: app.id, name: "V", timeZone: "UTC", settings: settings)
      #expect(try catalog.view(view.id)?.first.settings == settings)
      let plain = try catalog.createView(app: app.id, name: "P", timeZone: "UTC")
      #expect(try catalog.view(plain.id)?.first.settings == ViewSettings())
      for wrong in [
        ViewSettings(sessionTimeout: .seconds(59)), ViewSettings(sessionTimeout: .seconds(14_401)),
        ViewSettings(sessionTimeout: .milliseconds(60_500)), ViewSettings(campaignDays: 0),
        ViewSettings(campaignDays: 732), ViewSettings(currency: "euro"),
      ] {
        #expect(throws: WarehouseError.self) {
          try catalog.createView(app: app.id, name: "V", timeZone: "UTC", settings: wrong)
        }
      }
    }
  }
}
