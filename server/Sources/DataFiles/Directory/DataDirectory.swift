import TernBase
import Warehouse

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The directory that holds everything a server stores: `catalog.sqlite`, `warehouse.sqlite`, `counts.sqlite`, the
/// folders `rows`, `keys`, `columns`, `symbols` and `work`, a lock file, and the name of its owner.
package struct DataDirectory: Sendable {
  package let path: String

  package init(path: String) { self.path = path }

  package var catalogPath: String { path + "/catalog.sqlite" }
  package var warehousePath: String { path + "/warehouse.sqlite" }
  package var countsPath: String { path + "/counts.sqlite" }
  package var rowsPath: String { path + "/rows" }
  package var keysPath: String { path + "/keys" }
  package var columnsPath: String { path + "/columns" }
  package var workPath: String { path + "/work" }
  package var symbolsPath: String { path + "/symbols" }

  /// Creates the directory and its parents if missing, with mode 0700. Their names survive a power failure.
  package func create() throws {
    var current = path.hasPrefix("/") ? "" : "."
    for part in path.split(separator: "/") {
      let parent = current
      current += "/\(part)"
      if mkdir(current, 0o700) == 0 {
        try syncFolder(parent.isEmpty ? "/" : parent)
      } else if errno != EEXIST {
        throw failure("The data directory \(path) can't be created: \(reason()). Choose another with --data.")
      } else if !exists(current) {
        // As sshfs says on a full disk.
        throw failure(
          "\(current) can't be created: its file system says that it exists, but doesn't have it. Is the disk full?")
      }
    }
    // An earlier process may have been killed between the two. A process that may not read the parent has not created this
    // directory.
    try? syncFolder(path.lastIndex(of: "/").map { String(path[...$0]) } ?? ".")
  }

  /// Creates a file with mode 0600 if missing. SQLite gives its WAL and journal files the mode of the main file.
  package func createFile(_ file: String) throws { try close(openFile(file)) }

  /// Opens a file, and creates it with mode 0600 if it is missing.
  private func openFile(_ file: String) throws -> Int32 {
    // Only what is created here is given away: the name could be a link to another file of root.
    let created = open(file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if created >= 0 {
      giveAway(created)
      return created
    }
    return try checked(open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600), file)
  }

  private func checked(_ descriptor: Int32, _ file: String) throws -> Int32 {
    guard descriptor < 0 else { return descriptor }
    let code = errno
    // A file that may only be read can still be one of another user.
    let obstacle = [EACCES, EPERM].contains(code) ? nil : obstacle(to: .create, code)
    throw obstacle
      ?? failure(
        "\(file) can't be opened: \(String(cString: strerror(code))). Check the permissions of the data directory.")
  }

  /// Gives a file that root has created to the owner of the directory: a command that root runs must not make a file that the
  /// server can't open.
  func giveAway(_ descriptor: Int32) {
    var status = stat()
    guard geteuid() == 0, stat(path, &status) == 0 else { return }
    _ = fchown(descriptor, status.st_uid, status.st_gid)
  }

  /// Makes the names of the files in a folder survive a power failure.
  package func syncFolder(_ folder: String) throws { try sync(folder) }

  /// Makes the contents and the names of the databases' write-ahead logs survive a power failure.
  ///
  /// A process may have been killed between a commit and its sync. The next process that opens the databases finds the
  /// commit and relies on it, but SQLite doesn't sync what it finds. Nor does it tell when the sync of a new log's name failed.
  package func syncLogs() throws {
    for database in [catalogPath, warehousePath, countsPath] where exists(database + "-wal") {
      try sync(database + "-wal")
    }
    try sync(path)
  }

  private func sync(_ file: String) throws {
    // No database: closing one would release the locks that SQLite has on it.
    let descriptor = open(file, O_RDONLY | O_CLOEXEC)
    defer { if descriptor >= 0 { close(descriptor) } }
    guard descriptor >= 0, fsync(descriptor) == 0 else { throw failure("\(file) can't be synced: \(reason()).") }
  }

  /// True if a file is certainly missing, or has no bytes.
  package func isEmpty(_ file: String) -> Bool {
    var status = stat()
    return stat(file, &status) == 0 ? status.st_size == 0 : Self.isMissing(file)
  }

  package func exists(_ file: String) -> Bool { !Self.isMissing(file) }

  /// True if there is certainly nothing under a name. A disk that doesn't answer may have it.
  package static func isMissing(_ path: String) -> Bool {
    access(path, F_OK) != 0 && [ENOENT, ENOTDIR].contains(errno)
  }

  func failure(_ message: String) -> WarehouseError { WarehouseError(.unavailable, message) }
  private func reason() -> String { String(cString: strerror(errno)) }

  /// Acquires the lock of the single process that may write events; `nil` if another process holds it.
  ///
  /// It locks the directory itself, which can't be removed while the events stay, unlike a file in it.
  package func lock(waitingFor patience: Duration = .zero) throws -> DirectoryLock? {
    let end = ContinuousClock.now + patience
    while true {
      if let lock = try lock(checked(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), path), path) { return lock }
      guard ContinuousClock.now < end else { return nil }
      usleep(20_000)
    }
  }

  /// Runs `body` while no other thread or process opens the catalog. Waits for at most ten seconds.
  package func whileOpeningCatalog<Value>(_ body: () throws -> Value) throws -> Value {
    for _ in 0..<1_000 {
      let file = path + "/catalog.lock"
      if let lock = try lock(openFile(file), file) {
        defer { lock.release() }
        return try body()
      }
      usleep(10_000)
    }
    throw failure("Another process has been opening \(catalogPath) for ten seconds. Stop that process and try again.")
  }

  /// Locks an open file, and closes it if another process has it locked.
  private func lock(_ descriptor: Int32, _ file: String) throws -> DirectoryLock? {
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let isHeld = errno == EWOULDBLOCK
      let reason = reason()
      close(descriptor)
      guard isHeld else { throw failure("\(file) can't be locked: \(reason).") }
      return nil
    }
    return DirectoryLock(descriptor: descriptor)
  }
}

/// A lock on the data directory or a file in it. It is released explicitly, on deallocation, or by the system when the
/// process exits.
package final class DirectoryLock: Sendable {
  private let descriptor: Locked<Int32?>

  fileprivate init(descriptor: Int32) { self.descriptor = Locked(descriptor) }

  deinit { release() }

  /// True if a path leads to what is locked.
  func isHeld(at path: String) -> Bool {
    descriptor.withLock { descriptor in
      var (held, found) = (stat(), stat())
      guard let descriptor, fstat(descriptor, &held) == 0, stat(path, &found) == 0 else { return false }
      return held.st_dev == found.st_dev && held.st_ino == found.st_ino
    }
  }

  package func release() {
    let open = descriptor.withLock { descriptor in
      defer { descriptor = nil }
      return descriptor
    }
    guard let open else { return }
    // A child process may have a copy of the descriptor until it executes its program, so closing is not enough.
    flock(open, LOCK_UN)
    close(open)
  }
}
