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
/// The file only grows. How much of it counts is stored elsewhere, in the transaction that commits the rows: what lies
/// beyond is left over from a crash or not committed yet.
enum RowSegment {
  /// The first bytes of the file.
  struct Header: BitwiseCopyable {
    static let currentMark: UInt64 = 0x7377_6F52_6E72_6554  // "TernRows"
    var mark = currentMark
    var format: UInt64 = 1
    var firstID: Int64
    var check: UInt64 = 0

    init(firstID: Int64) {
      self.firstID = firstID
      check = expectedCheck
    }

    var expectedCheck: UInt64 { mixed(mixed(mark, format), UInt64(bitPattern: firstID)) }
    var isValid: Bool { mark == Self.currentMark && format == 1 && check == expectedCheck }
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
  }

  static let headerSize = MemoryLayout<Header>.size
  static let blockHeaderSize = MemoryLayout<BlockHeader>.size

  /// Calls `body` with each block in a part of a segment that begins and ends with whole blocks.
  ///
  /// - Throws: ``WarehouseError`` with code `damaged` if the part holds anything else.
  static func forEachBlock(
    in part: UnsafeRawBufferPointer, _ body: (_ header: BlockHeader, _ block: UnsafeRawBufferPointer) throws -> Void
  ) throws {
    var position = 0
    while position < part.count {
      guard position + blockHeaderSize <= part.count else { throw damage }
      let header = part.loadUnaligned(fromByteOffset: position, as: BlockHeader.self)
      let start = position + blockHeaderSize
      guard Int(header.byteCount) <= part.count - start else { throw damage }
      let block = UnsafeRawBufferPointer(rebasing: part[start..<start + Int(header.byteCount)])
      guard header.check == header.expectedCheck(block) else { throw damage }
      try body(header, block)
      position = start + Int(header.byteCount)
    }
  }

  static var damage: WarehouseError {
    WarehouseError(
      code: .damaged, message: "A file of stored events is damaged. Restore the data directory from a backup.")
  }
}

/// Appends blocks to a segment.
final class RowSegmentWriter {
  let path: String
  private let descriptor: Int32
  /// The end of the last block.
  private(set) var end: Int

  /// Creates a segment.
  init(creating path: String, firstID: Int64) throws {
    self.path = path
    descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    end = 0
    guard descriptor >= 0 else { throw KeyRunDirectory.failure(path) }
    let header = RowSegment.Header(firstID: firstID)
    try withUnsafeBytes(of: header) { try write($0) }
  }

  /// Opens a segment to append to it, and cuts off what is beyond `end`.
  init(opening path: String, end: Int) throws {
    self.path = path
    self.end = end
    descriptor = open(path, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { throw KeyRunDirectory.failure(path) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_size >= end, end >= RowSegment.headerSize else {
      throw RowSegment.damage
    }
    try truncate(to: end)
  }

  deinit { close(descriptor) }

  /// Appends a block; its rows are safe after `sync`.
  func append(_ block: RowBlockWriter, firstID: Int64) throws {
    let header = RowSegment.BlockHeader(block.bytes.bytes, rows: block.rows, firstID: firstID)
    let before = end
    do {
      try withUnsafeBytes(of: header) { try write($0) }
      try write(block.bytes.bytes)
    } catch {
      end = before
      throw error
    }
  }

  func sync() throws {
    #if canImport(Darwin)
      let result = fsync(descriptor)
    #else
      let result = fdatasync(descriptor)
    #endif
    guard result == 0 else { throw KeyRunDirectory.failure(path) }
  }

  /// Removes blocks, after a transaction was rolled back.
  func truncate(to end: Int) throws {
    guard ftruncate(descriptor, off_t(end)) == 0 else { throw KeyRunDirectory.failure(path) }
    self.end = end
  }

  private func write(_ bytes: UnsafeRawBufferPointer) throws {
    var written = 0
    while written < bytes.count {
      let count = pwrite(
        descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written, off_t(end + written))
      guard count > 0 || errno == EINTR else { throw KeyRunDirectory.failure(path) }
      written += max(count, 0)
    }
    end += bytes.count
  }
}

/// Reads parts of a segment.
final class RowSegmentReader {
  let path: String
  let firstID: Int64
  private let descriptor: Int32

  /// - Throws: ``WarehouseError`` with code `damaged` if the file is missing or isn't a segment.
  init(_ path: String) throws {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw RowSegment.damage }
    var header = RowSegment.Header(firstID: 0)
    let count = withUnsafeMutableBytes(of: &header) { pread(descriptor, $0.baseAddress, $0.count, 0) }
    self.path = path
    self.descriptor = descriptor
    firstID = header.firstID
    // From here on, `deinit` closes the file.
    guard count == RowSegment.headerSize, header.isValid else { throw RowSegment.damage }
  }

  deinit { close(descriptor) }

  /// Returns a part of the file.
  func part(_ range: Range<Int>) throws -> [UInt8] {
    try [UInt8](unsafeUninitializedCapacity: range.count) { buffer, read in
      while read < range.count {
        let count = pread(
          descriptor, buffer.baseAddress.map { $0 + read }, range.count - read, off_t(range.lowerBound + read))
        guard count > 0 || count < 0 && errno == EINTR else { throw RowSegment.damage }
        read += max(count, 0)
      }
    }
  }
}
