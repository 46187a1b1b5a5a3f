import CTernCrash
import TernBase
package import TernEvents

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The main thread of this process.
package struct MainThread: Sendable {
  /// The number by which the system knows it.
  let number: Int32

  /// The main thread if it is the calling one, or else `nil`.
  package static var current: MainThread? {
    let number = tern_crash_main_thread()
    return number == 0 ? nil : MainThread(number: number)
  }
}

/// The report of a hang that lasts. Its file is removed with this object, but stays for the next launch if the process
/// ends before.
package final class HangReport: Sendable {
  private let directory: CrashDirectory
  private let id: UniqueID
  /// Keeps the file locked, so that other processes leave it alone.
  private let descriptor: Int32
  private let isKept = Locked(false)

  /// Writes the report; returns `nil` if the directory can't be written, no crashes are caught, or the thread doesn't
  /// answer the signal that stops it.
  fileprivate init?(of thread: MainThread, id: UniqueID, in directory: CrashDirectory) {
    descriptor = directory.create(.hang, id)
    self.id = id
    self.directory = directory
    guard descriptor >= 0, tern_crash_write_hang(descriptor, id.description, thread.number) == 0 else { return nil }
  }

  /// The content.
  package var content: CaughtCrash? { directory.content(of: descriptor).flatMap { CaughtCrash(bytes: $0) } }

  /// Keeps the file for the next launch.
  package func keep() { isKept.withLock { $0 = true } }

  deinit {
    if !isKept.withLock({ $0 }) { directory.remove([id]) }
    close(descriptor)
  }
}

extension CrashCatcher {
  /// Writes a report of the main thread's calls.
  package func reportHang(of thread: MainThread, id: UniqueID) -> HangReport? {
    whileRunning { HangReport(of: thread, id: id, in: directory) }
  }
}
