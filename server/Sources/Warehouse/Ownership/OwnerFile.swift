#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The file `owner` of a data directory.
///
/// Each owner has a file of its own under this name: it writes to the one that it created or continued, so that a delayed
/// write can't overwrite another owner's name.
final class OwnerFile {
  let path: String
  private var descriptor: Int32 = -1

  init(path: String) { self.path = path }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Returns the record under the name; `nil` if there is no file.
  static func read(_ path: String) throws -> OwnerRecord? {
    // Opened anew each time: only then do network file systems compare what they have cached.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      guard errno != ENOENT else { return nil }
      throw failure(path, "read")
    }
    defer { close(descriptor) }
    return try record(descriptor, path)
  }

  /// True if there is a file that begins with these bytes.
  static func begins(_ path: String, with head: [UInt8]) throws -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      guard errno != ENOENT else { return false }
      throw failure(path, "read")
    }
    defer { close(descriptor) }
    return try withUnsafeTemporaryAllocation(byteCount: head.count, alignment: 1) { bytes in
      let count = pread(descriptor, bytes.baseAddress, bytes.count, 0)
      guard count >= 0 else { throw failure(path, "read") }
      return count == head.count && head.elementsEqual(bytes)
    }
  }

  /// Creates the file; returns false if there is one.
  func create(_ record: OwnerRecord) throws -> Bool {
    let created = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard created >= 0 else {
      guard errno != EEXIST else { return false }
      throw Self.failure(path, "created")
    }
    take(created)
    do {
      try write(record)
    } catch {
      // An empty file would be taken for that of an unknown owner.
      unlink(path)
      throw error
    }
    return true
  }

  /// Continues a file; returns false if it is no longer that of this name.
  func adopt(_ name: String) throws -> Bool {
    let found = open(path, O_RDWR | O_CLOEXEC)
    guard found >= 0 else {
      guard errno != ENOENT else { return false }
      throw Self.failure(path, "opened")
    }
    take(found)
    return try Self.record(found, path).name == name
  }

  /// Puts another file in the place of the present one.
  func replace(with record: OwnerRecord) throws {
    let new = path + ".new"
    unlink(new)
    let created = open(new, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard created >= 0 else { throw Self.failure(new, "created") }
    take(created)
    try write(record)
    guard rename(new, path) == 0 else { throw Self.failure(path, "replaced") }
  }

  /// Writes the own record.
  func write(_ record: OwnerRecord) throws {
    let count = record.bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    guard count == OwnerRecord.size else { throw Self.failure(path, "written") }
    // Network file systems send what was written when a descriptor is closed. A sync would cost every server a write to
    // the disk each second.
    let copy = dup(descriptor)
    if copy >= 0 { close(copy) }
  }

  /// Deletes the file under the name.
  func delete() { unlink(path) }

  private func take(_ new: Int32) {
    if descriptor >= 0 { close(descriptor) }
    descriptor = new
  }

  private static func record(_ descriptor: Int32, _ path: String) throws -> OwnerRecord {
    var bytes = [UInt8](repeating: 0, count: OwnerRecord.size)
    let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
    guard count >= 0 else { throw failure(path, "read") }
    return OwnerRecord(Array(bytes[..<count]))
  }

  private static func failure(_ path: String, _ what: String) -> WarehouseError {
    let reason = String(cString: strerror(errno))
    return WarehouseError(errno == ENOSPC ? .full : .unavailable, "\(path) can't be \(what): \(reason).")
  }
}
