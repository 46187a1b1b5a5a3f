import DataFiles
import Ingest
import ServerBase
package import Warehouse

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A file of blocks of rows, in the order in which they were committed.
///
/// The file only grows. How much of it counts is stored in the table `span`, in the transaction that commits the rows.
/// Bytes after that are left over from a crash or a failed commit; nothing is appended to such a segment.
package enum RowSegment {
  /// The first bytes of the file.
  struct Header: BitwiseCopyable {
    static let currentMark: UInt64 = 0x7377_6F52_6E72_6554  // "TernRows"
    var mark = currentMark
    var format: UInt64 = 1
    var number: Int64
    var check: UInt64 = 0

    package init(number: Int64) {
      self.number = number
      check = expectedCheck
    }

    var expectedCheck: UInt64 { mixed(mixed(mark, format), UInt64(bitPattern: number)) }

    func isValid(_ number: Int64) -> Bool {
      mark == Self.currentMark && format == 1 && self.number == number && check == expectedCheck
    }
  }

  /// The bytes before each block.
  package struct BlockHeader: BitwiseCopyable {
    package var byteCount: UInt32
    package var rows: UInt32
    package var firstID: Int64
    /// A hash of the block and of the members above.
    var check: UInt64 = 0

    package init(_ bytes: UnsafeRawBufferPointer, rows: Int, firstID: Int64) {
      byteCount = UInt32(bytes.count)
      self.rows = UInt32(rows)
      self.firstID = firstID
      check = expectedCheck(bytes)
    }

    func expectedCheck(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
      mixed(ByteCheck.hash(bytes), mixed(UInt64(byteCount) << 32 | UInt64(rows), UInt64(bitPattern: firstID)))
    }

    package var lastID: Int64 { firstID &+ Int64(rows) &- 1 }
  }

  package static let headerSize = MemoryLayout<Header>.size
  package static let blockHeaderSize = MemoryLayout<BlockHeader>.size
  package static let suffix = ".rows"

  package static func name(_ number: Int64) -> String { "\(number)\(suffix)" }

  package static func path(_ number: Int64, in directory: String) -> String { "\(directory)/\(name(number))" }

  /// The numbers of the segments in a directory, whether they are in use or not.
  package static func numbers(in directory: String) throws -> [Int64] {
    try StoredFile.names(in: directory, endingWith: [suffix]).compactMap { Int64($0.dropLast(suffix.count)) }
  }

  package static func damage(_ path: String) -> WarehouseError {
    WarehouseError(
      .damaged,
      """
      \(path) is damaged or missing. Restore the data directory from a backup, or stop the server and run \
      `tern rebuild`, which keeps all events that can be read.
      """)
  }

  /// Returns the block at a position, if there is a whole one with rows in the range.
  package static func block(
    in bytes: UnsafeRawBufferPointer, at position: Int, rows ids: ClosedRange<Int64>
  ) -> (header: BlockHeader, rows: UnsafeRawBufferPointer)? {
    let start = position + blockHeaderSize
    guard start <= bytes.count else { return nil }
    let header = bytes.loadUnaligned(fromByteOffset: position, as: BlockHeader.self)
    guard header.rows > 0, ids.contains(header.firstID), ids.contains(header.lastID),
      Int(header.byteCount) <= bytes.count - start
    else { return nil }
    let rows = UnsafeRawBufferPointer(rebasing: bytes[start..<start + Int(header.byteCount)])
    return header.check == header.expectedCheck(rows) ? (header, rows) : nil
  }
}

/// Reads parts of a segment.
package final class RowSegmentReader {
  package let number: Int64
  package let path: String
  private let descriptor: Int32

  /// False if the file is missing or doesn't begin as the segment does. Its blocks may still be whole.
  package let hasHeader: Bool

  /// - Throws: ``WarehouseError`` if the system doesn't open the file, although it is there.
  package init(_ number: Int64, in directory: String) throws {
    self.number = number
    let path = RowSegment.path(number, in: directory)
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 || errno == ENOENT else { throw StoredFile.readFailure(path) }
    var header = RowSegment.Header(number: 0)
    let count = withUnsafeMutableBytes(of: &header) { pread(descriptor, $0.baseAddress, $0.count, 0) }
    if descriptor >= 0, count < 0 {
      do { try Self.checkDisk(path) } catch {
        close(descriptor)
        throw error
      }
    }
    hasHeader = count == RowSegment.headerSize && header.isValid(number)
    self.path = path
    self.descriptor = descriptor
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  package var isMissing: Bool { descriptor < 0 }

  /// The size of the file, in bytes.
  package var size: Int {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
  }

  /// Throws the error of a failed read, unless only a part of the disk can't be read, which is damage.
  private static func checkDisk(_ path: String) throws {
    let (code, failure) = (errno, StoredFile.readFailure(path))
    guard code == EIO, let rows = path.lastIndex(of: "/") else { throw failure }
    if let silence = DataDirectory(path: String(path[..<rows])).silence { throw silence }
  }

  /// Reads a part of the file, as far as the file and the disk have it.
  package func read(_ range: Range<Int>, into bytes: RowBytes) throws {
    bytes.removeAll()
    guard descriptor >= 0 else { return }
    bytes.reserve(range.count)
    while bytes.count < range.count {
      let count = pread(
        descriptor, bytes.free.baseAddress, range.count - bytes.count, off_t(range.lowerBound + bytes.count))
      if count < 0, errno == EINTR { continue }
      if count < 0 { try Self.checkDisk(path) }
      guard count > 0 else { return }
      bytes.didFill(count)
    }
  }
}
