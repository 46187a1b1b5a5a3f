import ClickHouse
import Foundation
import Ingest
import ServerBase
import TernBase
import TernEvents
import Testing
import WarehouseContract

@testable import RowFiles
@testable import Shipping
@testable import Warehouse
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// Rows that go to the cluster and come back.
@Suite struct StoredRowsTests {
  private static let seed =
    ProcessInfo.processInfo.environment["SEED"].flatMap { UInt64($0) } ?? .random(in: 0...UInt64(UInt32.max))
  private static let now = Timestamp(millisecondsSince1970: 1_777_000_000_000)

  /// A row as its segment has it.
  private struct Bytes: Hashable {
    let row: [UInt8]
    let device: [UInt8]
  }

  private static func bytes(
    _ row: EventRow, user: UnsafeRawBufferPointer, properties: UnsafeRawBufferPointer,
    parameters: UnsafeRawBufferPointer?
  ) -> [UInt8] {
    var block = RowBlockWriter()
    block.append(row, user: user, properties: properties, parameters: parameters)
    return Array(block.bytes.bytes)
  }

  private static func bytes(_ stored: StoredRow) throws -> Bytes {
    let encoded = try EncodedRow(stored)
    let row = withUTF8(encoded.user) { user in
      encoded.properties.withUnsafeBytes { properties in
        guard let parameters = encoded.parameters else {
          return bytes(encoded.row, user: user, properties: properties, parameters: nil)
        }
        return parameters.withUnsafeBytes {
          bytes(encoded.row, user: user, properties: properties, parameters: UnsafeRawBufferPointer($0))
        }
      }
    }
    return Bytes(row: row, device: WriterDevices.encode(stored.device))
  }

  /// Returns all rows of a warehouse, as they are in segments and as they go to the cluster.
  private static func rows(_ warehouse: SQLiteWarehouse) async throws -> (bytes: [Bytes], stored: [StoredRow]) {
    let reader = warehouse.reader
    return try await reader.reading { connection in
      var reading = try StoredRowReading(connection, reader.dictionary, reader.catalog, hasAttachments: true)
      let facts = try connection.prepare("SELECT facts FROM device WHERE id = ?")
      let scan = try EventScan(connection, after: 0)
      var (all, stored): ([Bytes], [StoredRow]) = ([], [])
      while let row = try scan.next() {
        let device = try facts.bind(row.device).first { Array($0.bytes(0)) } ?? []
        let bytes = bytes(row, user: scan.userBytes, properties: scan.properties, parameters: scan.parameters)
        all.append(Bytes(row: bytes, device: device))
        stored.append(try reading.complete(row, scan))
      }
      return (all, stored)
    }
  }

  /// Events with values and names at the limits.
  private static func extremes() -> [IncomingBatch] {
    var batch = IncomingBatch(
      source: .measurement, received: now, installs: ["a", UUID().uuidString],
      devices: [
        IncomingDevice(osName: "(other)", locale: String(repeating: "İ", count: 400), timeZoneOffsetMinutes: -1_439),
        IncomingDevice(
          appVersion: "1" + String(repeating: "ü", count: 400), appBuild: String(repeating: "b", count: 900)),
      ])
    let values: [PropertyValue] = [
      .double(-0.0), .double(.leastNonzeroMagnitude), .double(.greatestFiniteMagnitude), .double(.infinity),
      .double(-.nan),
      .double(0.1 + 0.2), .integer(.min), .integer(.max), .boolean(true), .boolean(false), .string(""),
      .string("e\u{301}\0\u{FFFD}\r\n"), .date(Timestamp(millisecondsSince1970: .min)),
      .date(Timestamp(millisecondsSince1970: .max)),
    ]
    for index in 0..<6_800 {
      let kind = StoredKind.allCases[index % StoredKind.allCases.count]
      batch.events.append(
        IncomingEvent(
          index: index, kind: kind,
          duplicateKey: index % 3 == 0
            ? nil : DuplicateKey(milliseconds: index % 3 == 1 ? now.millisecondsSince1970 : .min, hash: Int64(index)),
          time: now, name: index == 5 ? "(other)" : "name \(index)"))
      batch.events[index].install = index % 2
      batch.events[index].device = index % 2
      batch.events[index].user = index % 5 == 0 ? "person \(index)" : ""
      batch.events[index].session = index % 7 == 0 ? .min : 0
      batch.events[index].properties = [
        .init(name: "of \(index)", value: values[index % values.count]), .init(name: "(other)", value: .integer(1)),
      ]
      if index % 11 == 0 {
        batch.hits.append(IncomingHit(event: index, parameters: index % 2 == 0 ? [] : [.init(name: "", value: "x")]))
      }
    }
    return [batch]
  }

