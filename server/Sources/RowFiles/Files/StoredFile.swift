import DataFiles
package import Warehouse

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Functions shared by the files next to the database.
package enum StoredFile {
  /// Returns the error of the system call that failed last.
  package static func failure(_ path: String) -> WarehouseError {
    let reason = String(cString: strerror(errno))
    return WarehouseError(errno == ENOSPC ? .full : .unavailable, "\(path) can't be written: \(reason).")
  }

  /// Returns the error of the system call that failed last, which tells nothing about the bytes of the file.
  package static func readFailure(_ path: String) -> WarehouseError {
    WarehouseError(.unavailable, "\(path) can't be read: \(String(cString: strerror(errno))).")
  }

  /// Creates a directory if it is missing; its name survives a power failure.
  package static func createDirectory(_ path: String) throws {
    guard mkdir(path, 0o700) == 0 else {
      // Some file systems claim that on a full disk, and don't have it.
      guard errno == EEXIST, access(path, F_OK) == 0 else { throw failure(path) }
      return
    }
    try sync(directory: path.lastIndex(of: "/").map { String(path[...$0]) } ?? ".")
  }

  /// Creates a file without content if it is missing.
  static func createEmpty(_ path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure(path) }
    close(descriptor)
  }

  package static func exists(_ path: String) -> Bool { !DataDirectory.isMissing(path) }

  /// Deletes a file, if it is there.
  package static func delete(_ path: String) throws {
    guard unlink(path) == 0 || errno == ENOENT else { throw failure(path) }
  }

  /// Deletes files of a directory, if they are there, so that none of them comes back after a power failure.
  package static func delete(_ names: [String], in directory: String) throws {
    guard !names.isEmpty else { return }
    for name in names { try delete("\(directory)/\(name)") }
    try sync(directory: directory)
  }

  /// Makes a new name in the directory survive a power failure.
  package static func sync(directory: String) throws { try sync(file: directory) }

  /// Makes the content of a file survive a power failure.
  package static func sync(file: String) throws {
    let descriptor = open(file, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(file) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw failure(file) }
  }

  /// Returns the names in a directory that end with one of the suffixes.
  package static func names(in path: String, endingWith suffixes: [String]) throws -> [String] {
    guard let directory = opendir(path) else { throw failure(path) }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if suffixes.contains(where: name.hasSuffix) { names.append(name) }
    }
    return names
  }

  /// Writes all bytes at a position.
  package static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, at position: Int, _ path: String)
    throws
  {
    var written = 0
    while written < bytes.count {
      let count = pwrite(
        descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written, off_t(position + written))
      guard count > 0 || errno == EINTR else { throw failure(path) }
      written += max(count, 0)
    }
  }
}
