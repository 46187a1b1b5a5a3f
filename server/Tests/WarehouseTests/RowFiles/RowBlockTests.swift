import Foundation
import Ingest
import ServerBase
import TernEvents
import Testing

@testable import RowFiles
@testable import Views
@testable import Warehouse
@testable import WarehouseSQLite

/// The stored form of rows, and the files that hold it.
@Suite struct RowBlockTests {
  /// A row with everything that belongs to it.
  private struct Whole: Equatable {
    var row: EventRow
    var user: [UInt8]
    var properties: [UInt8]
    var parameters: [UInt8]?

    static func == (left: Whole, right: Whole) -> Bool {
      String(describing: left.row) == String(describing: right.row) && left.user == right.user
        && left.properties == right.properties && left.parameters == right.parameters
    }
  }

  private static func rows(_ count: Int, firstID: Int64, seed: UInt64) -> [Whole] {
    var generator = FastGenerator(seed: seed)
    func time() -> Int64 { TimeBounds.clamp(number()) }
    func number() -> Int64 {
      [0, 1, -1, 300, .max, .min, Int64(bitPattern: generator.next())].randomElement(using: &generator) ?? 0
    }
    func bytes(_ sizes: [Int]) -> [UInt8] {
      (0..<(sizes.randomElement(using: &generator) ?? 0)).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }
    var sender = (app: Int64(1), slot: UInt32(0), device: Int64(1), session: Int64(0), received: Int64(0))
    return (0..<count).map { index in
      if Bool.random(using: &generator) {
        sender = (number(), UInt32(truncatingIfNeeded: number()), number(), number(), time())
      }
      let time = time()
      let hasKey = generator.next() % 4 > 0
      return Whole(
        row: EventRow(
          id: firstID + Int64(index), app: sender.app, time: time, lag: sender.received &- time, slot: sender.slot,
          device: sender.device, session: sender.session,
          flags: EventRow.Flags(rawValue: Int64(generator.next() % 128)),
          name: number(),
          key: hasKey
            ? DuplicateKey(milliseconds: Bool.random(using: &generator) ? time : number(), hash: number()) : nil),
        user: bytes([0, 0, 1, 200]), properties: bytes([0, 3, 20, 5_000]),
        parameters: Bool.random(using: &generator) ? bytes([0, 40]) : nil)
    }
  }

  private static func block(_ rows: [Whole]) -> RowBlockWriter {
    var block = RowBlockWriter()
    for whole in rows {
      whole.user.withUnsafeBytes { user in
        whole.properties.withUnsafeBytes { properties in
          if let parameters = whole.parameters {
            parameters.withUnsafeBytes {
              block.append(whole.row, user: user, properties: properties, parameters: $0)
            }
          } else {
            block.append(whole.row, user: user, properties: properties)
          }
        }
      }
    }
    return block
  }

