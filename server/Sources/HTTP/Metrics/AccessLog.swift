import Dispatch
import TernBase

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A log of requests, one line of JSON each. Requests never wait for it: if its reader or its disk is too slow, lines are
/// dropped and counted.
package final class AccessLog: Sendable {
  private static let maximumBufferedBytes = 4 << 20

  private struct State {
    var buffer: [UInt8] = []
    var isWriting = false
    var dropped = 0
  }

  /// True if lines name the client's share of addresses.
  package let showsAddresses: Bool
  private let descriptor: Int32
  private let state = Locked(State())
  private let queue = DispatchQueue(label: "tern.access-log")

  /// Opens a log, appending to an existing file, so that a program which copies and truncates it can rotate it.
  ///
  /// Throws ``CollectorError`` if the file can't be written.
  ///
  /// - Parameter path: The file, which only its owner can read if it is new; `-` for standard output.
  package init(path: String, showsAddresses: Bool) throws {
    self.showsAddresses = showsAddresses
    descriptor =
      path == "-" ? dup(STDOUT_FILENO) : open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      let reason = String(cString: strerror(errno))
      throw CollectorError(.cannotStart, "The access log \(path) can't be opened: \(reason).")
    }
  }

  deinit { close(descriptor) }

  /// The number of lines that could not be written.
  package var droppedLines: Int { state.withLock(\.dropped) }

  /// Appends a line, or counts it as dropped.
  package func append(_ line: String) {
    let mustStart = state.withLock { state in
      guard state.buffer.count + line.utf8.count < Self.maximumBufferedBytes else {
        state.dropped += 1
        return false
      }
      state.buffer.append(contentsOf: line.utf8)
      state.buffer.append(UInt8(ascii: "\n"))
      defer { state.isWriting = true }
      return !state.isWriting
    }
    if mustStart { queue.async { self.writeBuffer() } }
  }

  /// Writes all lines so far. Blocks meanwhile.
  package func flush() { queue.sync {} }

  private func writeBuffer() {
    while true {
      let bytes = state.withLock { state in
        defer { state.buffer.removeAll() }
        if state.buffer.isEmpty { state.isWriting = false }
        return state.buffer
      }
      guard !bytes.isEmpty else { return }
      guard !write(bytes) else { continue }
      let lines = bytes.count { $0 == UInt8(ascii: "\n") }
      state.withLock { $0.dropped += lines }
    }
  }

  private func write(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { buffer in
        #if canImport(Darwin)
          Darwin.write(descriptor, buffer.baseAddress, buffer.count)
        #elseif canImport(Glibc)
          Glibc.write(descriptor, buffer.baseAddress, buffer.count)
        #elseif canImport(Musl)
          Musl.write(descriptor, buffer.baseAddress, buffer.count)
        #endif
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
