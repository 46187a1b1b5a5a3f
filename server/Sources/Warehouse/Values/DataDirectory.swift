#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The directory that holds everything a server stores: `catalog.sqlite`, `warehouse.sqlite` and their lock files.
package struct DataDirectory: Sendable {
  package let path: String

  package init(path: String) { self.path = path }

  package var catalogPath: String { path + "/catalog.sqlite" }
  package var warehousePath: String { path + "/warehouse.sqlite" }

  /// Creates the directory (mode 0700) when it is missing, its parents included.
  package func create() throws {
    var current = path.hasPrefix("/") ? "" : "."
    for part in path.split(separator: "/") {
      current += "/\(part)"
      guard mkdir(current, 0o700) != 0, errno != EEXIST else { continue }
      throw failure("The data directory \(path) cannot be created: \(reason()). Choose another with --data.")
    }
  }

  /// Creates a file with mode 0600 when it is missing: SQLite gives its helper files the mode of the first one.
  package func createFile(_ file: String) throws {
    let descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw failure("\(file) cannot be opened: \(reason()). Check who owns the data directory.")
    }
    close(descriptor)
  }

  package func exists(_ file: String) -> Bool { access(file, F_OK) == 0 }

  private func failure(_ message: String) -> WarehouseError { WarehouseError(code: .unavailable, message: message) }
  private func reason() -> String { String(cString: strerror(errno)) }

  /// Takes the lock of the one process that may write events; `nil` when another has it.
  package func lock() throws -> DirectoryLock? { try lock(file: "lock") }

  /// Runs `body` while nobody else, here or in another process, opens the catalog.
  ///
  /// Waits up to ten seconds for whoever does.
  package func whileOpeningCatalog<Value>(_ body: () throws -> Value) throws -> Value {
    for _ in 0..<1_000 {
      if let lock = try lock(file: "catalog.lock") {
        defer { lock.release() }
        return try body()
      }
      usleep(10_000)
    }
    throw failure("Another process has been opening \(catalogPath) for ten seconds. Stop it, then try again.")
  }

  private func lock(file: String) throws -> DirectoryLock? {
    let descriptor = open(path + "/" + file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw failure("\(path)/\(file) cannot be opened: \(reason()). Check who owns the data directory.")
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      return nil
    }
    return DirectoryLock(descriptor: descriptor)
  }
}

/// A lock on a file of the data directory; given back when released or deallocated, and by the system when the process ends.
package final class DirectoryLock: Sendable {
  private let descriptor: Locked<Int32?>

  fileprivate init(descriptor: Int32) { self.descriptor = Locked(descriptor) }

  deinit { release() }

  package func release() {
    let open = descriptor.withLock { descriptor in
      defer { descriptor = nil }
      return descriptor
    }
    if let open { close(open) }
  }
}
