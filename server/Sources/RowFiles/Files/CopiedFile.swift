import Foundation
import ServerBase
import Warehouse

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A file that a backup or a restored directory gets. Only its owner can read it.
package final class CopiedFile {
  private static let partBytes = 1 << 20
  let path: String
  private let descriptor: Int32
  private var end = 0

  /// Creates a file that doesn't exist yet.
  package init(creating path: String) throws {
    self.path = path
    descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw StoredFile.failure(path) }
  }

  deinit { close(descriptor) }

  package func append(_ bytes: UnsafeRawBufferPointer) throws {
    try StoredFile.write(bytes, to: descriptor, at: end, path)
    end += bytes.count
  }

  package func sync() throws {
    guard fsync(descriptor) == 0 else { throw StoredFile.failure(path) }
  }

  /// Copies the first bytes of a file to a new one, and syncs it.
  package static func copy(_ source: String, bytes: Int, to path: String) throws {
    let file = try CopiedFile(creating: path)
    try read(source, bytes: bytes) { try file.append($0) }
    try file.sync()
  }

  /// Returns a hash of the first bytes of a file, in hexadecimal digits.
  ///
  /// - Parameter step: Called after each part of the file with its number of bytes.
  package static func check(_ path: String, bytes: Int, step: (Int) throws -> Void = { _ in }) throws -> String {
    var check = UInt64(bytes)
    try read(path, bytes: bytes) { part in
      check = mixed(check, ByteCheck.hash(part))
      try step(part.count)
    }
    let digits = String(check, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// Reads the first bytes of a file in parts.
  package static func read(_ path: String, bytes: Int, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    // Not waiting for what isn't a file, such as a pipe.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    // A file that the system doesn't open may still have the right bytes.
    guard descriptor >= 0 else { throw errno == ENOENT ? damage(path) : StoredFile.readFailure(path) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw WarehouseError(.damaged, "\(path) isn't a regular file.")
    }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: partBytes, alignment: 8)
    defer { buffer.deallocate() }
    var position = 0
    while position < bytes {
      // Parts of fixed sizes, because the hash depends on them.
      let size = min(partBytes, bytes - position)
      var filled = 0
      while filled < size {
        let count = pread(
          descriptor, buffer.baseAddress.map { $0 + filled }, size - filled, off_t(position + filled))
        guard count > 0 || count < 0 && errno == EINTR else { throw damage(path) }
        filled += max(count, 0)
      }
      try body(UnsafeRawBufferPointer(rebasing: buffer[..<size]))
      position += size
    }
  }

  private static func damage(_ path: String) -> WarehouseError {
    WarehouseError(.damaged, "\(path) is missing or too short.")
  }

  /// Gives an existing file a second name; returns the reason if the file system can't.
  package static func link(_ source: String, to path: String) -> String? {
    #if canImport(Darwin)
      let result = Darwin.link(source, path)
    #elseif canImport(Glibc)
      let result = Glibc.link(source, path)
    #else
      let result = Musl.link(source, path)
    #endif
    return result == 0 ? nil : String(cString: strerror(errno))
  }

  package static func rename(_ old: String, to new: String) throws {
    #if canImport(Darwin)
      let result = Darwin.rename(old, new)
    #elseif canImport(Glibc)
      let result = Glibc.rename(old, new)
    #else
      let result = Musl.rename(old, new)
    #endif
    guard result == 0 else { throw StoredFile.failure(new) }
  }

  /// True for a file with content, also under another name; false for a directory, a pipe, a device or nothing.
  package static func isRegular(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  package static func size(_ path: String) throws -> Int {
    var status = stat()
    guard stat(path, &status) == 0 else { throw damage(path) }
    return Int(status.st_size)
  }

  /// A text that changes when a file is replaced or written: device, inode, time of the last change, and size.
  package static func identity(_ path: String) throws -> String {
    var status = stat()
    guard stat(path, &status) == 0 else { throw damage(path) }
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    return "\(status.st_dev)-\(status.st_ino)-\(time.tv_sec).\(time.tv_nsec)-\(status.st_size)"
  }
}
