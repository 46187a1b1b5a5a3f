import HTTPTypes
import Hummingbird
import NIOCore
import Reports
import TernBase
import TernEvents

/// Writes a line to the access log for each request, when its response has been sent or its client has gone.
struct AccessLogging: RouterMiddleware {
  package typealias Context = CollectorContext

  package let log: AccessLog
  package let wallTime: @Sendable () -> Timestamp
  package let uptime: @Sendable () -> Duration

  package func handle(
    _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    let (time, started) = (wallTime(), uptime())
    var response = try await next(request, context)
    let entry = AccessLogEntry(
      time: time, method: request.method, route: context.endpoint, status: response.status.code,
      client: log.showsAddresses ? context.clientShare : nil)
    let exchange = Exchange { [log, uptime] bytes in
      log.append(entry.line(bytes: bytes, duration: uptime() - started))
    }
    let body = response.body
    response.body = ResponseBody(contentLength: body.contentLength) { writer in
      defer { exchange.end() }
      try await body.map { buffer in
        exchange.add(buffer.readableBytes)
        return buffer
      }.write(writer)
    }
    return response
  }
}

/// The facts about a request that may be logged: no path, query, header field or body, which can contain keys, tokens and
/// people's texts.
struct AccessLogEntry: Sendable {
  private static let methods: Set<HTTPRequest.Method> = [
    .get, .head, .post, .put, .patch, .delete, .options, .trace, .connect,
  ]

  var time: Timestamp
  var method: HTTPRequest.Method
  /// The route's pattern.
  var route: String
  var status: Int
  /// The client's share of addresses; `nil` if it must not be logged.
  var client: String?

  /// One JSON object. Its texts come from fixed sets, so none needs to be escaped.
  func line(bytes: Int, duration: Duration) -> String {
    // A method can be any word that a client chooses.
    let method = Self.methods.contains(method) ? method.rawValue : "OTHER"
    let microseconds = Int(clamping: duration / .microseconds(1))
    let milliseconds = "\(microseconds / 1_000).\(String(microseconds % 1_000 + 1_000).dropFirst())"
    let client = client.map { ",\"client\":\"\($0)\"" } ?? ""
    return "{\"time\":\"\(time.isoText)\",\"method\":\"\(method)\",\"route\":\"\(route)\",\"status\":\(status),"
      + "\"bytes\":\(bytes),\"duration_ms\":\(milliseconds)\(client)}"
  }
}

/// The bytes sent for one response. It ends when the response is complete or, if that never happens, when it is released.
private final class Exchange: Sendable {
  private let bytes = Locked<Int?>(0)
  private let onEnd: @Sendable (Int) -> Void

  init(onEnd: @escaping @Sendable (Int) -> Void) { self.onEnd = onEnd }

  deinit { end() }

  func add(_ count: Int) { bytes.withLock { $0 = $0.map { $0 + count } } }

  func end() {
    let total = bytes.withLock { bytes in
      defer { bytes = nil }
      return bytes
    }
    if let total { onEnd(total) }
  }
}
