extension DeliveryMachine {
  /// Someone waits for what was in the log at one moment to be delivered.
  struct Flush: Sendable {
    let id: FlushID
    /// How many of the events that waited then are not yet claimed. Each lane is first in, first out, so the next ones
    /// claimed are those.
    var toTake: Waiting
    /// Batches with such events.
    var batches: Set<BatchID>
    var sent = 0
    var result: FlushResult?
    var refusal: DeliveryFailure?

    /// Events of one of its batches wait again.
    mutating func takeBack(_ events: Waiting) {
      toTake.normal += events.normal
      toTake.critical += events.critical
    }
  }

  mutating func requestFlush(_ id: FlushID, now: Duration) {
    var flush = Flush(
      id: id, toTake: waiting, batches: Set(inFlight.filter { !$0.value.isVoid && !$0.value.isHealthProbe }.keys))
    if let refusal = refusal(now: now) {
      flush.result = .failed(refusal)
    } else if waiting.total > 0 {
      isDelivering = true
      // Someone is waiting: try now, whatever our own pause says. The server's wish still holds.
      backOffUntil = nil
      retriesExhausted = false
    }
    flushes.append(flush)
  }

  /// Why a flush cannot even begin.
  private func refusal(now: Duration) -> DeliveryFailure? {
    if !isEnabled { return DeliveryFailure(.stopped, "The client is disabled.") }
    if isPaused, waiting.total > 0 { return DeliveryFailure(.stopped, "Sending is paused; call resume().") }
    if let retryAfterDeadline, retryAfterDeadline > now, waiting.total > 0 {
      let seconds = (retryAfterDeadline - now).components.seconds + 1
      return DeliveryFailure(
        .waiting, "The collector asked to wait another \(seconds) s.", retryAfter: retryAfterDeadline - now)
    }
    return nil
  }

  mutating func flushDidClaim(_ batch: BatchID, _ events: Waiting) {
    for index in flushes.indices where flushes[index].toTake.total > 0 {
      let taken = flushes[index].toTake
      flushes[index].batches.insert(batch)
      flushes[index].toTake = Waiting(
        normal: max(taken.normal - events.normal, 0), critical: max(taken.critical - events.critical, 0))
    }
  }

  mutating func flushDidSettle(_ id: BatchID, _ batch: Batch, _ outcome: ResponseOutcome, now: Duration) {
    for index in flushes.indices {
      let wasIn = flushes[index].batches.remove(id) != nil
      switch outcome {
      case .acknowledged(let rejected):
        if wasIn { flushes[index].sent += batch.events.total - rejected.count }
      case .failed where goesAgainAtOnce(batch, now: now):
        guard wasIn else { continue }
        // One that keeps its events is sent again as it is.
        if policy.retriesEachBatch, !batch.isStale {
          flushes[index].batches.insert(id)
        } else {
          flushes[index].takeBack(batch.events)
        }
      case .failed(let failure):
        // A flush whose events wait for their turn fails too: nobody knows when that will be now.
        if wasIn || flushes[index].toTake.total > 0 { flushes[index].result = .failed(failure) }
      case .refused(_, let failure), .tooLarge(let failure):
        guard wasIn else { continue }
        if case .returns = outcome.fate(ofEvents: batch.events.total) {
          flushes[index].takeBack(batch.events)
        }
        flushes[index].refusal = failure
        // A server that refuses everything was put on hold: nobody knows when the rest will go.
        if backOffUntil != nil, flushes[index].toTake.total > 0 { flushes[index].result = .failed(failure) }
      }
    }
  }

  /// The events of a batch wait again.
  mutating func flushDidRelease(_ id: BatchID, _ batch: Batch) {
    for index in flushes.indices where flushes[index].batches.remove(id) != nil {
      flushes[index].takeBack(batch.events)
    }
  }

  /// Whether what was called back for another network is tried there now: then nobody need be told of a failure.
  func goesAgainAtOnce(_ batch: Batch, now: Duration) -> Bool {
    batch.isCalledBack && canEverStart && earliestSend <= now
  }

  mutating func finishFlushes(_ actions: inout [Action]) {
    for index in flushes.indices {
      var flush = flushes[index]
      // Events can leave unsent, by age or by size: what is not there is not waited for.
      flush.toTake.normal = min(flush.toTake.normal, waiting.normal)
      flush.toTake.critical = min(flush.toTake.critical, waiting.critical)
      if flush.result == nil { flush.result = result(of: flush) }
      if let result = flush.result { actions.append(.finishFlush(flush.id, result)) }
      flushes[index] = flush
    }
    flushes.removeAll { $0.result != nil }
  }

  private func result(of flush: Flush) -> FlushResult? {
    if !isEnabled { return .failed(DeliveryFailure(.stopped, "The client was disabled.")) }
    if flush.toTake.total > 0 {
      guard flush.batches.isEmpty, !canEverStart else { return nil }
      return .failed(DeliveryFailure(.stopped, "Sending was paused, or rests until the network comes back."))
    }
    guard flush.batches.isEmpty else { return nil }
    if flush.sent > 0 { return .sent(flush.sent) }
    if let refusal = flush.refusal { return .failed(refusal) }
    guard waiting.blocked == 0 else {
      return .failed(
        DeliveryFailure(
          .unreadable,
          "\(waiting.blocked) events or more cannot be read from the disk now, or written to it; they stay."))
    }
    return .nothingToSend
  }

  private var canEverStart: Bool { !isPaused && !retriesExhausted }
}
