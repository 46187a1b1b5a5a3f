import TernValues

extension DeliveryMachine {
  /// A request to deliver the events that were in the log at one moment.
  struct Flush: Sendable {
    let id: FlushID
    /// The number of those events that are not yet claimed. Each lane is FIFO, so they are claimed next.
    var toTake: Waiting
    /// The batches in flight with such events.
    var batches: Set<BatchID>
    var sent = 0
    var result: FlushResult?
    var refusal: DeliveryError?

    /// Counts the events of one of its batches as unclaimed again.
    mutating func takeBack(_ events: Waiting) {
      toTake.normal += events.normal
      toTake.critical += events.critical
    }
  }

  mutating func requestFlush(_ id: FlushID, now: Duration) {
    var flush = Flush(
      id: id, toTake: waiting, batches: Set(batches.filter { $0.value.state != .void && !$0.value.isHealthProbe }.keys))
    if let refusal = refusal(now: now) {
      flush.result = .failed(refusal)
    } else if waiting.total > 0 {
      delivery = .delivering
      // A flush ends our own backoff, but not a server's `Retry-After`.
      backoff = .none
    }
    flushes.append(flush)
  }

  /// The failure that keeps a flush from starting, if any.
  private func refusal(now: Duration) -> DeliveryError? {
    if !isEnabled { return DeliveryError(.stopped, "The client is disabled.") }
    if isPaused, waiting.total > 0 { return DeliveryError(.stopped, "Sending is paused; call resume().") }
    if let retryAfterDeadline, retryAfterDeadline > now, waiting.total > 0 {
      let seconds = (retryAfterDeadline - now).components.seconds + 1
      return DeliveryError(
        .waiting, "The collector asked the client to wait \(seconds) s more.", retryAfter: retryAfterDeadline - now)
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
        if disposition == .keep {
          flushes[index].batches.insert(id)
        } else {
          flushes[index].takeBack(batch.events)
        }
      case .failed(let failure):
        // A flush with unclaimed events fails too: they may not be sent for a long time.
        if wasIn || flushes[index].toTake.total > 0 { flushes[index].result = .failed(failure) }
      case .refused(_, let failure), .tooLarge(let failure):
        guard wasIn else { continue }
        if case .requeue = disposition {
          flushes[index].takeBack(batch.events)
        }
        flushes[index].refusal = failure
        // The server refuses everything, so sending pauses: the rest may not be sent for a long time.
        if case .backingOff = backoff, flushes[index].toTake.total > 0 { flushes[index].result = .failed(failure) }
      }
    }
  }

  /// Counts the events of a released batch as unclaimed again.
  mutating func flushDidRelease(_ id: BatchID, _ batch: Batch) {
    for index in flushes.indices where flushes[index].batches.remove(id) != nil {
      flushes[index].takeBack(batch.events)
    }
  }

  /// True if the batch is retried immediately because the network changed, so that its failure does not count.
  func isRetriedAtOnce(_ batch: Batch, now: Duration) -> Bool {
    batch.isCalledBack && canEverStart && earliestSend <= now
  }

  mutating func finishFlushes(_ actions: inout [Action]) {
    for index in flushes.indices {
      var flush = flushes[index]
      // Events can leave the queue unsent, by expiry or eviction.
      flush.toTake.normal = min(flush.toTake.normal, waiting.normal)
      flush.toTake.critical = min(flush.toTake.critical, waiting.critical)
      if flush.result == nil { flush.result = result(of: flush) }
      if let result = flush.result { actions.append(.finishFlush(flush.id, result)) }
      flushes[index] = flush
    }
    flushes.removeAll { $0.result != nil }
  }

  private func result(of flush: Flush) -> FlushResult? {
    if !isEnabled { return .failed(DeliveryError(.stopped, "The client was disabled.")) }
    if flush.toTake.total > 0 {
      guard flush.batches.isEmpty, !canEverStart else { return nil }
      return .failed(DeliveryError(.stopped, "Sending is paused, or stopped until the network comes back."))
    }
    guard flush.batches.isEmpty else { return nil }
    if flush.sent > 0 { return .sent(flush.sent) }
    if let refusal = flush.refusal { return .failed(refusal) }
    guard waiting.blocked == 0 else {
      return .failed(
        DeliveryError(
          .unreadable, "The disk cannot be accessed at the moment; the waiting events are kept."))
    }
    return .nothingToSend
  }

  private var canEverStart: Bool { !isPaused && backoff != .retriesExhausted }
}
