#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// One keep-alive connection with at most one request in flight; never blocks.
struct Connection {
  enum Progress: Equatable { case pending, answered(status: Int), failed }

  let descriptor: Int32
  private(set) var isBusy = false
  private(set) var began: Int64 = 0
  private var request: [UInt8] = []
  private var sent = 0
  private var answer: [UInt8] = []
  private var bodyStart: Int?
  private var length = 0
  private var status = 0

  init?(port: UInt16) {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let connected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard connected == 0 else { return nil }
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    var yes: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, 4)
  }

  /// True if the socket must become writable first.
  var wantsToWrite: Bool { isBusy && sent < request.count }

  /// Starts a request; `began` is when it was due, so that waiting for a free connection counts as latency.
  mutating func start(_ bytes: [UInt8], began: Int64) {
    request = bytes
    self.began = began
    sent = 0
    answer.removeAll(keepingCapacity: true)
    bodyStart = nil
    isBusy = true
  }

  mutating func proceed() -> Progress {
    while sent < request.count {
      let count = request.withUnsafeBytes { bytes -> Int in
        guard let start = bytes.baseAddress else { return 0 }
        return send(descriptor, start + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
      }
      if count < 0 { return errno == EAGAIN ? .pending : .failed }
      sent += count
    }
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 4_096) { buffer in
      let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
      if count < 0 { return errno == EAGAIN ? .pending : .failed }
      if count == 0 { return .failed }
      answer.append(contentsOf: buffer[0..<count])
      return finish()
    }
  }

  private mutating func finish() -> Progress {
    if bodyStart == nil, !readHead() { return .pending }
    guard let bodyStart, answer.count >= bodyStart + length else { return .pending }
    isBusy = false
    return .answered(status: status)
  }

  /// Parses status and length once the whole head has arrived.
  private mutating func readHead() -> Bool {
    guard let end = answer.firstRange(of: Array("\r\n\r\n".utf8)) else { return false }
    bodyStart = end.upperBound
    let head = String(decoding: answer[..<end.lowerBound], as: UTF8.self).lowercased()
    status = Int(head.dropFirst(9).prefix(3)) ?? 0
    length =
      head.split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
      .flatMap { Int($0.dropFirst(15).filter { $0 != " " }) } ?? 0
    return true
  }
}
