import Cryptography
import DataFiles
import Foundation
import Warehouse

/// A file in the data directory that is being received, until it is deallocated or moved to its name.
///
/// Not thread-safe: one task writes it.
final class ReceivedFile {
  let path: String
  private(set) var bytes = 0
  private let hash = RunningHash(.sha256)
  private let descriptor: Int32
  private let limit: SymbolLimits

  /// Creates the file.
  ///
  /// - Parameter name: A random name.
  init(in directory: DataDirectory, name: String, limit: SymbolLimits) throws {
    self.limit = limit
    let folder = DataDirectory(path: directory.symbolsPath)
    try folder.create()
    path = "\(folder.path)/\(name)"
    descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw Self.failure(path) }
  }

  deinit {
    close(descriptor)
    // Gone if it was moved.
    unlink(path)
  }

  var source: ObjectSource { ObjectSource(descriptor: descriptor) }

  /// The SHA-256 of all bytes so far, in hexadecimal digits.
  var digest: String { hexadecimal(hash.value) }

  /// Appends bytes; throws ``WarehouseError`` with code `invalid` if the file becomes too large, or `full` if the disk
  /// would have too little room left for events.
  func append(_ part: UnsafeRawBufferPointer) throws {
    guard part.count <= limit.fileBytes - bytes else { throw limit.tooLarge }
    // Checked at every 16 MiB.
    if bytes >> 24 != (bytes + part.count) >> 24 || bytes == 0 { try checkRoom(for: part.count) }
    var written = 0
    while written < part.count {
      let count = write(descriptor, part.baseAddress.map { $0 + written }, part.count - written)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Self.failure(path) }
      written += count
    }
    hash.update(part)
    bytes += part.count
  }

  /// Appends a part of another file.
  func append(_ range: Range<Int>, of other: ReceivedFile) throws {
    var position = range.lowerBound
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while position < range.upperBound {
      let count = buffer.withUnsafeMutableBytes { buffer in
        pread(other.descriptor, buffer.baseAddress, min(buffer.count, range.upperBound - position), off_t(position))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Self.failure(other.path) }
      try buffer.withUnsafeBytes { try append(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
      position += count
    }
  }

  func sync() throws {
    guard fsync(descriptor) == 0 else { throw Self.failure(path) }
  }

  private func checkRoom(for count: Int) throws {
    var status = statvfs()
    guard fstatvfs(descriptor, &status) == 0 else { return }
    let free = Int(clamping: UInt64(status.f_bavail)).multipliedReportingOverflow(by: Int(clamping: status.f_frsize))
    guard free.overflow || free.partialValue - count - (1 << 24) > limit.diskReserve else { throw Self.full }
  }

  private static let full = WarehouseError(
    .full, "The disk has no room for this file. Free some space, or delete symbols that aren't needed.")

  private static func failure(_ path: String) -> WarehouseError {
    if errno == ENOSPC || errno == EDQUOT { return full }
    return WarehouseError(.unavailable, "\(path) can't be written: \(String(cString: strerror(errno))).")
  }
}
