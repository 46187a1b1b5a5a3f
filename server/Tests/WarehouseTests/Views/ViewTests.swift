import Foundation
import Ingest
import TernBase
import TernEvents
import Testing

@testable import AppCatalog
@testable import Views
@testable import Warehouse
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// Views over stored hits: users, late hits, and final days.
@Suite struct ViewTests {
  /// A catalog and a warehouse with one app.
  private struct Place {
    let directory: TemporaryDirectory
    let catalog: Catalog
    let warehouse: SQLiteWarehouse
    let app: App

    init() throws {
      directory = try TemporaryDirectory()
      catalog = try Catalog(directory: directory.path)
      warehouse = try SQLiteWarehouse(directory: directory.path, catalog: catalog)
      app = try catalog.createApp(name: "A", trackingID: "UA-1-1")
    }

    func send(_ more: String, cid: String = "c1", qt: Int64 = 0, received: String) async throws {
      let batches = MeasurementParser.collect(
        "v=1&tid=UA-1-1&cid=\(cid)&qt=\(qt)&\(more)", received: timestamp(received), key: DuplicateHashKey(1, 2))
      for batch in batches { _ = try await warehouse.commit(batch.batch, app: app.id) }
    }

    func metrics(
      _ view: View, _ from: String, _ to: String, tables: Set<ViewTable> = [], now: String = "2024-06-01T00:00:00Z"
    ) async throws -> ViewMetrics {
      try await warehouse.reader.viewMetrics(view, days: day(from)...day(to), tables: tables, now: milliseconds(now))
    }

    func close() async throws {
      try await warehouse.close()
      try catalog.close()
    }
  }

  @Test func `a late hit is stored and listed, and affects no metric`() async throws {
    let place = try Place()
    let view = try place.catalog.createView(app: place.app.id, name: "NY", timeZone: "America/New_York")
    try await place.send("t=screenview&cd=In", qt: 14_459_999, received: "2024-05-15T07:59:59Z")
    try await place.send("t=screenview&cd=Late&av=2.0", cid: "c2", qt: 14_460_000, received: "2024-05-15T08:00:00Z")
    let metrics = try await place.metrics(view, "2024-05-14", "2024-05-15", tables: [.screens])
    #expect(metrics.days.map(\.totals.screenViews) == [1, 0])
    #expect(metrics.users == 1 && metrics.newUsers == 1)
    #expect(metrics.tables[.screens]?.map(\.key) == [["In"]])
    let late = try await place.warehouse.reader.lateHits(view, days: day("2024-05-01")...day("2024-05-20"))
    #expect(late == [LateHits(day: day("2024-05-14"), version: "2.0", hours: 1, count: 1)])
    let hits = try await place.warehouse.reader.inspectedHits(
      view, days: day("2024-05-14")...day("2024-05-14"), limit: 10)
    #expect(hits.map(\.status) == ["late", "counted"])
    for other in ["2024-05-13", "2024-05-15"] {
      #expect(try await place.warehouse.reader.inspectedHits(view, days: day(other)...day(other), limit: 10).isEmpty)
    }
    #expect(hits.first?.parameters["cd"] == "Late")
    try await place.close()
  }

  @Test func `late hits are those that pass the view's filters`() async throws {
    let place = try Place()
    let filter = try #require(ViewFilter("av=2.0"))
    let view = try place.catalog.createView(
      app: place.app.id, name: "NY", timeZone: "America/New_York", filters: [filter])
    for version in ["1.0", "2.0"] {
      try await place.send(
        "t=screenview&cd=Late&av=\(version)", cid: version, qt: 14_460_000, received: "2024-05-15T08:00:00Z")
    }
    let late = try await place.warehouse.reader.lateHits(view, days: day("2024-05-01")...day("2024-05-20"))
    #expect(late.map(\.version) == ["2.0"])
    try await place.close()
  }

  @Test func `a hit is late for one view of an app and in time for two others`() async throws {
    let place = try Place()
    let views = try ["America/New_York", "America/Los_Angeles", "Europe/Berlin"].map {
      try place.catalog.createView(app: place.app.id, name: $0, timeZone: $0)
    }
    try await place.send("t=screenview&cd=A", qt: 11 * 3_600_000, received: "2024-05-15T09:30:00Z")
    var counts: [[SaturatingInt64]] = []
    for view in views {
      counts.append(try await place.metrics(view, "2024-05-14", "2024-05-15").days.map(\.totals.hits))
    }
    #expect(counts == [[0, 0], [1, 0], [0, 1]])
    try await place.close()
  }

