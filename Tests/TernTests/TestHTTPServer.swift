import Foundation
import TernBase
import TernEvents

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A server on a free local port that answers each connection with the same bytes.
final class TestHTTPServer: Sendable {
  let port: UInt16
  private let descriptor: Int32
  private let requestsSeen = Locked<[String]>([])

  /// The heads and bodies of all requests so far.
  var requests: [String] { requestsSeen.withLock { $0 } }

  /// The bytes repeated after the answer until the other side closes.
  enum Trail { case nothing, drip, flood }

  /// - Parameters:
  ///   - answer: The bytes to send; `nil` closes the connection without an answer.
  ///   - trail: The bytes to repeat after it.
  init(answer: String?, then trail: Trail = .nothing) throws {
    #if canImport(Darwin)
      let stream = SOCK_STREAM
    #else
      let stream = Int32(SOCK_STREAM.rawValue)
    #endif
    descriptor = socket(AF_INET, stream, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = descriptor
    let isReady = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && listen(descriptor, 8) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    guard isReady else { throw POSIXError(.EADDRNOTAVAIL) }
    port = UInt16(bigEndian: address.sin_port)
    let seen = requestsSeen
    Thread.detachNewThread {
      while true {
        let connection = accept(descriptor, nil, nil)
        if connection < 0 {
          // Closed only here: if it were closed elsewhere, its number could be another server's socket by the next
          // accept.
          close(descriptor)
          return
        }
        let request = Self.readRequest(connection)
        seen.withLock { $0.append(request) }
        if let answer { _ = Self.write(Array(answer.utf8), connection) }
        Self.send(trail, to: connection)
        close(connection)
      }
    }
  }

  private static func write(_ bytes: [UInt8], _ connection: Int32) -> Int {
    #if canImport(Darwin)
      Darwin.send(connection, bytes, bytes.count, 0)
    #else
      Glibc.send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    #endif
  }

  private static func send(_ trail: Trail, to connection: Int32) {
    let bytes = [UInt8](repeating: UInt8(ascii: "x"), count: trail == .flood ? 64 << 10 : 1)
    var state = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
    // Readable here means that the connection has ended: the request was read before.
    while trail != .nothing, poll(&state, 1, trail == .drip ? 20 : 0) == 0 {
      if Self.write(bytes, connection) < 0 { return }
    }
  }

  func stop() {
    shutdown(descriptor, Int32(SHUT_RDWR))
  }

  /// Reads a head and the number of body bytes that it declares.
  private static func readRequest(_ connection: Int32) -> String {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      let text = String(decoding: bytes, as: UTF8.self)
      if let end = text.range(of: "\r\n\r\n") {
        let length = text.lowercased().components(separatedBy: "content-length: ").dropFirst().first
          .flatMap { Int($0.prefix { $0.isNumber }) }
        if text[end.upperBound...].utf8.count >= length ?? 0 { return text }
      }
      let count = read(connection, &chunk, chunk.count)
      if count <= 0 { return text }
      bytes += chunk[..<count]
    }
  }
}
