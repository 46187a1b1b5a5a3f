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
  static let maximumReports = 32
  private static let seenSuffix = ".crash-seen"

  /// A kind of report, each with its own suffix.
  package enum Kind: String, Sendable {
    case crash = ".crash"
    case hang = ".hang"
    case diagnostic = ".diagnostic"
    case launch = ".launch"
  }

  /// Creates a value for the queue of a client in a directory.
  package init(inQueue directory: String) { path = "\(directory)/crashes" }

  func file(_ id: UniqueID, _ kind: Kind = .crash) -> String { "\(path)/\(id)\(kind.rawValue)" }

  /// Creates the directory; its parent must exist.
  package func create() { mkdir(path, 0o700) }

  /// Creates a file and locks it; returns its descriptor, or -1.
  func create(_ kind: Kind, _ id: UniqueID) -> Int32 {
    let descriptor = open(file(id, kind), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_APPEND, 0o600)
    if descriptor >= 0 { _ = lock(descriptor) }
    return descriptor
  }

  /// Returns the reports of processes that have ended, oldest first, and removes what is none.
  ///
  /// - Parameters:
  ///   - kind: The kind of reports.
  ///   - current: The report that this process would write.
  package func reports(_ kind: Kind = .crash, besides current: UniqueID?) -> [Report] {
    var reports: [Report] = []
    for (id, name) in names(kind).sorted(by: { $0.id < $1.id }) where id != current {
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
      // First: without the report, it would be the file of a termination.
      removeLaunch(id)
      unlink(file(id))
      unlink(file(id, .hang))
      unlink(file(id, .diagnostic))
      unlink("\(path)/\(id)\(Self.seenSuffix)")
    }
  }

  /// Keeps the bytes of a report by the system until it is removed.
  package func keep(_ bytes: [UInt8], id: UniqueID) {
    create()
    let descriptor = create(.diagnostic, id)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      // On a full disk. A part of a report is none.
      guard count > 0 else { return _ = unlink(file(id, .diagnostic)) }
      rest = rest.dropFirst(count)
    }
  }

  /// Returns the decoded reports by the system, oldest first, and removes those that `decode` returns `nil` for.
  package func diagnostics<Diagnostic>(_ decode: ([UInt8]) -> Diagnostic?) -> [Diagnostic] {
    var found: [(id: UniqueID, diagnostic: Diagnostic)] = []
    for (id, name) in names(.diagnostic).sorted(by: { $0.id < $1.id }) {
      guard case .bytes(let bytes) = read(name) else { continue }
      if let diagnostic = decode(bytes) { found.append((id, diagnostic)) } else { unlink("\(path)/\(name)") }
    }
    remove(found.dropLast(Self.maximumReports).map(\.id))
    return found.suffix(Self.maximumReports).map(\.diagnostic)
  }

  private var memoryWarning: String { "\(path)/memory-warning" }

  /// Notes that the system has warned this process of low memory.
  package func noteMemoryWarning() {
    create()
    let descriptor = open(memoryWarning, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    if descriptor >= 0 { close(descriptor) }
  }

  /// Returns true, once, after a warning.
  package func takeMemoryWarning() -> Bool { unlink(memoryWarning) == 0 }

  /// Marks reports, so that a later launch knows that they are not of the launch before it.
  package func markSeen(_ ids: [UniqueID]) {
    for id in ids { _ = rename(file(id), "\(path)/\(id)\(Self.seenSuffix)") }
  }

  /// The files that are named like reports.
  func names(_ kind: Kind) -> [(id: UniqueID, name: String)] {
    guard let directory = opendir(path) else { return [] }
    defer { closedir(directory) }
    var names: [(id: UniqueID, name: String)] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: pointer.pointee)) {
          String(cString: $0)
        }
      }
      for suffix in kind == .crash ? [kind.rawValue, Self.seenSuffix] : [kind.rawValue] where name.hasSuffix(suffix) {
        if let id = UniqueID(name.dropLast(suffix.count)) { names.append((id, name)) }
      }
    }
    return names
  }

  enum Content {
    case isInUse
    case bytes([UInt8])
  }

  /// Reads a file unless its process runs. Removes an empty one while it is locked, so that a process that is creating
  /// it notices (`prepare_file` in handler.c).
  func read(_ name: String) -> Content {
    let file = "\(path)/\(name)"
    let descriptor = open(file, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return .isInUse }
    defer { close(descriptor) }
    guard lock(descriptor), let bytes = content(of: descriptor) else { return .isInUse }
    if bytes.isEmpty { unlink(file) }
    return .bytes(bytes)
  }

  /// Locks a file for this process unless another one has done so.
  func lock(_ descriptor: Int32) -> Bool {
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    return fcntl(descriptor, F_SETLK, &lock) == 0
  }

  /// Reads a whole file; returns `nil` if it is unreadable now, which says nothing about its content.
  func content(of descriptor: Int32) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: CaughtCrash.maximumBytes)
    var count = 0
    while count < bytes.count {
      let part = bytes.withUnsafeMutableBytes { buffer in
        pread(descriptor, buffer.baseAddress! + count, buffer.count - count, off_t(count))
      }
      if part < 0, errno == EINTR { continue }
      if part < 0 { return nil }
      if part == 0 { break }
      count += part
    }
    return Array(bytes.prefix(count))
  }
}
