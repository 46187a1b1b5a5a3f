extension DeliveryMachine {
  /// A request to deliver the events that were in the log at one moment.
  struct Flush: Sendable {
    let id: FlushID
    /// The number of those events that are not yet claimed. Each lane is first in, first out, so they are the next ones
    /// to be claimed.
    var toTake: Waiting
    /// The batches that contain such events.
    var batches: Set<BatchID>
    var sent = 0
    var result: FlushResult?
    var refusal: DeliveryFailure?

    /// Counts the events of one of its batches as waiting again.
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
      // A caller is waiting: our own pause ends. A wait that the server asked for does not.
      backOffUntil = nil
      retriesExhausted = false
    }
    flushes.append(flush)
  }

  /// The reason why a flush cannot even begin.
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

  mutating func flushDidSettle(
    _ id: BatchID, _ batch: Batch, _ outcome: ResponseOutcome, _ disposition: EventDisposition, now: Duration
  ) {
    for index in flushes.indices {
      let wasIn = flushes[index].batches.remove(id) != nil
      switch outcome {
      case .acknowledged(let rejected):
        if wasIn { flushes[index].sent += batch.events.total - rejected.count }
      case .failed where isRetriedAtOnce(batch, now: now):
        guard wasIn else { continue }
        // A batch that keeps its events is resent unchanged.
        if disposition == .keep, !batch.isStale {
          flushes[index].batches.insert(id)
        } else {
          flushes[index].takeBack(batch.events)
        }
      case .failed(let failure):
        // A flush whose events wait for their turn fails too: their turn may not come for a long time.
        if wasIn || flushes[index].toTake.total > 0 { flushes[index].result = .failed(failure) }
      case .refused(_, let failure), .tooLarge(let failure):
        guard wasIn else { continue }
        if case .requeue = disposition {
          flushes[index].takeBack(batch.events)
        }
        flushes[index].refusal = failure
        // The server refuses everything and is left alone for a while: the rest may not go for a long time.
        if backOffUntil != nil, flushes[index].toTake.total > 0 { flushes[index].result = .failed(failure) }
      }
    }
  }

  /// Counts the events of a released batch as waiting again.
  mutating func flushDidRelease(_ id: BatchID, _ batch: Batch) {
    for index in flushes.indices where flushes[index].batches.remove(id) != nil {
      flushes[index].takeBack(batch.events)
    }
  }

  /// True if the batch was called back for another network and is retried there now, so that its failure is no news.
  func isRetriedAtOnce(_ batch: Batch, now: Duration) -> Bool {
    batch.isCalledBack && canEverStart && earliestSend <= now
  }

  mutating func finishFlushes(_ actions: inout [Action]) {
    for index in flushes.indices {
      var flush = flushes[index]
      // Events can leave unsent, by age or by size.
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
      return .failed(DeliveryFailure(.stopped, "Sending is paused, or stopped until the network comes back."))
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
