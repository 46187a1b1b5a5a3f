import Ingest
import ServerBase
import Warehouse

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Appends blocks to a segment.
package final class RowSegmentWriter {
  package let number: Int64
  private let path: String
  private let descriptor: Int32
  /// The end of the last block.
  package private(set) var end: Int
  /// The end of the last block that was committed.
  private var committedEnd: Int
  /// True if a write or a sync has failed.
  package private(set) var hasFailed = false
  /// The bytes before ``committedEnd``.
  private var tail = FileTail()
  /// The bytes before ``end``.
  private var nextTail = FileTail()

  /// Creates a segment under a number that no file has.
  package init(creating number: Int64, in directory: String) throws {
    self.number = number
    path = RowSegment.path(number, in: directory)
    descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    end = RowSegment.headerSize
    committedEnd = end
    guard descriptor >= 0 else { throw StoredFile.failure(path) }
    let header = RowSegment.Header(number: number)
    do {
      try withUnsafeBytes(of: header) { try StoredFile.write($0, to: descriptor, at: 0, path) }
      try StoredFile.sync(directory: directory)
    } catch {
      unlink(path)
      throw error
    }
  }

  /// Opens a segment to append to it after `end`; returns `nil` if that isn't the end of the file.
  package init?(continuing number: Int64, in directory: String, end: Int) {
    self.number = number
    self.end = end
    committedEnd = end
    path = RowSegment.path(number, in: directory)
    descriptor = open(path, O_RDWR | O_CLOEXEC)
    var status = stat()
    guard descriptor >= 0, fstat(descriptor, &status) == 0, status.st_size == end,
      let tail = FileTail(descriptor, end: end)
    else { return nil }
    (self.tail, nextTail) = (tail, tail)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Appends a block; its rows are safe after ``sync()``.
  package func append(_ block: RowBlockWriter, firstID: Int64) throws {
    let header = RowSegment.BlockHeader(block.bytes.bytes, rows: block.rows, firstID: firstID)
    try noting {
      try withUnsafeBytes(of: header) { try StoredFile.write($0, to: descriptor, at: end, path) }
      try StoredFile.write(block.bytes.bytes, to: descriptor, at: end + RowSegment.blockHeaderSize, path)
    }
    withUnsafeBytes(of: header) { nextTail.append($0) }
    nextTail.append(block.bytes.bytes)
    end += RowSegment.blockHeaderSize + block.bytes.count
  }

  package func sync() throws {
    #if canImport(Darwin)
      let result = fsync(descriptor)
    #else
      let result = fdatasync(descriptor)
    #endif
    try noting { guard result == 0 else { throw StoredFile.failure(path) } }
  }

  private func noting(_ body: () throws -> Void) throws {
    do { try body() } catch {
      hasFailed = true
      throw error
    }
  }

  package func deleteFile() { unlink(path) }

  /// Must be called after a commit.
  package func committed() {
    committedEnd = end
    tail = nextTail
  }

  /// Removes the blocks that weren't committed. If that fails, the next rows go to another segment.
  package func rolledBack() {
    nextTail = tail
    guard end > committedEnd else { return }
    _ = ftruncate(descriptor, off_t(committedEnd))
  }

  /// Makes sure that the end of what was committed is still stored, after a write has failed.
  ///
  /// File systems that encrypt blocks rewrite the last one to append to it. If the disk is full then, encfs and `gocryptfs
  /// -noprealloc` leave a block that can't be decrypted.
  package func restoreTail() throws {
    // A segment whose rows have gone since is gone, too.
    guard !tail.bytes.isEmpty, StoredFile.exists(path), try !tail.isStored(path, end: committedEnd) else { return }
    try tail.bytes.withUnsafeBytes {
      try StoredFile.write($0, to: descriptor, at: committedEnd - $0.count, path)
    }
    try sync()
    guard try tail.isStored(path, end: committedEnd) else {
      throw WarehouseError(
        .unavailable,
        "\(path) can't be read as it was written. Move the data directory to another disk, and start Tern again.")
    }
  }
}
