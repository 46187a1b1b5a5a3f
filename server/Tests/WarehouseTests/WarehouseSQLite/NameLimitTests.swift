import Foundation
import Ingest
import TernEvents
import Testing

@testable import AppCatalog
@testable import Views
@testable import Warehouse
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// Apps with more distinct names than the dictionary accepts.
@Suite struct NameLimitTests {
  private static let days = day("2026-05-01")...day("2026-05-30")
  private static let room = NameKind.event.limit + NameKind.event.dailyAllowance

  private struct Place {
    let directory: TemporaryDirectory
    let catalog: Catalog
    let warehouse: SQLiteWarehouse
    let app: AppID

    init() throws {
      directory = try TemporaryDirectory()
      catalog = try Catalog(directory: directory.path)
      app = try catalog.createApp(name: "Player", timeZone: "UTC").id
      warehouse = try SQLiteWarehouse(directory: directory.path, catalog: catalog)
    }

    func total(_ dimension: Warehouse::Dimension, _ key: String) async throws -> Int {
      try await warehouse.reader.total(app: app, dimension: dimension, key: key, days: NameLimitTests.days).count
    }
  }

  private func makeBatch(
    _ names: [String], at start: String, device: IncomingDevice = phone, properties: [Properties.Element] = []
  ) -> IncomingBatch { batch(names, at: start, device: device, properties: properties) }

  /// Events with these names in order within one second, so that all are on one day.
  private func flood(_ names: [String], at start: String = "2026-05-04T10:00:00Z") -> IncomingBatch {
    var batch = batch(names, at: start)
    for index in batch.events.indices { batch.events[index].time = timestamp(start) }
    return batch
  }

