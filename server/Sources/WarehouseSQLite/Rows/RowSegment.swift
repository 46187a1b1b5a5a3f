import Ingest
import Views
import Warehouse

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A file of blocks of rows, in the order in which they were committed.
///
/// The file only grows. How much of it counts is stored in the table `span`, in the transaction that commits the rows:
/// what lies beyond is left over from a crash or a failed transaction, and is overwritten.
enum RowSegment {
  /// The first bytes of the file.
  struct Header: BitwiseCopyable {
    static let currentMark: UInt64 = 0x7377_6F52_6E72_6554  // "TernRows"
    var mark = currentMark
    var format: UInt64 = 1
    var number: Int64
    var check: UInt64 = 0

    init(number: Int64) {
      self.number = number
      check = expectedCheck
    }

    var expectedCheck: UInt64 { mixed(mixed(mark, format), UInt64(bitPattern: number)) }

    func isValid(_ number: Int64) -> Bool {
      mark == Self.currentMark && format == 1 && self.number == number && check == expectedCheck
    }
  }

  /// The bytes before each block.
  struct BlockHeader: BitwiseCopyable {
    var byteCount: UInt32
    var rows: UInt32
    var firstID: Int64
    /// A hash of the block and of the members above.
    var check: UInt64 = 0

    init(_ bytes: UnsafeRawBufferPointer, rows: Int, firstID: Int64) {
      byteCount = UInt32(bytes.count)
      self.rows = UInt32(rows)
      self.firstID = firstID
      check = expectedCheck(bytes)
    }

    func expectedCheck(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
      mixed(RowBlock.checksum(bytes), mixed(UInt64(byteCount) << 32 | UInt64(rows), UInt64(bitPattern: firstID)))
    }

    /// The ID of the last row.
    var lastID: Int64 { firstID &+ Int64(rows) &- 1 }
  }

  static let headerSize = MemoryLayout<Header>.size
  static let blockHeaderSize = MemoryLayout<BlockHeader>.size
  static let suffix = ".rows"

  static func path(_ number: Int64, in directory: String) -> String { "\(directory)/\(number)\(suffix)" }

  /// The numbers of the segments in a directory, whether they are in use or not.
  static func numbers(in directory: String) throws -> [Int64] {
    try StoredFile.names(in: directory, endingWith: [suffix]).compactMap { Int64($0.dropLast(suffix.count)) }
  }

  static func damage(_ path: String) -> WarehouseError {
    WarehouseError(code: .damaged, message: "\(path) is damaged or missing. Restore the data directory from a backup.")
  }
}

/// Appends blocks to a segment.
final class RowSegmentWriter {
  let number: Int64
  private let path: String
  private let descriptor: Int32
  /// The end of the last block.
  private(set) var end: Int

  /// Creates a segment under a number that no file has.
  init(creating number: Int64, in directory: String) throws {
    self.number = number
    path = RowSegment.path(number, in: directory)
    descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    end = RowSegment.headerSize
    guard descriptor >= 0 else { throw StoredFile.failure(path) }
    let header = RowSegment.Header(number: number)
    try withUnsafeBytes(of: header) { try StoredFile.write($0, to: descriptor, at: 0, path) }
    try StoredFile.sync(directory: directory)
  }

  /// Opens a segment to append to it after `end`.
  init(opening number: Int64, in directory: String, end: Int) throws {
    self.number = number
    self.end = end
    path = RowSegment.path(number, in: directory)
    descriptor = open(path, O_RDWR | O_CLOEXEC)
    var status = stat()
    guard descriptor >= 0, fstat(descriptor, &status) == 0, status.st_size >= end else {
      throw RowSegment.damage(path)
    }
  }

  deinit { close(descriptor) }

  /// Appends a block; its rows are safe after ``sync()``.
  func append(_ block: RowBlockWriter, firstID: Int64) throws {
    let header = RowSegment.BlockHeader(block.bytes.bytes, rows: block.rows, firstID: firstID)
    try withUnsafeBytes(of: header) { try StoredFile.write($0, to: descriptor, at: end, path) }
    try StoredFile.write(block.bytes.bytes, to: descriptor, at: end + RowSegment.blockHeaderSize, path)
    end += RowSegment.blockHeaderSize + block.bytes.count
  }

  func sync() throws {
    #if canImport(Darwin)
      let result = fsync(descriptor)
    #else
      let result = fdatasync(descriptor)
    #endif
    guard result == 0 else { throw StoredFile.failure(path) }
  }

  func deleteFile() { unlink(path) }
}

/// Reads parts of a segment.
final class RowSegmentReader {
  let number: Int64
  let path: String
  private let descriptor: Int32

  /// - Throws: ``WarehouseError`` with code `damaged` if the file is missing or isn't the segment.
  init(_ number: Int64, in directory: String) throws {
    self.number = number
    path = RowSegment.path(number, in: directory)
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    var header = RowSegment.Header(number: 0)
    let count = withUnsafeMutableBytes(of: &header) { pread(descriptor, $0.baseAddress, $0.count, 0) }
    guard count == RowSegment.headerSize, header.isValid(number) else { throw RowSegment.damage(path) }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Reads a part of the file.
  func read(_ range: Range<Int>, into bytes: RowBytes) throws {
    bytes.removeAll()
    bytes.reserve(range.count)
    while bytes.count < range.count {
      let count = pread(
        descriptor, bytes.free.baseAddress, range.count - bytes.count, off_t(range.lowerBound + bytes.count))
      guard count > 0 || count < 0 && errno == EINTR else { throw RowSegment.damage(path) }
      bytes.didFill(max(count, 0))
    }
  }
}