  @Test func `a row that comes back from its columns has the same bytes`() async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tern-rows-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let catalog = MemoryCatalog(zones: ["Europe/Berlin", "UTC"])
    let warehouse = try SQLiteWarehouse(
      directory: directory.path, catalog: catalog,
      configuration: WarehouseConfiguration(spanRows: 50, segmentBytes: 5_000))
    var traffic = RandomTraffic(
      seed: Self.seed, apps: catalog.apps().map(\.id), center: Self.now, days: 30, isOrdered: false)
    for _ in 0..<100 {
      let (batch, app) = traffic.next()
      _ = try await warehouse.commit(batch, app: app)
    }
    for batch in Self.extremes() { _ = try await warehouse.commit(batch, app: AppID(1)) }
    let (bytes, stored) = try await Self.rows(warehouse)
    try await warehouse.close()
    var columns = RowColumns()
    for row in stored { _ = columns.add(row) }
    let hashed = columns.hashed
    let unit = ShippingUnit(epoch: 2, number: 1, segment: 1, ids: 1...Int64(stored.count), content: hashed.content)
    let block = hashed.block(unit, of: ShippingManifest.Home(id: 1, epoch: 2))
    let read = try #require(try NativeBlock.blocks(block.encoded).first.flatMap { RowColumns($0) })
    var back: [StoredRow] = []
    try read.forEach { back.append($0) }
    #expect(back.count == bytes.count && bytes.count > 7_000)
    for (index, row) in back.enumerated() {
      #expect(try Self.bytes(row) == bytes[index], "seed \(Self.seed), row \(row.id)")
    }
    // The texts and numbers that belong to a row beside its bytes.
    for (row, before) in zip(back, stored) {
      #expect(row.install == before.install && row.day == before.day && row.userNumber == before.userNumber)
      #expect((row.userNumber == nil) == row.user.isEmpty)
      #expect(row.error?.group == before.error?.group && row.attachment?.data == before.attachment?.data)
      #expect(row.error?.raw == before.error?.raw && row.error?.hasTexts == before.error?.hasTexts)
      #expect(row.error?.stack == before.error?.stack && row.error?.fingerprint == before.error?.fingerprint)
    }
    #expect(back.contains { $0.error?.hasTexts == true } && back.contains { $0.nameID == 0 && $0.name != "(other)" })
    #expect(
      back.contains { $0.parameters?.isEmpty == true } && back.contains { $0.properties.contains { $0.nameID == 0 } })
  }

  @Test func `columns with anything in them make a row or an error`() throws {
    var generator = FastGenerator(seed: Self.seed)
    var columns = RowColumns()
    for id in 1...40 as ClosedRange<Int64> { _ = columns.add(FakeRows.row(id)) }
    let names = columns.columns.map(\.name)
    var (rows, errors) = (0, 0)
    for _ in 0..<2_000 {
      let changed = Int.random(in: 0..<names.count, using: &generator)
      let block = NativeBlock(
        columns.columns.enumerated().map { $0 == changed ? $1.randomized(&generator) : $1 })
      guard let read = RowColumns(try #require(try NativeBlock.blocks(block.encoded).first)) else { continue }
      do {
        try read.forEach { row in
          _ = try? Self.bytes(row)
          rows += 1
        }
      } catch {
        #expect((error as? ClickHouseError)?.code == .damaged)
        errors += 1
      }
    }
    #expect(rows > 1_000 && errors > 100, "seed \(Self.seed)")
  }
}

extension NativeColumn {
  /// A column of the same size with random values.
  fileprivate func randomized(_ generator: inout FastGenerator) -> NativeColumn {
    var column = NativeColumn(name, type)
    func append() {
      let number = UInt64.random(in: 0...UInt64.max, using: &generator) >> UInt64.random(in: 0..<64, using: &generator)
      if numbers.isEmpty {
        withUnsafeBytes(of: number) {
          column.append(bytes: UnsafeRawBufferPointer(rebasing: $0.prefix(Int(number % 8))))
        }
      } else {
        column.append(number)
      }
    }
    for row in 0..<rows {
      guard case .array = type else {
        append()
        continue
      }
      let count = elements(of: row).count
      for _ in 0..<(Bool.random(using: &generator) ? count : count + 1) { append() }
      column.endRow()
    }
    return column
  }
}
