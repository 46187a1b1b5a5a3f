import Foundation
import TernChildProcess
import Testing

@testable import CrashHelper

/// A running `CrashHelper` and its messages so far.
final class HelperProcess {
  private let process: ChildProcess
  private let output = Pipe()
  private let input = Pipe()
  private var partial: [UInt8] = []

  init(_ options: Options) throws {
    let program = try #require(Self.program, "the executable CrashHelper is built next to the tests")
    #if os(Linux)
      // A helper that is far ahead of its reader only prolongs the test.
      let setPipeSize: Int32 = 1031  // F_SETPIPE_SZ, missing in the module.
      _ = fcntl(output.fileHandleForWriting.fileDescriptor, setPipeSize, 4096)
    #endif
    process = try ChildProcess(
      program, options.arguments, input: input.fileHandleForReading, output: output.fileHandleForWriting)
    try output.fileHandleForWriting.close()
    try input.fileHandleForReading.close()
  }

  /// Waits for at least one message and returns all that are there; empty once the process is gone and all is read.
  func messages() -> [Message] {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = systemRead(output.fileHandleForReading.fileDescriptor, &buffer, buffer.count)
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

  /// Reads until `isEnough` accepts the messages or the process is gone.
  func read(until isEnough: ([Message]) -> Bool) -> [Message] {
    var all: [Message] = []
    while !isEnough(all) {
      let next = messages()
      if next.isEmpty { break }
      all += next
    }
    return all
  }

  /// Kills the process if it is alive, and returns its last messages.
  @discardableResult
  func kill() -> [Message] {
    process.send(SIGKILL)
    return rest()
  }

  /// Closes the standard input of a finished process, which then exits.
  func finish() throws -> [Message] {
    try input.fileHandleForWriting.close()
    return rest()
  }

  private func rest() -> [Message] {
    let rest = read { _ in false }
    process.wait()
    return rest
  }

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

private func systemRead(_ file: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int {
  read(file, buffer, count)
}
