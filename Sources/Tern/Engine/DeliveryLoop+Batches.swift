import TernDelivery
import TernEvents
package import TernLog

extension DeliveryLoop {
  /// Claims a batch and sends it; says what the machine must know about it.
  mutating func start(
    _ id: DeliveryMachine.BatchID, _ maximumEvents: Int, _ maximumBytes: Int
  ) -> DeliveryMachine.Input {
    reportDrops()
    guard let claim = engine.log.claim(maximumEvents: maximumEvents, maximumBytes: maximumBytes) else {
      return .nothingToClaim(id)
    }
    claims[id] = claim
    effects.send(id, claim.records)
    let critical = claim.records.count { $0.lane == .critical }
    return .batchStarted(
      id, events: .init(normal: claim.records.count - critical, critical: critical),
      bytes: claim.records.reduce(0) { $0 + $1.payload.count + 1 })
  }

  mutating func answered(_ id: DeliveryMachine.BatchID, _ result: TransportResult) {
    effects.finished(id)
    guard let claim = claims[id] else { return questionAnswered(id, result) }
    let records = claim.records
    let outcome = result.outcome(events: records.count, now: engine.environment.clock.wallTime)
    if machine.policy.retriesEachBatch, case .failed(let failure) = outcome {
      // It keeps its events; the machine says when it goes again, or that it is released.
      engine.clientState.take(DeliveryError(failure))
      return feed(.batchSettled(id, outcome))
    }
    claims[id] = nil
    let fate = outcome.fate(ofEvents: records.count)
    let (settlement, rejected) = fate.settlement(of: records)
    // False when the events were erased while the request was under way: they were counted then, and only once.
    if engine.log.settle(claim.id, settlement) { engine.forgive(rejected: rejected) }
    if case .leaves = fate {
      reportsSettled(records)
      answerReceipts(delivered: records, rejected: rejected)
    } else {
      reportsSettled(rejected)
      answerReceipts(delivered: [], rejected: rejected)
    }
    engine.clientState.take(outcome.failure.map(DeliveryError.init))
    feed(.batchSettled(id, outcome))
  }
}

extension DeliveryLoop {
  /// Sends a batch that failed once more.
  mutating func resend(_ id: DeliveryMachine.BatchID) {
    if let claim = claims[id] { effects.send(id, claim.records) }
  }

  /// Gives the events of a batch that is not tried again back to the log.
  mutating func release(_ id: DeliveryMachine.BatchID) {
    if let claim = claims.removeValue(forKey: id) { engine.log.settle(claim.id, .returned) }
  }

  /// Takes in the answer to an empty batch.
  private mutating func questionAnswered(_ id: DeliveryMachine.BatchID, _ result: TransportResult) {
    let outcome = result.outcome(events: 0, now: engine.environment.clock.wallTime)
    if let failure = outcome.failure { engine.clientState.take(DeliveryError(failure)) }
    feed(.batchSettled(id, outcome))
  }
}

extension EventDisposition {
  /// The same in the terms of the log, and the records that it gives up.
  func settlement(of records: [LogRecord]) -> (BatchResolution, rejected: [LogRecord]) {
    switch self {
    case .leaves(let indexes) where indexes.isEmpty: return (.delivered, [])
    case .returns(let indexes) where indexes.isEmpty: return (.returned, [])
    case .leaves(let indexes), .returns(let indexes):
      let rejected = indexes.map { records[$0] }
      let dropped = Dictionary(rejected.map { ($0.id, DropReason.rejected) }) { first, _ in first }
      if case .returns = self { return (.partly(delivered: [], dropped: dropped), rejected) }
      let delivered = Set(records.lazy.map(\.id)).subtracting(dropped.keys)
      return (.partly(delivered: delivered, dropped: dropped), rejected)
    }
  }
}

extension TransportResult {
  /// What the result means for a batch of the given number of events.
  func outcome(events: Int, now: Timestamp) -> ResponseOutcome {
    switch self {
    case .response(let response):
      return Answer(
        status: response.status, retryAfter: response.headers["retry-after"],
        retryAfterMilliseconds: response.headers["x-ms-retry-after-ms"], date: response.headers["date"],
        body: response.body
      ).outcome(events: events, now: now)
    case .failure(let failure):
      let kind: DeliveryFailure.Kind =
        switch failure.kind {
        case .offline: .offline
        case .timedOut: .timedOut
        case .connection: .connection
        }
      return .failed(DeliveryFailure(kind, failure.message))
    }
  }
}

extension Engine {
  private static let compressFrom = 1 << 10

  /// What the device's clocks show now: against them the collector reads the times of the events.
  private var sent: String {
    let clock = environment.clock
    let time = "time=\(clock.wallTime.millisecondsSince1970); uptime=\(clock.uptime.wholeMilliseconds)"
    return environment.boot.map { "\(time); boot=\($0)" } ?? time
  }

  /// Where the events of this device are now.
  private var account: String {
    let ledger = ledger
    return "tracked=\(ledger.tracked); delivered=\(ledger.delivered); waiting=\(ledger.queued); "
      + "in-flight=\(ledger.inFlight); dropped=\(ledger.dropped)"
  }

  /// `nil` when there is no collector.
  package func request(for records: [LogRecord]) -> TransportRequest? {
    guard let endpoint = endpoint.withLock({ $0 }) else { return nil }
    var body: [UInt8] = []
    body.reserveCapacity(records.reduce(0) { $0 + $1.payload.count + 1 })
    for record in records {
      body.append(contentsOf: record.payload)
      body.append(UInt8(ascii: "\n"))
    }
    var headers = [
      NativeProtocol.keyHeader: configuration.key, "Content-Type": NativeProtocol.contentType,
      "User-Agent": "tern-swift/\(ternVersion)", NativeProtocol.sentHeader: sent, NativeProtocol.ledgerHeader: account,
    ]
    if configuration.compressesRequests, body.count >= Self.compressFrom, let packed = gzip(body) {
      body = packed
      headers["Content-Encoding"] = "gzip"
    }
    return TransportRequest(url: endpoint, headers: headers, body: body, timeout: configuration.requestTimeout)
  }
}
