import Foundation
import TernBase
import TernChildProcess
import TernEvents

/// A running `TernProbe`, which is built next to the test program.
final class ProbeProcess: Sendable {
  private struct State {
    var lines: [String] = []
    var rest: [UInt8] = []
    var hasEnded = false
    var waiters: [(isWanted: @Sendable (String) -> Bool, continuation: CheckedContinuation<String?, Never>)] = []
  }

  private let state = Locked(State())
  private let process: ChildProcess
  private let input: FileHandle

  var identifier: Int32 { process.identifier }

  /// - Parameters:
  ///   - prefix: A command, with its arguments, that runs the probe; none by default.
  init(_ arguments: [String], by prefix: [String] = []) throws {
    let output = Pipe()
    let commands = Pipe()
    let command = prefix + [Self.path] + arguments
    process = try ChildProcess(
      command[0], Array(command.dropFirst()), input: commands.fileHandleForReading, output: output.fileHandleForWriting)
    try commands.fileHandleForReading.close()
    try output.fileHandleForWriting.close()
    input = commands.fileHandleForWriting
    let reader = output.fileHandleForReading
    Thread.detachNewThread { [weak self] in
      while case let data = reader.availableData, !data.isEmpty { self?.receive(Array(data)) }
      self?.end()
    }
  }

  deinit {
    process.send(SIGKILL)
    try? input.close()
  }

  /// The path next to the test program, where the package manager builds both.
  private static var path: String {
    let directory = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
      .deletingLastPathComponent()
    return (directory ?? URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent())
      .appendingPathComponent("TernProbe").path
  }

  /// The lines received so far.
  var lines: [String] { state.withLock { $0.lines } }

  func say(_ line: String) { input.write(Data((line + "\n").utf8)) }

  /// Closes the standard input of the process, which ends it.
  func hangUp() { try? input.close() }

  /// Waits for a line with this prefix and returns the rest of it; `nil` if the process ends without one.
  @discardableResult
  func line(_ beginning: String) async -> String? {
    let line = await withCheckedContinuation { continuation in
      let known = state.withLock { state -> String?? in
        if let line = state.lines.first(where: { $0.hasPrefix(beginning) }) { return .some(line) }
        if state.hasEnded { return .some(nil) }
        state.waiters.append(({ $0.hasPrefix(beginning) }, continuation))
        return nil
      }
      if let known { continuation.resume(returning: known) }
    }
    return line.map { String($0.dropFirst(beginning.count)).trimmingCharacters(in: .whitespaces) }
  }

  /// Sends a line and waits for an answer with this prefix; discards earlier answers with the same prefix.
  @discardableResult
  func say(_ line: String, andHear beginning: String) async -> String? {
    state.withLock { $0.lines.removeAll { $0.hasPrefix(beginning) } }
    say(line)
    return await self.line(beginning)
  }

  /// Waits until the process has ended.
  func ended() async -> ChildProcess.Exit { await process.ended() }

  private func receive(_ bytes: [UInt8]) {
    let ready = state.withLock { state -> [() -> Void] in
      var ready: [() -> Void] = []
      state.rest += bytes
      while let end = state.rest.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: state.rest[..<end], as: UTF8.self)
        state.rest.removeFirst(end + 1)
        state.lines.append(line)
        for waiter in state.waiters where waiter.isWanted(line) {
          ready.append { waiter.continuation.resume(returning: line) }
        }
        state.waiters.removeAll { $0.isWanted(line) }
      }
      return ready
    }
    for resume in ready { resume() }
  }

  private func end() {
    let waiters = state.withLock { state in
      state.hasEnded = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.continuation.resume(returning: nil) }
  }
}
