import Foundation
import Ingest
import TernBase
import TernEvents
import Testing

@testable import AppCatalog
@testable import Views
@testable import Warehouse
@testable import WarehouseSQLite

/// A day is the same however little of it is held in memory at once.
@Suite struct ViewPortionTests {
  private static let start = milliseconds("2024-05-14T10:00:00Z")

  /// Hits in no order of users, including orders with shared IDs.
  private func fill(_ warehouse: SQLiteWarehouse, _ app: AppID, seed: UInt64) async throws {
    var generator = FastGenerator(seed: seed)
    for batch in 0..<30 {
      let lines = (0..<20).map { line in
        let user = UInt64.random(in: 0..<UInt64.random(in: 1...40, using: &generator), using: &generator)
        let kind = [
          "t=screenview&cd=S\(user % 7)", "t=event&ec=c&ea=a\(line % 3)",
          "t=event&ec=c&ea=buy&pa=purchase&ti=\(user % 5)&tr=2",
        ][Int.random(in: 0..<3, using: &generator)]
        return
          "v=1&tid=UA-1-1&cid=c\(user)&\(kind)&qt=\(Int.random(in: 0..<3_000_000, using: &generator))&z=\(batch)-\(line)"
      }
      let received = Timestamp(millisecondsSince1970: Self.start + Int64(batch) * 1_000)
      let batches = Array(lines.joined(separator: "\n").utf8).withUnsafeBytes {
        MeasurementParser.batch($0, received: received, key: DuplicateHashKey(1, 2))
      }
      for batch in batches { _ = try await warehouse.commit(batch.batch, app: app) }
    }
  }

  @Test(arguments: [(1, 1), (2, 1_000), (7, 3_000), (100, 20_000), (10_000, 1 << 20)] as [(Int, Int)])
  func `a day counted in portions equals the day counted at once`(hits: Int, bytes: Int) async throws {
    let directory = try TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path)
    let warehouse = try SQLiteWarehouse(directory: directory.path, catalog: catalog)
    let app = try catalog.createApp(name: "A", trackingID: "UA-1-1").id
    let view = try catalog.createView(app: app, name: "V", timeZone: "UTC")
    let seed = UInt64.random(in: 0..<1_000)
    try await fill(warehouse, app, seed: seed)
    try await warehouse.reader.reading { connection in
      let reading = try ViewReading(view, connection, warehouse.reader)
      let bounds = try #require(reading.calendar.bounds(of: day("2024-05-14").number))
      let all = try reading.scan.hits(reading.scan.places(bounds) { _, _, _ in true }[...])
      var (builder, sizes, last) = (ViewDayBuilder(filters: []) { _ in 0 }, [Int](), UInt32?.none)
      try reading.scan.portions(bounds, of: hits) { _, _, _ in
        true
      } body: { portion in
        sizes.append(portion.count)
        let users = Set(portion.map(\.slot))
        #expect(last ?? 0 <= users.min() ?? 0 && !users.contains(last ?? .max), "seed \(seed)")
        last = users.max()
        builder.add(portion: portion)
      }
      #expect(sizes.reduce(0, +) == all.count && all.count == 600, "seed \(seed)")
      if hits < 100 { #expect(sizes.count > 1, "seed \(seed)") }
      let whole = ViewDayBuilder.day(of: all) { _ in 0 }
      #expect(builder.finished().encodedMetrics == whole.encodedMetrics, "seed \(seed)")
      #expect(whole.totals.transactions <= 5 && whole.totals.transactions > 0)
      reading.portion = ViewPortion(hits: hits, bytes: bytes)
      #expect(try reading.counted(day("2024-05-14").number).totals == whole.totals)
    }
    try await warehouse.close()
    try catalog.close()
  }

  @Test func `portions end with a user, at so many hits or bytes`() {
    let hits = RawHits()
    let sizes = [10, 10, 10, 500, 10, 10, 10]
    for (index, size) in sizes.enumerated() {
      let hit = RawHits.Hit(id: Int64(index), time: 0, device: 0, slot: UInt32(index < 2 ? 0 : index))
      [UInt8](repeating: 0, count: size).withUnsafeBytes {
        hits.add(hit, user: UnsafeRawBufferPointer(start: nil, count: 0), parameters: $0)
      }
    }
    hits.sort()
    #expect(hits.portions(of: 100) == [0..<7])
    #expect(hits.portions(of: 1) == [0..<2, 2..<3, 3..<4, 4..<5, 5..<6, 6..<7])
    #expect(hits.portions(of: 3) == [0..<3, 3..<6, 6..<7])
    #expect(hits.portions(of: 100, bytes: 100) == [0..<4, 4..<7])
    #expect(RawHits().portions(of: 3).isEmpty)
  }
}