  private static func read(_ bytes: UnsafeRawBufferPointer, firstID: Int64) -> (rows: [Whole], isDamaged: Bool) {
    var reader = RowBlockReader(bytes, firstID: firstID)
    var rows: [Whole] = []
    while let row = reader.next() {
      rows.append(
        Whole(
          row: row, user: Array(reader.user), properties: Array(reader.properties),
          parameters: reader.parameters.map(Array.init)))
    }
    return (rows, reader.isDamaged)
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `rows come back as they were stored`(seed: UInt64) {
    let rows = Self.rows(100, firstID: 7, seed: seed)
    let block = Self.block(rows)
    let read = Self.read(block.bytes.bytes, firstID: 7)
    #expect(read.rows == rows && !read.isDamaged && block.rows == 100, "seed \(seed)")
  }

  @Test(arguments: [Int64.min, .max, TimeBounds.earliest - 1, TimeBounds.latest + 1])
  func `a time that no row can have is damage`(time: Int64) {
    for (own, received) in [(time, 0), (0, time), (time, time)] {
      let good = Self.rows(1, firstID: 1, seed: 1)
      let row = EventRow(
        id: 2, app: 1, time: own, lag: received &- own, slot: 1, device: 1, session: 1,
        flags: EventRow.Flags(kind: .event, startsSession: false, isMeasurement: false), name: 1, key: nil)
      let block = Self.block(good + [Whole(row: row, user: [], properties: [])])
      let read = Self.read(block.bytes.bytes, firstID: 1)
      #expect(read.rows == good && read.isDamaged)
    }
  }

  @Test func `events of one request take about forty bytes each`() {
    let rows = (0..<50).map { index in
      let time = 1_780_000_000_000 + Int64(index) * 211
      return Whole(
        row: EventRow(
          id: Int64(index), app: 1, time: time, lag: 1_780_000_012_000 - time, slot: 123_456, device: 40,
          session: 0x1234_5678_9ABC_DEF0,
          flags: EventRow.Flags(kind: .event, startsSession: false, isMeasurement: false),
          name: 90, key: DuplicateKey(milliseconds: time, hash: Int64(index) &* 0x5851_F42D_4C95_7F2D)),
        user: [], properties: Array(repeating: 1, count: 23))
    }
    #expect(Self.block(rows).bytes.count < 50 * 40)
  }

  @Test func `a block that is cut short is read up to the cut, and not beyond`() {
    let rows = Self.rows(30, firstID: 1, seed: 3)
    let block = Self.block(rows)
    // The block owns the memory.
    let bytes = withExtendedLifetime(block) { Array($0.bytes.bytes) }
    for cut in stride(from: 0, to: bytes.count, by: 3) {
      let read = Array(bytes[..<cut]).withUnsafeBytes { Self.read($0, firstID: 1) }
      #expect(read.rows == Array(rows[..<read.rows.count]), "cut \(cut)")
      #expect(read.rows.count < rows.count)
    }
  }

  /// Reads the blocks of a segment as the rows of one span.
  private static func rows(
    of number: Int64, in directory: String, _ bytes: Range<Int>, ids: ClosedRange<Int64>
  ) throws -> [Whole] {
    let file = RowBytes()
    try RowSegmentReader(number, in: directory).read(bytes, into: file)
    var rows: [Whole] = []
    var position = 0
    while position < file.count {
      let header = file.bytes.loadUnaligned(fromByteOffset: position, as: RowSegment.BlockHeader.self)
      let start = position + RowSegment.blockHeaderSize
      let block = UnsafeRawBufferPointer(rebasing: file.bytes[start..<start + Int(header.byteCount)])
      #expect(header.check == header.expectedCheck(block) && ids.contains(header.firstID))
      let read = Self.read(block, firstID: header.firstID)
      #expect(read.rows.count == Int(header.rows) && !read.isDamaged)
      rows += read.rows
      position = start + Int(header.byteCount)
    }
    return rows
  }

  /// Overwrites a part of a file, as a file system that fails to write the last block anew.
  private func damage(_ path: String, _ range: Range<Int>) throws {
    let file = try FileHandle(forUpdating: URL(filePath: path))
    try file.seek(toOffset: UInt64(range.lowerBound))
    try file.write(contentsOf: Data(repeating: 0xA5, count: range.count))
    try file.close()
  }

  @Test func `rows that a failed write has damaged are written again`() throws {
    let directory = try TemporaryDirectory()
    let path = RowSegment.path(1, in: directory.path)
    let rows = Self.rows(30, firstID: 1, seed: 8)
    let first = try RowSegmentWriter(creating: 1, in: directory.path)
    try first.append(Self.block(Array(rows[..<20])), firstID: 1)
    try first.sync()
    first.committed()
    let whole = try Data(contentsOf: URL(filePath: path))
    try first.append(Self.block(Self.rows(5, firstID: 21, seed: 9)), firstID: 21)
    try damage(path, whole.count - 300..<whole.count + 10)
    first.rolledBack()
    #expect(try Data(contentsOf: URL(filePath: path)) != whole)
    try first.restoreTail()
    #expect(try Data(contentsOf: URL(filePath: path)) == whole)
    // Also by one that continues the segment, and after it has added to it.
    let segment = try #require(RowSegmentWriter(continuing: 1, in: directory.path, end: whole.count))
    try segment.append(Self.block(Array(rows[20...])), firstID: 21)
    segment.committed()
    let all = RowSegment.headerSize..<segment.end
    try damage(path, whole.count - 300..<segment.end)
    try segment.restoreTail()
    #expect(try Self.rows(of: 1, in: directory.path, all, ids: 1...30) == rows)
    segment.deleteFile()
    try segment.restoreTail()
    #expect(!StoredFile.exists(path))
  }

  @Test(arguments: 0..<20) func `the tail is the end of the file`(seed: Int) throws {
    var generator = FastGenerator(seed: UInt64(seed))
    let sizes = [0, 1, 100, FileTail.limit - 1, FileTail.limit, FileTail.limit + 1, 3 * FileTail.limit]
    var (tail, file) = (FileTail(), [UInt8]())
    for _ in 0..<4 {
      let bytes = [UInt8](
        repeating: UInt8(truncatingIfNeeded: generator.next()), count: sizes.randomElement(using: &generator) ?? 0)
      bytes.withUnsafeBytes { tail.append($0) }
      file += bytes
      #expect(tail.bytes == Array(file.suffix(FileTail.limit)))
    }
  }

  #if os(Linux)
    @Test func `a segment on a full disk is known to have failed`() throws {
      let directory = try TemporaryDirectory()
      try FileManager.default.createSymbolicLink(
        atPath: RowSegment.path(1, in: directory.path), withDestinationPath: "/dev/full")
      let segment = try #require(RowSegmentWriter(continuing: 1, in: directory.path, end: 0))
      #expect(!segment.hasFailed)
      let error = #expect(throws: WarehouseError.self) {
        try segment.append(Self.block(Self.rows(1, firstID: 1, seed: 1)), firstID: 1)
      }
      #expect(error?.code == .full)
      #expect(segment.hasFailed)
    }
  #endif

  @Test func `a segment grows after it is opened again, unless something follows its last row`() throws {
    let directory = try TemporaryDirectory()
    let rows = Self.rows(90, firstID: 1, seed: 5)
    let first = try RowSegmentWriter(creating: 1, in: directory.path)
    try first.append(Self.block(Array(rows[..<40])), firstID: 1)
    try first.sync()
    first.committed()
    let committed = first.end
    try first.append(Self.block(Self.rows(5, firstID: 41, seed: 6)), firstID: 41)
    #expect(RowSegmentWriter(continuing: 1, in: directory.path, end: committed) == nil)
    first.rolledBack()
    let segment = try #require(RowSegmentWriter(continuing: 1, in: directory.path, end: committed))
    try segment.append(Self.block(Array(rows[40...])), firstID: 41)

    let all = RowSegment.headerSize..<segment.end
    #expect(try Self.rows(of: 1, in: directory.path, all, ids: 1...90) == rows)
    let file = RowBytes()
    try RowSegmentReader(1, in: directory.path).read(0..<segment.end + 100_000, into: file)
    #expect(file.count == segment.end)
    #expect(RowSegmentWriter(continuing: 1, in: directory.path, end: segment.end + 1) == nil)
    #expect(try !RowSegmentReader(2, in: directory.path).hasHeader)
    #expect(throws: WarehouseError.self, "no file is overwritten") {
      try RowSegmentWriter(creating: 1, in: directory.path)
    }
  }
}
