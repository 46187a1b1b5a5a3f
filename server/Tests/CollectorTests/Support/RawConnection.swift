import Foundation
import TernBase

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A connection that sends and receives raw bytes.
///
/// Uses blocking calls on separate threads, so that a test sees the kernel's behaviour without a client library in
/// between.
final class RawConnection: Sendable {
  struct Failure: Error { let errno: Int32 }

  private let descriptor: Int32
  private let received = Locked<[UInt8]>([])

  private init(descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Opens a connection to this machine while `body` runs.
  static func open<Value>(to port: Int, _ body: (RawConnection) async throws -> Value) async throws -> Value {
    let connection = try await blocking { RawConnection(descriptor: try connected(to: port)) }
    defer { shutdown(connection.descriptor, Int32(SHUT_RDWR)) }
    return try await body(connection)
  }

  /// Sends text; throws if the other side has closed.
  func send(_ text: String) async throws { try await send(Array(text.utf8)) }

  /// Sends bytes; throws if the other side has closed.
  func send(_ bytes: [UInt8]) async throws {
    try await Self.blocking { [descriptor] in
      var rest = bytes[...]
      while !rest.isEmpty {
        let sent = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        guard sent > 0 else { throw Failure(errno: errno) }
        rest = rest.dropFirst(sent)
      }
    }
  }

  /// Closes the sending side; responses can still be received.
  func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Receives until the text contains `mark` or the other side closes; returns everything received.
  func receive(until mark: String) async throws -> String {
    try await receive { $0.contains(mark) }
  }

  /// Receives until the other side closes.
  func receiveToEnd() async throws -> String {
    try await receive { _ in false }
  }

  /// Receives until the text is enough or the other side closes; returns everything received.
  func receive(_ isEnough: @escaping @Sendable (String) -> Bool) async throws -> String {
    try await Self.blocking { [self] in
      var text = received.withLock { String(decoding: $0, as: UTF8.self) }
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while !isEnough(text) {
        // A reset ends the connection like a close: the bytes before it count.
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { break }
        text = received.withLock { received in
          received += buffer[..<count]
          return String(decoding: received, as: UTF8.self)
        }
      }
      return text
    }
  }

  private static func connected(to port: Int) throws -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw Failure(errno: errno) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else {
      defer { close(descriptor) }
      throw Failure(errno: errno)
    }
    return descriptor
  }

  private static func blocking<Value: Sendable>(
    _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      // Not on the system's queues: these calls would block their few threads, which Swift's tasks share.
      Thread.detachNewThread { continuation.resume(with: Result { try work() }) }
    }
  }
}
