import Foundation
import Testing

@testable import CrashHelper

/// A running `CrashHelper`, and what it said so far.
///
/// Spawned by hand: Foundation's `Process` watches its children with threads and run loops of its own, which a test
/// that kills dozens of them does not need.
final class HelperProcess {
  private let pid: pid_t
  private let output: Int32
  private var input: Int32
  private var isReaped = false
  private var partial: [UInt8] = []

  init(_ options: Options) throws {
    let program = try #require(Self.program, "the executable CrashHelper is built beside the tests")
    Self.spawning.lock()
    defer { Self.spawning.unlock() }
    let (outputRead, outputWrite) = try Self.pipe()
    let (inputRead, inputWrite) = try Self.pipe()
    defer {
      close(outputWrite)
      close(inputRead)
    }
    #if os(Linux)
      // A helper that is far ahead of its reader only makes the test long.
      let setPipeSize: Int32 = 1031  // F_SETPIPE_SZ, which the module leaves out.
      _ = fcntl(outputWrite, setPipeSize, 4096)
      var actions = posix_spawn_file_actions_t()
    #else
      var actions: posix_spawn_file_actions_t?
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, inputRead, 0)
    posix_spawn_file_actions_adddup2(&actions, outputWrite, 1)
    var arguments: [UnsafeMutablePointer<CChar>?] = ([program] + options.arguments).map { strdup($0) }
    arguments.append(nil)
    defer { for argument in arguments { free(argument) } }
    var pid: pid_t = 0
    let code = posix_spawn(&pid, program, &actions, nil, arguments, environ)
    try #require(code == 0, "posix_spawn: \(code)")
    self.pid = pid
    output = outputRead
    input = inputWrite
  }

  deinit {
    kill()
    close(output)
    if input >= 0 { close(input) }
  }

  /// The next messages, waiting for at least one; empty once the process is gone and everything has been read.
  func messages() -> [Message] {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = systemRead(output, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      if count <= 0 { return [] }
      partial += buffer[..<count]
      let whole = partial.count / Message.size * Message.size
      if whole == 0 { continue }
      defer { partial.removeFirst(whole) }
      return partial[..<whole].withUnsafeBytes { bytes in
        stride(from: 0, to: whole, by: Message.size).compactMap {
          Message(encoded: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0, as: UInt64.self)))
        }
      }
    }
  }

  /// Reads until `isEnough` says so of all messages, or the process is gone.
  func read(until isEnough: ([Message]) -> Bool) -> [Message] {
    var all: [Message] = []
    while !isEnough(all) {
      let next = messages()
      if next.isEmpty { break }
      all += next
    }
    return all
  }

  /// Kills the process, if it lives, and returns what it had still said.
  @discardableResult
  func kill() -> [Message] {
    if isReaped { return [] }
    _ = systemKill(pid, SIGKILL)
    return reap()
  }

  /// Lets a finished process go by closing its standard input.
  func finish() -> [Message] {
    close(input)
    input = -1
    return reap()
  }

  private func reap() -> [Message] {
    let rest = read { _ in false }
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    isReaped = true
    return rest
  }

  /// A pipe that no other child inherits: its end would come only when that child is gone, too.
  private static func pipe() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    let code = systemPipe(&ends)
    try #require(code == 0, "pipe: errno \(errno)")
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  /// Held while a child is made: until it runs its own program it has a copy of every open file, so a pipe would not
  /// end, and a lock that a test frees would not be free. Whoever opens again what was just closed takes it, too.
  static let spawning = NSLock()

  private static let program: String? = {
    #if os(Linux)
      let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    #else
      let tests = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundlePath ?? ""
    #endif
    let program = URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent("CrashHelper").path
    return FileManager.default.isExecutableFile(atPath: program) ? program : nil
  }()
}

private func systemKill(_ pid: pid_t, _ signal: Int32) -> Int32 { kill(pid, signal) }
private func systemRead(_ file: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int {
  read(file, buffer, count)
}
private func systemPipe(_ ends: inout [Int32]) -> Int32 { pipe(&ends) }
