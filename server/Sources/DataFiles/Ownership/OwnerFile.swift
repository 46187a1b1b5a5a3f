import Warehouse

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The file `owner` of a data directory.
///
/// Each owner has a file of its own under this name: it writes to the one that it created, so that a delayed write can't
/// overwrite another owner's name.
final class OwnerFile {
  private let files: DataDirectory
  private var descriptor: Int32 = -1
  private var path: String { files.ownerPath }

  init(_ files: DataDirectory) { self.files = files }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Returns the record under the name; `nil` if there is no file.
  static func read(_ path: String) throws -> OwnerRecord? {
    // Opens the file each time: only then do network file systems compare what they have cached.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      guard errno != ENOENT else { return nil }
      throw failure(path, "read", errno)
    }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: OwnerRecord.size)
    let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
    guard count >= 0 else { throw failure(path, "read", errno) }
    return OwnerRecord(Array(bytes[..<count]))
  }

  /// Creates the file; returns false if there is one.
  func create(_ record: OwnerRecord) throws -> Bool { try create(path, record) }

  /// Puts another file in the place of the one with a record; returns false if that is another one.
  func replace(_ former: OwnerRecord, with record: OwnerRecord) throws -> Bool {
    // Under a name of its own, because others may do the same.
    let new = "\(path).\(record.name)"
    guard try create(new, record) else { throw Self.failure(new, "created", EEXIST) }
    do {
      // At the end, because writing can take long.
      guard try Self.read(path) == former else {
        unlink(new)
        return false
      }
      guard rename(new, path) == 0 else {
        // Another owner has removed it as a leftover.
        guard errno != ENOENT else { return false }
        throw Self.failure(path, "replaced", errno)
      }
      return true
    } catch {
      unlink(new)
      throw error
    }
  }

  private func create(_ path: String, _ record: OwnerRecord) throws -> Bool {
    let created = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard created >= 0 else {
      guard errno != EEXIST else { return false }
      throw Self.failure(path, "created", errno)
    }
    if descriptor >= 0 { close(descriptor) }
    descriptor = created
    files.giveAway(created)
    do {
      try write(record)
    } catch {
      // An empty file would be taken for that of an unknown owner.
      unlink(path)
      throw error
    }
    return true
  }

  /// Writes the own record.
  func write(_ record: OwnerRecord) throws {
    let count = record.bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    // A write that is too short doesn't set `errno`.
    guard count == OwnerRecord.size else { throw Self.failure(path, "written", count < 0 ? errno : ENOSPC) }
    // Network file systems send what was written when a descriptor is closed. A sync would cost every server a write to
    // the disk each second.
    let copy = dup(descriptor)
    if copy >= 0 { close(copy) }
  }

  /// Deletes the file under the name.
  func delete() { unlink(path) }

  private static func failure(_ path: String, _ what: String, _ code: Int32) -> WarehouseError {
    let reason = String(cString: strerror(code))
    return WarehouseError(
      code == ENOSPC ? .full : .unavailable, "\(path) can't be \(what): \(reason).", cause: SystemFailure(code: code))
  }
}

/// A failed system call.
struct SystemFailure: Error, CustomStringConvertible {
  /// The value of `errno`.
  var code: Int32
  var description: String { "error \(code)" }
}