  @Test func `names beyond the limit and the daily allowance are counted together, and as dropped`() async throws {
    let place = try Place()
    let names = (0..<Self.room + 500).map { "name \($0)" }
    _ = try await place.warehouse.commit(flood(names), app: place.app)
    try await place.warehouse.flush()
    #expect(try await place.total(.event, "(other)") == 500)
    #expect(try await place.total(.dropped, "name_limit") == 500)
    #expect(
      try await place.warehouse.reader.dailyCounts(app: place.app, dimension: .dropped, days: Self.days)
        == [DailyCount(day: day("2026-05-04"), key: "name_limit", count: 500)])
    let totals = try await place.warehouse.reader.totals(app: place.app, dimension: .event, days: Self.days, limit: nil)
    #expect(totals.count == Self.room + 1)
    #expect(try await place.warehouse.reader.recent(app: place.app, limit: 2).map(\.name) == names.suffix(2).reversed())
    #expect(try await place.warehouse.reader.verify().isClean)
    try await place.warehouse.close()
  }

  @Test func `a flood hides no new name that several installs use, up to half the allowance`() async throws {
    let place = try Place()
    _ = try await place.warehouse.commit(flood((0..<Self.room + 500).map { "name \($0)" }), app: place.app)
    func send(_ names: [String], from install: Int) async throws -> Int {
      var batch = flood(names)
      batch.installs = ["install \(install)"]
      return try await place.warehouse.commit(batch, app: place.app).unnamed
    }
    for install in 0..<2 { #expect(try await send(["Checkout", "Checkout"], from: install) == 2) }
    #expect(try await send(["Checkout", "Checkout"], from: 2) == 0)
    for install in 0..<2 { #expect(try await send(["Checkout"], from: install) == 0) }

    let others = (0..<NameKind.event.dailyAllowance).map { "other \($0)" }
    for install in 0..<2 { #expect(try await send(others, from: install) == others.count) }
    // One was used for "Checkout".
    #expect(try await send(others, from: 2) == others.count - (NameKind.event.dailyAllowance / 2 - 1))
    #expect(try await place.warehouse.reader.verify().isClean)
    try await place.warehouse.close()
  }

  @Test func `a flood of new names doesn't affect existing ones`() async throws {
    let place = try Place()
    let known = makeBatch(
      ["Play", "Stop"], at: "2026-05-04T09:00:00Z", properties: [Properties.Element(name: "p", value: .integer(1))])
    #expect(try await place.warehouse.commit(known, app: place.app).unnamed == 0)
    var floods = flood((0..<Self.room + 500).map { "name \($0)" })
    for index in floods.events.indices {
      floods.events[index].properties = [Properties.Element(name: "property \(index)", value: .integer(1))]
    }
    // The two names and the property are within the limit.
    #expect(try await place.warehouse.commit(floods, app: place.app).unnamed == 502)
    #expect(try await place.warehouse.commit(flood(["one more"]), app: place.app).unnamed == 1)
    var again = known
    again.received = timestamp("2026-05-04T11:00:00Z")
    for _ in 0..<3 { #expect(try await place.warehouse.commit(again, app: place.app).unnamed == 0) }
    try await place.warehouse.flush()
    #expect(try await place.total(.event, "Play") == 4)
    #expect(try await place.total(.event, "Stop") == 4)
    let metrics = try await place.warehouse.reader.properties(app: place.app, event: "Play", days: Self.days, limit: 5)
    #expect(metrics.map(\.count) == [4])
    try await place.warehouse.close()
  }

  @Test func `the operator can see and raise an app's limit of new names, which restores the names`() async throws {
    let place = try Place()
    _ = try await place.warehouse.commit(flood((0..<Self.room + 10).map { "name \($0)" }), app: place.app)
    func names() async throws -> NameUsage? {
      try await place.warehouse.reader.names(of: place.app).first { $0.kind == "event" }
    }
    #expect(
      try await names() == NameUsage(kind: "event", known: Self.room, limit: NameKind.event.limit, perDay: 1_000))
    for wrong in [-1, Catalog.maximumNewNamesPerDay + 1] {
      #expect(throws: WarehouseError.self) { try place.catalog.changeApp(place.app, AppChange(newNamesPerDay: wrong)) }
    }
    // One second apart, because the writer doesn't read the limit for every name.
    for (second, perDay, name, count) in [
      (2, 1_001, "more", 1), (4, 1_001, "too many", 0), (6, 1_500, "more again", 1), (8, 0, "none", 0),
      (10, nil, "as before", 0),
    ] as [(Int, Int?, String, Int)] {
      try place.catalog.changeApp(place.app, AppChange(newNamesPerDay: perDay))
      #expect(try await names()?.perDay == perDay ?? 1_000)
      let batch = makeBatch([name], at: "2026-05-04T10:00:\(second < 10 ? "0" : "")\(second)Z")
      #expect(try await place.warehouse.commit(batch, app: place.app).unnamed == 1 - count)
      try await place.warehouse.flush()
      #expect(try await place.total(.event, name) == count, "\(name)")
    }
    try place.catalog.changeApp(place.app, AppChange(newNamesPerDay: 2_000))
    try await place.warehouse.close()
    try SQLiteWarehouse.rebuild(
      directory: place.directory.path, catalog: place.catalog, now: timestamp("2026-05-20T10:00:00Z"))
    let reader = try SQLiteWarehouse.openForReading(directory: place.directory.path, catalog: place.catalog)
    for name in ["too many", "none", "as before"] {
      #expect(try await reader.total(app: place.app, dimension: .event, key: name, days: Self.days).count == 1)
    }
    #expect(try await reader.total(app: place.app, dimension: .dropped, key: "name_limit", days: Self.days).count == 0)
    try reader.close()
  }

  @Test func `the day after a flood, new names are counted by name again, including those of devices`() async throws {
    let place = try Place()
    var names = (0..<Self.room + 10).map { "name \($0)" }
    var batch = flood(names)
    let devices = NameKind.model.limit + NameKind.model.dailyAllowance + 10
    batch.devices = (0..<devices).map { number in
      var device = phone
      device.model = "model \(number)"
      return device
    }
    names = (0..<devices).map { "name \($0 % names.count)" }
    batch.events = names.indices.map { index in
      IncomingEvent(
        index: index, kind: .event, duplicateKey: nil, time: batch.events[0].time, device: index, startsSession: false,
        name: names[index], properties: [])
    }
    _ = try await place.warehouse.commit(batch, app: place.app)
    var newPhone = phone
    newPhone.model = "new"
    for (time, count) in [("2026-05-04T12:00:00Z", 0), ("2026-05-05T00:00:00Z", 1), ("2026-05-06T00:00:00Z", 2)] {
      _ = try await place.warehouse.commit(
        makeBatch(["fresh"], at: time, device: newPhone), app: place.app)
      try await place.warehouse.flush()
      #expect(try await place.total(.event, "fresh") == count)
      #expect(try await place.total(.model, "new") == count)
    }
    let recent = try await place.warehouse.reader.recent(app: place.app, limit: 5)
    #expect(recent.map(\.device.model) == ["new", "new", "new", "model \(devices - 1)", "model \(devices - 2)"])
    #expect(try await place.warehouse.reader.verify().isClean)
    try await place.warehouse.close()
  }

  @Test func `rebuilding restores names in rows that have got an ID since`() async throws {
    let place = try Place()
    let properties = NameKind.property.limit + NameKind.property.dailyAllowance
    var flood = flood((0..<Self.room).map { "name \($0)" })
    for index in 0..<properties {
      flood.events[index % 5_000].properties.append(
        Properties.Element(name: "property \(index)", value: .integer(1)))
    }
    _ = try await place.warehouse.commit(flood, app: place.app)
    let fresh = [
      Properties.Element(name: "first", value: .string("a")), Properties.Element(name: "(other)", value: .integer(2)),
      Properties.Element(name: "property 7", value: .boolean(true)),
    ]
    for time in ["2026-05-04T12:00:00Z", "2026-05-05T12:00:00Z"] {
      _ = try await place.warehouse.commit(
        makeBatch(["fresh", "(other)"], at: time, properties: fresh), app: place.app)
    }
    try await place.warehouse.flush()
    #expect(try await place.total(.event, "fresh") == 1)
    #expect(try await place.total(.dropped, "name_limit") == 2)
    let before = try await place.warehouse.reader.recent(app: place.app, limit: 4)
    #expect(try await place.warehouse.reader.verify().isClean)
    try await place.warehouse.close()

    try SQLiteWarehouse.rebuild(
      directory: place.directory.path, catalog: place.catalog, now: timestamp("2026-05-20T10:00:00Z"))
    let reopened = try SQLiteWarehouse(directory: place.directory.path, catalog: place.catalog)
    #expect(try await reopened.reader.recent(app: place.app, limit: 4) == before)
    #expect(
      try await reopened.reader.total(app: place.app, dimension: .event, key: "fresh", days: Self.days).count == 2)
    #expect(
      try await reopened.reader.total(app: place.app, dimension: .dropped, key: "name_limit", days: Self.days).count
        == 0)
    let metrics = try await reopened.reader.properties(app: place.app, event: "fresh", days: Self.days, limit: 5)
    #expect(metrics.first { $0.property == "first" }?.count == 2)
    #expect(try await reopened.reader.verify().isClean)
    try await reopened.close()
  }

  @Test func `texts not in memory are found on disk and keep their IDs`() async throws {
    let place = try Place()
    try await place.warehouse.perform { writer in
      try writer.transact {
        let small = try WriterDictionary(writer.connection, seed: 1, heldTexts: 10)
        let names = try small.names(app: 1)
        let ids = try (0..<100).map { try names.id(.event, "text \($0)", received: 0) }
        #expect(Set(ids).count == 100)
        let same = try (0..<100).map { try names.id(.event, "text \($0)", received: 0) }
        #expect(same == ids)
        let second = try WriterDictionary(writer.connection, seed: 2, heldTexts: 10)
        let loaded = try (0..<100).reversed().map { try second.names(app: 1).id(.event, "text \($0)", received: 0) }
        #expect(loaded == ids.reversed())
      }
    }
    try await place.warehouse.close()
  }
}
