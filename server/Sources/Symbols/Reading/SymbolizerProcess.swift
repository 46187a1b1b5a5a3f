import Foundation
import TernChildProcess

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Runs the sandboxed tools and reads their output, within limits of time and size.
struct SymbolizerProcess: Sendable {
  /// The reason why a tool has no result.
  enum Failure: Error, Hashable {
    /// It could not be started.
    case notStarted(String)
    /// It had not ended in time.
    case timedOut
    /// It ended with an error and wrote nothing, as another program may.
    case failedSilently
    /// It ended by a signal or with an error, or wrote too much.
    case failed
  }

  /// The exit codes of `tern` for a failure, and of the system for a program without one of its libraries, which
  /// `llvm-symbolizer` doesn't have.
  private static let startErrors: [Int32] = [2, 127]
  /// The most bytes of standard input: those that a pipe holds.
  static let maximumInputBytes = 64 << 10
  private static let maximumOutputBytes = 8 << 20

  /// The program that becomes a tool: this program.
  let launcher: String

  /// Runs a tool; blocks the thread until it has ended.
  ///
  /// - Parameters:
  ///   - arguments: Those of the launcher.
  ///   - input: Standard input; at most ``maximumInputBytes``.
  ///   - deadline: The time at which it is killed.
  func run(_ arguments: [String], input: [UInt8], until deadline: ContinuousClock.Instant) throws(Failure) -> [UInt8] {
    guard !Self.isOver(deadline) else { throw .timedOut }
    let (source, output) = (Pipe(), Pipe())
    do {
      // All of it before the start, so that neither process blocks on the other.
      _ = fcntl(source.fileHandleForWriting.fileDescriptor, F_SETFL, O_NONBLOCK)
      let written = input.withUnsafeBytes {
        write(source.fileHandleForWriting.fileDescriptor, $0.baseAddress, $0.count)
      }
      try source.fileHandleForWriting.close()
      guard written == input.count else { throw Failure.failed }
      let process = try ChildProcess(
        launcher, arguments, environment: ["SWIFT_BACKTRACE": "enable=no"], inheritsEnvironment: false,
        input: source.fileHandleForReading, output: output.fileHandleForWriting, error: nil)
      try output.fileHandleForWriting.close()
      let bytes = Self.read(output.fileHandleForReading.fileDescriptor, until: deadline)
      guard let bytes, !Self.isOver(deadline) else {
        process.kill()
        throw Self.isOver(deadline) ? Failure.timedOut : .failed
      }
      // Its output has ended, but the process may go on.
      while process.isRunning {
        guard !Self.isOver(deadline) else {
          process.kill()
          throw Failure.timedOut
        }
        usleep(1_000)
      }
      switch process.wait() {
      case .code(0): return bytes
      case .code(SandboxedTool.confinementExitCode):
        throw Failure.notStarted("The kernel doesn't let llvm-symbolizer be confined, by seccomp and Landlock.")
      case .code(let code) where Self.startErrors.contains(code):
        throw Failure.notStarted(
          "llvm-symbolizer can't be started, or the file was deleted. Load the page again; if that doesn't help, check the "
            + "setting symbolizer.")
      case .code where bytes.isEmpty: throw Failure.failedSilently
      default: throw Failure.failed
      }
    } catch let error as Failure {
      throw error
    } catch {
      throw .notStarted("\(error)")
    }
  }

  private static func isOver(_ deadline: ContinuousClock.Instant) -> Bool { .now >= deadline }

  /// Reads until the end; returns `nil` if that doesn't come in time, or after too many bytes.
  private static func read(_ descriptor: Int32, until deadline: ContinuousClock.Instant) -> [UInt8]? {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let left = ContinuousClock.now.duration(to: deadline).components
      guard left.seconds >= 0, left.seconds > 0 || left.attoseconds > 0 else { return nil }
      var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let ready = poll(&wait, 1, Int32(clamping: left.seconds * 1_000 + left.attoseconds / 1_000_000_000_000_000 + 1))
      guard ready > 0 else {
        if ready == 0 || errno == EINTR { continue }
        return nil
      }
      let count = buffer.withUnsafeMutableBytes {
        #if canImport(Glibc)
          Glibc.read(descriptor, $0.baseAddress, $0.count)
        #else
          Darwin.read(descriptor, $0.baseAddress, $0.count)
        #endif
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0, count <= maximumOutputBytes - bytes.count else { return nil }
      guard count > 0 else { return bytes }
      bytes += buffer[..<count]
    }
  }
}
