import TernDelivery
import TernEvents
import TernLog

extension DeliveryLoop {
  /// Claims a batch and sends it; returns the machine's next inputs in reverse order.
  mutating func start(_ id: BatchID, _ maximumEvents: Int, _ maximumBytes: Int) -> [MachineInput] {
    if codec.reportsDrops { reportDrops() }
    guard let claim = engine.log.claim(maximumEvents: maximumEvents, maximumBytes: maximumBytes) else {
      return [.nothingToClaim(id)]
    }
    let records = claim.records
    let critical = records.count { $0.lane == .critical }
    let started = MachineInput.batchStarted(
      id, events: .init(normal: records.count - critical, critical: critical),
      bytes: records.reduce(0) { $0 + $1.bytes }, first: records.first?.id)
    switch codec.plan(for: records) {
    case .send(let count) where count < records.count:
      // Claim again, so that the machine counts exactly the events of the request.
      engine.log.settle(claim.id, .returned)
      return start(id, max(count, 1), maximumBytes)
    case .send:
      claims[id] = claim
      effects.send(id, records)
      return [started]
    case .drop(let reason):
      let dropped = Dictionary(records.map { ($0.id, reason) }) { first, _ in first }
      engine.log.settle(claim.id, .partly(delivered: [], dropped: dropped))
      return [.requestEnded(id, .acknowledged(rejected: [])), started]
    case .unavailable(let failure):
      claims[id] = claim
      return [.requestEnded(id, .failed(failure)), started]
    }
  }

  /// Handles the result of a request: feeds its outcome to the machine.
  mutating func finishRequest(_ id: BatchID, _ result: TransportResult) {
    effects.finished(id)
    let records = claims[id]?.records ?? []
    let outcome = codec.outcome(of: result, for: records, now: engine.environment.clock.wallTime)
    // An answered health probe proves nothing about events.
    if !records.isEmpty || outcome.failure != nil {
      engine.clientState.recordAttempt(outcome.failure)
    }
    feed(.requestEnded(id, outcome))
  }

  /// Settles the events of a batch as the machine decided; a health probe has none, and dropped ones have left already.
  mutating func settle(_ id: BatchID, _ disposition: EventDisposition) {
    guard disposition != .keep, let claim = claims.removeValue(forKey: id) else { return }
    let (resolution, rejected) = disposition.resolution(of: claim.records)
    // False if the events were erased while the request was in flight: those are already counted as erased.
    if engine.log.settle(claim.id, resolution) { engine.countRejectedReports(in: rejected) }
    let leaving = if case .remove = disposition { claim.records } else { rejected }
    if codec.reportsDrops { reportsSettled(leaving) }
    if case .remove = disposition {
      answerReceipts(delivered: claim.records, rejected: rejected)
    } else {
      answerReceipts(delivered: [], rejected: rejected)
    }
  }

  /// Resends a failed batch.
  mutating func resend(_ id: BatchID) {
    if let claim = claims[id] { effects.send(id, claim.records) }
  }

  /// Returns the events of an abandoned batch to the log.
  mutating func release(_ id: BatchID) {
    if let claim = claims.removeValue(forKey: id) { engine.log.settle(claim.id, .returned) }
  }
}

extension EventDisposition {
  /// The corresponding resolution for the log, and the rejected records.
  func resolution(of records: [LogRecord]) -> (BatchResolution, rejected: [LogRecord]) {
    switch self {
    case .remove(let indexes) where indexes.isEmpty: return (.delivered, [])
    case .keep: return (.returned, [])
    case .requeue(let indexes) where indexes.isEmpty: return (.returned, [])
    case .remove(let indexes), .requeue(let indexes):
      let rejected = indexes.map { records[$0] }
      let dropped = Dictionary(rejected.map { ($0.id, DropReason.rejected) }) { first, _ in first }
      if case .requeue = self { return (.partly(delivered: [], dropped: dropped), rejected) }
      let delivered = Set(records.lazy.map(\.id)).subtracting(dropped.keys)
      return (.partly(delivered: delivered, dropped: dropped), rejected)
    }
  }
}