  @Test func `a change of a view's zone does not affect earlier hits`() async throws {
    let place = try Place()
    let view = try place.catalog.createView(app: place.app.id, name: "V", timeZone: "America/New_York")
    try await place.send("t=screenview&cd=A", received: "2024-05-15T03:00:00Z")
    let before = try await place.metrics(view, "2024-05-14", "2024-05-15")
    let changed = try place.catalog.setZone(of: view.id, to: "Asia/Tokyo")
    #expect(changed.zones.map(\.identifier) == ["America/New_York", "Asia/Tokyo"])
    #expect(try place.catalog.view(view.id) == changed)
    #expect(try await place.metrics(changed, "2024-05-14", "2024-05-15").days == before.days)
    try await place.close()
  }

  @Test func `a sealed day stays unchanged whatever arrives, and verify detects a change`() async throws {
    let place = try Place()
    let view = try place.catalog.createView(app: place.app.id, name: "V", timeZone: "UTC")
    try await place.send("t=screenview&cd=A", received: "2024-05-14T10:00:00Z")
    try await place.send("t=screenview&cd=B", qt: 4 * 3_600_000 + 1, received: "2024-05-15T03:59:59Z")
    let open = try await place.metrics(view, "2024-05-14", "2024-05-15", now: "2024-05-15T03:59:59Z")
    #expect(open.days.map { $0.state == .final } == [false, false])
    let closed = try await place.metrics(view, "2024-05-14", "2024-05-15", now: "2024-05-15T04:00:00Z")
    #expect(closed.days.map(\.state) == [.closed, .open])
    let views = [view]
    #expect(try await place.warehouse.sealDays(of: views, now: timestamp("2024-05-15T04:00:59Z")) == 0)
    #expect(try await place.warehouse.sealDays(of: views, now: timestamp("2024-05-15T04:01:00Z")) == 1)
    #expect(try await place.warehouse.sealDays(of: views, now: timestamp("2024-05-15T04:01:00Z")) == 0)
    let sealed = try await place.metrics(view, "2024-05-14", "2024-05-14")
    #expect(sealed.days.map(\.totals.hits) == [2] && sealed.days.map { $0.state == .final } == [true])
    for minutes in 0..<5 {
      try await place.send(
        "t=screenview&cd=Late\(minutes)", qt: 6 * 3_600_000, received: "2024-05-15T05:0\(minutes):00Z")
    }
    #expect(try await place.metrics(view, "2024-05-14", "2024-05-14") == sealed)
    try await place.warehouse.flush()
    #expect(try await place.warehouse.reader.verify().isClean)
    await #expect(throws: (any Error).self) {
      try await place.warehouse.perform { try $0.connection.execute("UPDATE view_day SET metrics = x'00'") }
    }
    try await place.warehouse.perform {
      try $0.connection.execute("DROP TRIGGER view_day_update; UPDATE view_day SET metrics = x'00'")
    }
    let report = try await place.warehouse.reader.verify()
    #expect(report.differenceCount == 1 && report.differences.first?.day == day("2024-05-14"))
    #expect(report.remedy.contains("backup") && !report.remedy.contains("tern rebuild"))
    try await place.close()
  }

  @Test func `midnight in the view's zone divides a session, in another zone it does not`() async throws {
    let place = try Place()
    let utc = try place.catalog.createView(app: place.app.id, name: "U", timeZone: "UTC")
    let berlin = try place.catalog.createView(app: place.app.id, name: "B", timeZone: "Europe/Berlin")
    try await place.send("t=screenview&cd=A", received: "2024-05-14T23:50:00Z")
    try await place.send("t=screenview&cd=B", received: "2024-05-15T00:10:00Z")
    #expect(try await place.metrics(utc, "2024-05-14", "2024-05-15").days.map(\.totals.sessions) == [1, 1])
    #expect(try await place.metrics(berlin, "2024-05-14", "2024-05-15").days.map(\.totals.sessions) == [0, 1])
    try await place.close()
  }

  @Test func `users are new once in the app, and counted once in any range`() async throws {
    let place = try Place()
    let view = try place.catalog.createView(app: place.app.id, name: "V", timeZone: "UTC")
    let beta = try place.catalog.createView(
      app: place.app.id, name: "B", timeZone: "UTC", filters: [try #require(ViewFilter("av=2"))])
    for (day, version) in [(10, 1), (11, 2), (14, 2)] {
      try await place.send("t=screenview&cd=A&av=\(version)", received: "2024-05-\(day)T12:00:00Z")
    }
    try await place.send("t=screenview&cd=A&av=2", cid: "c2", received: "2024-05-14T12:00:00Z")
    let metrics = try await place.metrics(view, "2024-05-10", "2024-05-14")
    #expect(metrics.days.map(\.newUsers) == [1, 0, 0, 0, 1])
    #expect(metrics.users == 2 && metrics.newUsers == 2 && metrics.returningUsers == 1)
    #expect(metrics.actives == [1: 2, 7: 2, 14: 2, 28: 2])
    // A user seen earlier outside the filter is not new inside it.
    #expect(try await place.metrics(beta, "2024-05-10", "2024-05-14").days.map(\.newUsers) == [0, 0, 0, 0, 1])
    #expect(try await place.metrics(view, "2024-05-14", "2024-05-14").newUsers == 1)
    try await place.close()
  }

  @Test func `a filter by type matches counted types: case is ignored, and an appview is a screen view`() async throws {
    let place = try Place()
    let screens = try place.catalog.createView(
      app: place.app.id, name: "S", timeZone: "UTC", filters: [try #require(ViewFilter("t=screenview"))])
    let others = try place.catalog.createView(
      app: place.app.id, name: "O", timeZone: "UTC", filters: [try #require(ViewFilter("t!=AppView"))])
    for type in ["screenview", "ScreenView", "appview"] {
      try await place.send("t=\(type)&cd=A", received: "2024-05-14T12:00:00Z")
    }
    try await place.send("t=event&ec=c&ea=a", received: "2024-05-14T12:00:00Z")
    #expect(try await place.metrics(screens, "2024-05-14", "2024-05-14").totals.hits == 3)
    #expect(try await place.metrics(others, "2024-05-14", "2024-05-14").totals.hits == 1)
    try await place.close()
  }

  @Test func `a hit that is resent counts once`() async throws {
    let place = try Place()
    let view = try place.catalog.createView(app: place.app.id, name: "V", timeZone: "UTC")
    for qt in [0, 5_000] {
      try await place.send("t=screenview&cd=A&ht=1715680000000&z=77", qt: Int64(qt), received: "2024-05-14T12:00:00Z")
    }
    #expect(try await place.metrics(view, "2024-05-14", "2024-05-14").totals.hits == 1)
    try await place.close()
  }

  @Test func `a hit appears in the real-time report as soon as it is stored`() async throws {
    let place = try Place()
    let view = try place.catalog.createView(app: place.app.id, name: "V", timeZone: "UTC")
    try await place.send("t=screenview&cd=Now", received: "2024-05-14T12:00:00Z")
    let hits = try await place.warehouse.reader.inspectedHits(
      view, days: day("2024-05-14")...day("2024-05-14"), limit: 10)
    #expect(hits.map { $0.parameters["cd"] } == ["Now"])
    try await place.close()
  }

  @Test func `views also count events of other protocols`() async throws {
    let place = try Place()
    let view = try place.catalog.createView(app: place.app.id, name: "V", timeZone: "UTC", lateness: .none)
    _ = try await place.warehouse.commit(batch(["Play", "Stop"]), app: place.app.id)
    _ = try await place.warehouse.commit(batch(["Home"], kind: .screen), app: place.app.id)
    let metrics = try await place.metrics(view, "2026-05-04", "2026-05-04", tables: [.events, .screens])
    #expect(
      metrics.tables[.events]?.map(\.key) == [["(not set)", "Play", "(not set)"], ["(not set)", "Stop", "(not set)"]])
    #expect(metrics.tables[.screens]?.map(\.key) == [["Home"]])
    #expect(metrics.days.map { $0.state == .final } == [false])
    try await place.close()
  }

  @Test func `views are stored, and invalid ones are rejected`() async throws {
    let place = try Place()
    let filter = try #require(ViewFilter("an!=x=y"))
    let view = try place.catalog.createView(
      app: place.app.id, name: "V", timeZone: "Asia/Kolkata", lateness: .window, filters: [filter])
    #expect(try place.catalog.views(app: place.app.id) == [view])
    #expect(try place.catalog.view(ViewID(99)) == nil)
    #expect(throws: WarehouseError.self) {
      try place.catalog.createView(app: place.app.id, name: "V", timeZone: "Mars/Base")
    }
    #expect(throws: WarehouseError.self) {
      try place.catalog.createView(app: AppID(99), name: "V", timeZone: "UTC")
    }
    for parameter in ["v", "tid", "cid", "z", "cd0", "cd201"] {
      let unanswerable = try #require(ViewFilter("\(parameter)!=1"))
      #expect(throws: WarehouseError.self, "\(parameter) is not kept") {
        try place.catalog.createView(app: place.app.id, name: "V", timeZone: "UTC", filters: [unanswerable])
      }
    }
    try await place.close()
  }
}
