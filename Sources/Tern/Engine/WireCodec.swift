import TernBase
package import TernDelivery
import TernEvents
import TernGzip
package import TernLog
package import TernValues

/// The wire protocol of a delivery loop: turns records into requests and responses into outcomes.
package protocol WireCodec: Sendable {
  /// True if the loop reports dropped events as events.
  var reportsDrops: Bool { get }
  /// Decides what to do with claimed records.
  func plan(for records: [LogRecord]) -> RequestPlan
  /// Creates the request for all of the records; `nil` if there is no collector.
  func request(for records: [LogRecord]) -> TransportRequest?
  /// Interprets the result of the request for the records.
  func outcome(of result: TransportResult, for records: [LogRecord], now: Timestamp) -> ResponseOutcome
}

/// A decision about claimed records.
package enum RequestPlan: Sendable, Equatable {
  /// Send the given number of them, which fit into one request.
  case send(Int)
  /// Remove all from the queue without sending them.
  case drop(DropReason)
  /// Requeue all because there is no collector.
  case unavailable(DeliveryError)
}

/// Tern's own protocol (docs/protocols.md).
package struct NativeCodec: WireCodec {
  let engine: Engine

  package init(_ engine: Engine) { self.engine = engine }

  package var reportsDrops: Bool { true }
  package func plan(for records: [LogRecord]) -> RequestPlan { .send(records.count) }
  package func request(for records: [LogRecord]) -> TransportRequest? { engine.request(for: records) }

  /// The lines of a request: those of the events, and one before each context.
  package static func body(of records: [LogRecord]) -> [UInt8] {
    let bytes = records.reduce(1 << 10) { $0 + $1.payload.count + NativeProtocol.lineOverheadBytes }
    var json = JSONWriter(capacity: bytes)
    var context: LogContext?
    for record in records {
      if record.context != context {
        json.context(record.context.facts)
        context = record.context
      }
      json.line(
        id: record.id, time: record.time, uptimeMilliseconds: record.uptime.wholeMilliseconds, members: record.payload)
    }
    return json.bytes
  }

  package func outcome(of result: TransportResult, for records: [LogRecord], now: Timestamp) -> ResponseOutcome {
    switch result {
    case .failure(let failure): .failed(DeliveryError(failure))
    case .response(let response):
      CollectorResponse(
        status: response.status, retryAfter: response.headers["retry-after"],
        retryAfterMilliseconds: response.headers["x-ms-retry-after-ms"], date: response.headers["date"],
        body: response.body
      ).outcome(events: records.count, now: now)
    }
  }
}

extension DeliveryError {
  package init(_ failure: TransportFailure) {
    let code: Code =
      switch failure.kind {
      case .offline: .offline
      case .timedOut: .timedOut
      case .connection: .connection
      }
    self.init(code, failure.message)
  }
}

extension Engine {
  private static let compressFrom = 1 << 10

  /// The device's current clocks; the collector corrects event times with them.
  private var sent: String {
    let clock = environment.clock
    let time = "time=\(clock.wallTime.millisecondsSince1970); uptime=\(clock.uptime.wholeMilliseconds)"
    return environment.boot.map { "\(time); boot=\($0)" } ?? time
  }

  private var ledgerHeader: String {
    let ledger = ledger
    return "tracked=\(ledger.tracked); delivered=\(ledger.delivered); waiting=\(ledger.queued); "
      + "in-flight=\(ledger.inFlight); dropped=\(ledger.dropped)"
  }

  /// Creates a request with the records; `nil` if there is no collector.
  package func request(for records: [LogRecord]) -> TransportRequest? {
    guard let endpoint = endpoint.withLock({ $0 }) else { return nil }
    var body = NativeCodec.body(of: records)
    var headers = [
      NativeProtocol.keyHeader: configuration.key, "Content-Type": NativeProtocol.contentType,
      "User-Agent": "tern-swift/\(ternVersion)", NativeProtocol.sentHeader: sent,
      NativeProtocol.ledgerHeader: ledgerHeader,
    ]
    if configuration.compressesRequests, body.count >= Self.compressFrom, let packed = gzip(body) {
      body = packed
      headers["Content-Encoding"] = "gzip"
    }
    return TransportRequest(url: endpoint, headers: headers, body: body, timeout: configuration.requestTimeout)
  }
}
