import TernBase
package import TernEvents

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A file that stays if the process ends without a word, with the time at which it ran last: a line with the time, and then
/// any content. It is locked while the process runs, and removed when it ends on its own accord.
package final class LaunchFile: Sendable {
  private static let timeDigits = 19
  /// The file to remove when the process exits; at most one, as of crash reports.
  private static let current = Locked<LaunchFile?>(nil)
  private static let removesAtExit: Bool = atexit { LaunchFile.current.withLock { $0 }?.remove() } == 0

  private let path: String
  private let process = getpid()
  /// -1 after the end.
  private let descriptor: Locked<Int32>

  /// Creates the file; returns `nil` if the directory can't be written.
  package init?(in directory: CrashDirectory, id: UniqueID, at time: Timestamp, _ content: [UInt8]) {
    path = directory.file(id, .launch)
    // Under another name, so that another process finds it complete and locked, or not at all.
    let unfinished = path + "-new"
    let file = open(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    descriptor = Locked(file)
    guard file >= 0 else { return nil }
    guard directory.lock(file), Self.replace(Self.line(time) + content, in: file), rename(unfinished, path) == 0,
      Self.removesAtExit
    else {
      unlink(unfinished)
      unlink(path)
      close(file)
      return nil
    }
    Self.current.withLock { $0 = self }
  }

  /// Replaces time and content.
  package func write(_ content: [UInt8], at time: Timestamp) {
    descriptor.withLock { if $0 >= 0 { _ = Self.replace(Self.line(time) + content, in: $0) } }
  }

  /// Replaces the time.
  package func touch(at time: Timestamp) {
    descriptor.withLock { file in
      if file >= 0 { _ = Self.line(time).withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, 0) } }
    }
  }

  /// Removes the file, because the process ends on its own accord. Does nothing in a child of the process.
  package func remove() {
    guard getpid() == process else { return }
    descriptor.withLock { file in
      guard file >= 0 else { return }
      unlink(path)
      close(file)
      file = -1
    }
    Self.current.withLock { if $0 === self { $0 = nil } }
  }

  private static func line(_ time: Timestamp) -> [UInt8] {
    let digits = String(max(time.millisecondsSince1970, 0))
    return Array((String(repeating: "0", count: max(timeDigits - digits.count, 0)) + digits + "\n").utf8)
  }

  /// Replaces the bytes of a file; returns true if that was complete.
  private static func replace(_ bytes: [UInt8], in file: Int32) -> Bool {
    let count = bytes.withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, 0) }
    return ftruncate(file, off_t(bytes.count)) == 0 && count == bytes.count
  }
}

extension CrashDirectory {
  /// A launch that ended without removing its file.
  package struct EndedLaunch: Sendable, Hashable {
    package var id: UniqueID
    /// The last time at which it is known to have run.
    package var time: Timestamp
    package var content: [UInt8]
  }

  /// Returns the launches whose processes have ended, oldest first, and removes damaged files.
  ///
  /// - Parameter current: The identifier of this launch.
  package func endedLaunches(besides current: UniqueID?) -> [EndedLaunch] {
    var launches: [EndedLaunch] = []
    for (id, name) in names(.launch).sorted(by: { $0.id < $1.id }) where id != current {
      guard case .bytes(let bytes) = read(name) else { continue }
      guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")),
        let time = Int64(String(decoding: bytes[..<end], as: UTF8.self))
      else {
        removeLaunch(id)
        continue
      }
      let content = Array(bytes[(end + 1)...])
      launches.append(EndedLaunch(id: id, time: Timestamp(millisecondsSince1970: time), content: content))
    }
    for launch in launches.dropLast(Self.maximumReports) { removeLaunch(launch.id) }
    return launches.suffix(Self.maximumReports)
  }

  /// Removes the file of a launch that is recorded or doesn't count.
  package func removeLaunch(_ id: UniqueID) { unlink(file(id, .launch)) }
}
