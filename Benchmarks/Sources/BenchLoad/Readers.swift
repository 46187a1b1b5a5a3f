import BenchSupport

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Clients that request reports without pause, each over its own connection.
struct Readers {
  private(set) var connections: [Connection]
  private let requests: [[UInt8]]
  private var next = 0
  private(set) var answered = 0
  private(set) var refused = 0
  private(set) var failed = 0
  private var samples = Samples(capacity: 1 << 16)

  /// - Parameters:
  ///   - count: The number of clients.
  ///   - paths: The reports, which each client asks for in turn.
  ///   - token: The admin token.
  init(count: Int, port: UInt16, paths: [String], token: String) {
    connections = (0..<count).compactMap { _ in Connection(port: port) }
    requests = paths.map { path in
      let head = "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
      return Array((head + "Authorization: Bearer \(token)\r\nX-API-Token: \(token)\r\n\r\n").utf8)
    }
    failed = count - connections.count
  }

  var quantiles: [Int64] { samples.quantiles([0.5, 1]) }

  /// Lets every idle client send its next request.
  mutating func ask() {
    guard !requests.isEmpty else { return }
    for index in connections.indices where !connections[index].isBusy {
      connections[index].start(requests[next % requests.count], began: monotonicNanoseconds())
      next += 1
      proceed(index)
    }
  }

  /// Continues with a client whose socket is ready.
  mutating func proceed(_ index: Int) {
    guard connections[index].isBusy else { return }
    switch connections[index].proceed() {
    case .pending: break
    case .failed: failed += 1
    case .answered(let status):
      samples.add(monotonicNanoseconds() - connections[index].began)
      if status == 200 { answered += 1 } else { refused += 1 }
    }
  }
}
