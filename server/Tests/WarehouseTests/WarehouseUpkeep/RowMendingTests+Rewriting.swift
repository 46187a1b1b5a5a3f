import Foundation
import TernBase
import TernEvents
import Testing

@testable import RowFiles
@testable import Warehouse
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// Damage that grows, or that others mend, while a job writes rows anew.
extension RowMendingTests {
  @Test func `a job goes on if others have mended its file just before it does`() async throws {
    let warehouse = try open()
    try await fill(warehouse)
    let before = try await warehouse.everything()
    let segment = try await segment(warehouse)
    let attempts = Locked<[Int64]>([])
    let last = try await warehouse.rewriting(rows: [segment.ids.lowerBound]) { writer, segments in
      let attempt = attempts.withLock { attempts in
        attempts.append(segments[0])
        return attempts.count
      }
      guard attempt == 1 else { return segments[0] }
      // As a check of all files does.
      try writer.transact {
        try writer.rows.rewrite(
          try StoredSpan.all(writer.connection).filter { $0.segment == segments[0] }
        ) { _, _ in .keep }
      }
      try writer.rows.deleteLeftovers()
      throw RowSegment.damage("the file")
    }
    #expect(attempts.withLock { $0 }.count == 2 && last != segment.number)
    try await expectWhole(warehouse, before, "mended by others")
    try await warehouse.close()
  }

  @Test func `a job is tried again later if more and more rows can't be read, and fails if rows aren't to blame`()
    async throws
  {
    let warehouse = try open()
    try await fill(warehouse)
    let segment = try await segment(warehouse)
    let copied = try await warehouse.storedRows(segment.ids)
    let attempts = Locked(0)
    let rows = directory.path + "/rows"
    let growing = await #expect(throws: WarehouseError.self) {
      _ = try await warehouse.rewriting(rows: [segment.ids.lowerBound]) { [cluster] _, segments in
        attempts.withLock { $0 += 1 }
        cluster.copy(segment.ids, copied, segment: segments[0])
        try Self.flip(RowSegment.path(segments[0], in: rows), at: 0.5)
        throw RowSegment.damage("the file")
      }
    }
    #expect(growing?.code == .unavailable && attempts.withLock { $0 } == 3)
    let other = await #expect(throws: WarehouseError.self) {
      _ = try await warehouse.rewriting(rows: [segment.ids.lowerBound]) { _, _ in throw RowSegment.damage("no rows") }
    }
    #expect(other?.code == .damaged)
    try await warehouse.close()
  }

  @Test func `rows that become unreadable while others are mended are not lost with them`() async throws {
    let warehouse = try open()
    try await fill(warehouse)
    let segment = try await segment(warehouse)
    try damage(segment, at: 0.97)
    let known = try #require(try await warehouse.reader.reading { try UnreadableSegment(segment.number, $0) })
    try damage(segment, at: 0.03)
    let error = await #expect(throws: WarehouseError.self) {
      _ = try await warehouse.perform { writer in
        try writer.prepareRewriting()
        return try writer.mend(known, [])
      }
    }
    #expect(error?.code == .unavailable)
    #expect(FileManager.default.fileExists(atPath: file(segment).path))
    try await warehouse.close()
  }

  static func flip(_ path: String, at part: Double) throws {
    var bytes = try Data(contentsOf: URL(filePath: path))
    bytes[Int(Double(bytes.count) * part)] ^= 1
    try bytes.write(to: URL(filePath: path))
  }
}
