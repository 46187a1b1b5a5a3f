import Ingest
import TernBase
import TernEvents
import Testing

@testable import AppCatalog
@testable import Views
@testable import Warehouse
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// Names are compared byte by byte, in full: names that look alike are never merged.
@Suite struct ExactNameTests {
  private static let days = day("2026-05-04")...day("2026-05-04")
  private static let alike = ["\u{E9}", "e\u{301}"]

  private func open(in directory: TemporaryDirectory) throws -> (Catalog, SQLiteWarehouse, AppID) {
    let catalog = try Catalog(directory: directory.path)
    let app = try catalog.apps().first?.id ?? catalog.createApp(name: "Player", timeZone: "UTC").id
    return (catalog, try SQLiteWarehouse(directory: directory.path, catalog: catalog), app)
  }

  @Test func `look-alike installs, models, versions and values are kept apart, even after a restart`() async throws {
    let directory = try TemporaryDirectory()
    for round in 1...2 {
      let (catalog, warehouse, app) = try open(in: directory)
      for text in Self.alike {
        var device = phone
        (device.model, device.appVersion, device.appBuild) = (text, text, "")
        let properties = [Properties.Element(name: text, value: .string(text))]
        let batch = batch(["Play"], install: text, device: device, properties: properties)
        _ = try await warehouse.commit(batch, app: app)
      }
      try await warehouse.flush()
      #expect(try await warehouse.reader.total(app: app, dimension: .total, key: "", days: Self.days).users == 2)
      for dimension in [Dimension.model, .version] {
        let rows = try await warehouse.reader.totals(app: app, dimension: dimension, days: Self.days, limit: nil)
        #expect(Set(rows.map(\.key.utf8.count)) == [2, 3], "\(dimension)")
        #expect(rows.map(\.count) == [round, round] && rows.map(\.users) == [1, 1], "\(dimension)")
      }
      let versions = try await warehouse.reader.versions(app: app, names: nil, days: Self.days)
      #expect(versions.map(\.count) == [round, round] && versions.map(\.users) == [1, 1])
      let properties = try await warehouse.reader.properties(app: app, event: "Play", days: Self.days, limit: 9)
      #expect(properties.map(\.count) == [round, round])
      #expect(try await warehouse.reader.verify().isClean)
      try await warehouse.close()
      try catalog.close()
    }
  }

  @Test func `look-alike values are counted separately`() async throws {
    let directory = try TemporaryDirectory()
    let (catalog, warehouse, app) = try open(in: directory)
    for text in Self.alike + Self.alike.suffix(1) {
      let batch = batch(
        ["Play"], install: text, properties: [Properties.Element(name: "p", value: .string(text))])
      _ = try await warehouse.commit(batch, app: app)
    }
    try await warehouse.flush()
    let values = try #require(
      try await warehouse.reader.properties(app: app, event: "Play", days: Self.days, limit: 9).first?.values)
    #expect(values.map(\.count) == [2, 1] && values.map(\.users) == [1, 1])
    #expect(values.map(\.key.utf8.count) == [3, 2])
    try await warehouse.close()
    try catalog.close()
  }

  @Test func `names are stored up to the protocols' maximum length`() async throws {
    let directory = try TemporaryDirectory()
    let (catalog, warehouse, app) = try open(in: directory)
    // 256 characters, as App Center allowed, of three bytes each except the last.
    let names = ["A", "B", "B"].map { String(repeating: "中", count: 255) + $0 }
    #expect(names[0].utf8.count <= IngestLimits.appCenter.maximumNameBytes)
    _ = try await warehouse.commit(batch(names), app: app)
    _ = try await warehouse.commit(batch(names, kind: .screen), app: app)
    try await warehouse.flush()
    for dimension in [Dimension.event, .screen] {
      let rows = try await warehouse.reader.totals(app: app, dimension: dimension, days: Self.days, limit: nil)
      #expect(rows.map(\.key) == [names[1], names[0]] && rows.map(\.count) == [2, 1], "\(dimension)")
      #expect(
        try await warehouse.reader.total(app: app, dimension: dimension, key: names[1], days: Self.days).count == 2)
    }
    #expect(try await warehouse.reader.recent(app: app, limit: 1).map(\.name) == [names[2]])
    #expect(try await warehouse.reader.verify().isClean)
    try await warehouse.close()
    try catalog.close()
  }

  @Test func `a session's first event counts up to five minutes after its start, and no later`() async throws {
    let directory = try TemporaryDirectory()
    let (catalog, warehouse, app) = try open(in: directory)
    for (number, pause) in [300_000, 300_001].enumerated() {
      var batch = batch(["start", "Play"], install: "i\(number)")
      for index in batch.events.indices { batch.events[index].session = Int64(number + 1) }
      batch.events[0].kind = .sessionStart
      batch.events[1].time = batch.events[0].time + .milliseconds(pause)
      _ = try await warehouse.commit(batch, app: app)
    }
    let durations = try await warehouse.reader.sessionDurations(app: app, days: Self.days)
    #expect(durations.buckets.reduce(0, +) == 1 && durations.milliseconds == 300_000)
    #expect(durations.unknown == 1)
    try await warehouse.close()
    try catalog.close()
  }
}
