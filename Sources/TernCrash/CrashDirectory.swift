package import TernEvents

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The directory of the files that handlers write: one for each running process, and one for each crash.
///
/// A file is named after its report. The processes of an app share the directory: a file whose process still runs has a
/// write lock.
package struct CrashDirectory: Sendable {
  package let path: String

  /// A report of an earlier process.
  package struct Report: Sendable, Hashable {
    package var crash: CaughtCrash
    /// True if an earlier launch has read the report and kept it.
    package var isSeen: Bool
  }

  /// Further reports are removed, the oldest first: an app that crashes at every start must not fill the disk.
  private static let maximumReports = 32
  private static let suffix = ".crash"
  private static let seenSuffix = ".crash-seen"

  /// Creates a value for the queue of a client in a directory.
  package init(inQueue directory: String) { path = "\(directory)/crashes" }

  func file(_ id: UniqueID) -> String { "\(path)/\(id)\(Self.suffix)" }

  /// Creates the directory; its parent must exist.
  func create() { mkdir(path, 0o700) }

  /// Returns the reports of processes that have ended, oldest first, and removes what is none.
  ///
  /// - Parameter current: The report that this process would write.
  package func reports(besides current: UniqueID?) -> [Report] {
    var reports: [Report] = []
    for (id, name) in names.sorted(by: { $0.id < $1.id }) where id != current {
      switch read(name) {
      case .isInUse: break
      case .bytes(let bytes):
        if let crash = CaughtCrash(bytes: bytes), crash.id == id {
          reports.append(Report(crash: crash, isSeen: name.hasSuffix(Self.seenSuffix)))
        } else {
          unlink("\(path)/\(name)")
        }
      }
    }
    for report in reports.dropLast(Self.maximumReports) { remove([report.crash.id]) }
    return reports.suffix(Self.maximumReports)
  }

  /// Removes reports that are recorded or unwanted.
  package func remove(_ ids: [UniqueID]) {
    for id in ids {
      unlink(file(id))
      unlink("\(path)/\(id)\(Self.seenSuffix)")
    }
  }

  /// Marks reports, so that a later launch knows that they are not of the launch before it.
  package func markSeen(_ ids: [UniqueID]) {
    for id in ids { _ = rename(file(id), "\(path)/\(id)\(Self.seenSuffix)") }
  }

  /// The files that are named like reports.
  private var names: [(id: UniqueID, name: String)] {
    guard let directory = opendir(path) else { return [] }
    defer { closedir(directory) }
    var names: [(id: UniqueID, name: String)] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: pointer.pointee)) {
          String(cString: $0)
        }
      }
      for suffix in [Self.suffix, Self.seenSuffix] where name.hasSuffix(suffix) {
        if let id = UniqueID(name.dropLast(suffix.count)) { names.append((id, name)) }
      }
    }
    return names
  }

  private enum Content {
    case isInUse
    case bytes([UInt8])
  }

  /// Reads a file unless its process runs. Removes an empty one while it is locked, so that a process that is creating
  /// it notices (`prepare_file` in handler.c).
  private func read(_ name: String) -> Content {
    let file = "\(path)/\(name)"
    let descriptor = open(file, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return .isInUse }
    defer { close(descriptor) }
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    guard fcntl(descriptor, F_SETLK, &lock) == 0 else { return .isInUse }
    var bytes = [UInt8](repeating: 0, count: CaughtCrash.maximumBytes)
    var count = 0
    while count < bytes.count {
      let part = bytes.withUnsafeMutableBytes { buffer in
        pread(descriptor, buffer.baseAddress! + count, buffer.count - count, off_t(count))
      }
      if part < 0, errno == EINTR { continue }
      // Unreadable now, which says nothing about its content.
      if part < 0 { return .isInUse }
      if part == 0 { break }
      count += part
    }
    if count == 0 { unlink(file) }
    return .bytes(Array(bytes.prefix(count)))
  }
}
