package import Warehouse

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The reasons for which a database can't be used that are those of its disk. SQLite calls most of them "disk I/O error".
extension DataDirectory {
  /// The operations that a database needs of its disk.
  package enum FileStep: Sendable {
    case create, write, map
  }

  /// The free bytes below which a disk is full for a database, whose files grow by tens of kilobytes.
  private static let leastSpace: UInt64 = 1 << 20

  /// Tries what a database does, and returns what keeps the disk from it; `nil` if nothing does.
  package func obstacle(cause: (any Error)? = nil) -> WarehouseError? {
    var error = failedStep().flatMap { obstacle(to: $0.step, $0.code) }
    error?.cause = cause
    return error
  }

  /// True for the codes of a disk or a mount that is gone, although its name is still there.
  static func isSilent(_ code: Int32) -> Bool { [EIO, ENOTCONN, ESTALE].contains(code) }

  /// The error if the disk doesn't answer at all, so that what can't be read there isn't damaged; `nil` if it answers.
  package var silence: WarehouseError? {
    failedStep().flatMap { Self.isSilent($0.code) ? obstacle(to: $0.step, $0.code) : nil }
  }

  /// Returns what it means that a step failed with a code of `errno`; `nil` for codes that tell nothing about the disk.
  package func obstacle(to step: FileStep, _ code: Int32) -> WarehouseError? {
    let reason = String(cString: strerror(code))
    switch (step, code) {
    case (_, ENOSPC):
      return WarehouseError(
        .full, "The disk of \(path) is full. Free some space. Clients keep their events and will resend them.")
    case (_, EDQUOT):
      return WarehouseError(
        .full, "The quota on the disk of \(path) is used up. Raise it, or free some space. Clients keep their events.")
    case (_, EROFS):
      return failure(
        "The disk of \(path) can only be read. Mount it for writing, or copy the directory to another disk and use that."
      )
    case _ where Self.isSilent(code):
      return failure(
        """
        The disk of \(path) doesn't answer (\(reason)). What was confirmed is stored there: bring the disk back, then start Tern \
        again.
        """)
    // A lack of memory is no failure of the disk.
    case (_, ENOMEM), (_, EAGAIN): return nil
    case (.map, _):
      return failure(
        """
        The file system of \(path) can't share memory between processes (mmap: \(reason)), which SQLite needs. Mount it with other \
        options (mergerfs: cache.files=auto-full; sshfs and others through FUSE: without direct_io; rclone: --vfs-cache-mode \
        full), or choose a directory on another disk with --data.
        """)
    case (_, EACCES), (_, EPERM):
      return failure("\(path) can't be written: \(reason). Check the permissions of the data directory.")
    default: return nil
    }
  }

  private func failedStep() -> (step: FileStep, code: Int32)? { Self.cause(of: failedOperation(), isFull: isFull) }

  /// Returns the step that failed, and why: on a full disk, sshfs answers with an I/O error, and a small file may still have room.
  static func cause(of failure: (step: FileStep, code: Int32)?, isFull: Bool) -> (step: FileStep, code: Int32)? {
    isFull && (failure == nil || failure?.code == EIO) ? (.write, ENOSPC) : failure
  }

  private var isFull: Bool {
    var status = statvfs()
    // File systems without a size have no blocks at all.
    guard statvfs(path, &status) == 0, status.f_blocks > 0 else { return false }
    let free = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
    return free.partialValue < Self.leastSpace && !free.overflow
  }

  private func failedOperation() -> (step: FileStep, code: Int32)? {
    var name = Array("\(path)/probe.XXXXXX".utf8CString)
    let descriptor = mkstemp(&name)
    guard descriptor >= 0 else { return (.create, errno) }
    defer {
      close(descriptor)
      unlink(name)
    }
    let page = [UInt8](repeating: 1, count: 4_096)
    let count = pwrite(descriptor, page, page.count, 0)
    // A write that is too short doesn't set `errno`.
    guard count < 0 || count == page.count else { return (.write, ENOSPC) }
    guard count >= 0, fsync(descriptor) == 0 else { return (.write, errno) }
    guard let memory = mmap(nil, page.count, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), memory != MAP_FAILED
    else {
      return (.map, errno)
    }
    munmap(memory, page.count)
    return nil
  }
}
