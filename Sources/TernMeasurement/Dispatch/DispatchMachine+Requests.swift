import TernDelivery
import TernEvents

extension DispatchMachine {
  /// Starts the next request unless one is in flight.
  mutating func proceed(_ waiting: Int, _ actions: inout [MachineAction]) {
    guard inFlight == nil else { return }
    while !calls.isEmpty {
      let call = calls.removeFirst()
      if start(for: call, waiting, &actions) { return }
      actions.append(.finishFlush(call, .nothingToSend))
    }
    guard drain != nil, !start(for: nil, waiting, &actions) else { return }
    endDrain(.nothingToSend, &actions)
  }

  /// Starts a request; returns false if there is nothing to send or sending is not allowed.
  private mutating func start(for call: FlushID?, _ waiting: Int, _ actions: inout [MachineAction]) -> Bool {
    guard waiting > 0, isEnabled, !isPaused else { return false }
    lastRequest += 1
    let id = BatchID(number: lastRequest)
    inFlight = Request(id: id, call: call)
    let reserve = batchLimit * (HitPayload.queueTimeBytes + 1)
    actions.append(
      .startBatch(id, maximumEvents: batchLimit, maximumBytes: max(HitRequest.maximumBatchBytes - reserve, 1)))
    return true
  }

  mutating func takeRequest(_ id: BatchID) -> Request? {
    guard let request = inFlight, request.id == id else { return nil }
    inFlight = nil
    return request
  }

  /// Records the outcome of a request and decides what happens to its hits.
  mutating func requestEnded(_ id: BatchID, _ outcome: ResponseOutcome, _ now: Duration) -> [MachineAction] {
    guard let request = takeRequest(id) else { return [.settle(id, .requeue(rejecting: []))] }
    var disposition = EventDisposition.requeue(rejecting: [])
    var actions: [MachineAction] = []
    switch outcome {
    case .acknowledged:
      disposition = .remove(rejecting: [])
      hold = nil
      suspect = nil
      batchLimit = min(batchLimit * 2, Self.maximumHits)
      finish(request, .sent(request.hits), &actions)
    case .failed(let failure) where failure.code == .offline:
      // Not the server's failure, so do not back off: the next tick retries.
      endDrain(.nothingToSend, &actions)
      finish(request, .nothingToSend, &actions)
    case .failed(let failure):
      failed(failure.retryAfter, now)
      endDrain(.failed(failure), &actions)
      finish(request, .failed(failure), &actions)
    case .refused(_, let failure), .tooLarge(let failure):
      if request.hits > 1 {
        // Halve the batch until the faulty hit is alone.
        batchLimit = max(request.hits / 2, 1)
      } else if suspect != nil, suspect == request.first {
        // Reject a hit only after it was refused twice in a request of its own.
        disposition = .remove(rejecting: [0])
        suspect = nil
      } else {
        suspect = request.first
        failed(nil, now)
        endDrain(.failed(failure), &actions)
      }
      finish(request, .failed(failure), &actions)
    }
    return [.settle(id, disposition)] + actions
  }

  func finish(_ request: Request, _ result: FlushResult, _ actions: inout [MachineAction]) {
    if let call = request.call { actions.append(.finishFlush(call, result)) }
  }

  private mutating func failed(_ retryAfter: Duration?, _ now: Duration) {
    let failures = (hold?.failures ?? 0) + 1
    let pause =
      retryAfter.map { min(max($0, .zero), RetryRules.maximumRetryAfter) }
      ?? min(Self.longestPause, Self.firstPause * (1 << min(failures - 1, 10)))
    hold = Hold(failures: failures, until: now + pause, isServers: retryAfter != nil)
  }

  /// Finishes all calls; the request in flight no longer belongs to any.
  mutating func abandonEverything(_ actions: inout [MachineAction]) {
    if let request = inFlight { finish(request, .nothingToSend, &actions) }
    inFlight?.call = nil
    for call in calls { actions.append(.finishFlush(call, .nothingToSend)) }
    calls = []
    endDrain(.nothingToSend, &actions)
    suspect = nil
  }

  mutating func endDrain(_ result: FlushResult, _ actions: inout [MachineAction]) {
    for call in drainCalls { actions.append(.finishFlush(call, result)) }
    drain = nil
  }

  /// The calls waiting for the end of the drain.
  var drainCalls: [FlushID] { if case .manual(let calls) = drain { calls } else { [] } }
}
