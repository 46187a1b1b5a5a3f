import TernEvents

extension DispatchMachine {
  /// Starts what is due unless a request is under way: one at a time.
  mutating func proceed(_ waiting: Int, _ actions: inout [Action]) {
    guard inFlight == nil else { return }
    while !calls.isEmpty {
      let call = calls.removeFirst()
      if start(for: call, waiting, &actions) { return }
      actions.append(.call(call, .noData))
    }
    guard drain != nil, !start(for: nil, waiting, &actions) else { return }
    endDrain(.noData, &actions)
  }

  /// False when there is nothing to send, or nobody to send it to.
  private mutating func start(for call: CallID?, _ waiting: Int, _ actions: inout [Action]) -> Bool {
    guard waiting > 0, !isOptedOut else { return false }
    guard isDryRun || hasDestination else {
      if !hasWarned { actions.append(.warnOfMissingDestination) }
      hasWarned = true
      return false
    }
    lastRequest += 1
    let id = RequestID(number: lastRequest)
    inFlight = Request(id: id, call: call)
    actions.append(.startRequest(id, maximumHits: batchLimit, isDry: isDryRun))
    return true
  }

  /// Ends a request and says what becomes of its hits.
  mutating func answered(
    _ id: RequestID, _ hits: Int, _ outcome: Outcome, _ now: Duration, _ actions: inout [Action]
  ) -> Fate? {
    guard let request = inFlight, request.id == id else { return nil }
    inFlight = nil
    switch outcome {
    case .delivered:
      failures = 0
      hold = nil
      suspect = nil
      batchLimit = min(batchLimit * 2, Self.maximumHits)
      return finish(request, .delivered, .good, &actions)
    case .nothing:
      endDrain(.noData, &actions)
      return finish(request, .returned, .noData, &actions)
    case .offline:
      // Not a failure of the server's: no pause grows, the next tick looks again.
      endDrain(.noData, &actions)
      return finish(request, .returned, .noData, &actions)
    case .failed(let retryAfter):
      failed(retryAfter, now)
      endDrain(.error, &actions)
      return finish(request, .returned, .error, &actions)
    case .refused(let first): return refused(request, hits, first, now, &actions)
    }
  }

  /// A request of several hits is repeated in halves until the hit to blame stands alone; that one is kept once more.
  private mutating func refused(
    _ request: Request, _ hits: Int, _ first: UniqueID, _ now: Duration, _ actions: inout [Action]
  ) -> Fate {
    if hits > 1 {
      batchLimit = max(hits / 2, 1)
      return finish(request, .returned, .error, &actions)
    }
    if suspect == first {
      suspect = nil
      return finish(request, .rejected, .error, &actions)
    }
    suspect = first
    failed(nil, now)
    endDrain(.error, &actions)
    return finish(request, .returned, .error, &actions)
  }

  private func finish(_ request: Request, _ fate: Fate, _ result: Result, _ actions: inout [Action]) -> Fate {
    actions.append(.settle(request.id, fate))
    if let call = request.call { actions.append(.call(call, result)) }
    return fate
  }

  private mutating func failed(_ retryAfter: Duration?, _ now: Duration) {
    failures += 1
    let pause = min(Self.longestPause, Self.firstPause * (1 << min(failures - 1, 10)))
    if let retryAfter {
      hold = (now + min(max(retryAfter, .zero), Self.longestRetryAfter), true)
    } else {
      hold = (now + pause, false)
    }
  }

  /// Tells everyone who waits that nothing is left to send, and lets go of the request under way.
  mutating func abandonEverything(_ actions: inout [Action]) {
    if let request = inFlight {
      inFlight?.call = nil
      actions.append(.cancelRequest(request.id))
      if let call = request.call { actions.append(.call(call, .noData)) }
    }
    for call in calls { actions.append(.call(call, .noData)) }
    calls = []
    endDrain(.noData, &actions)
    suspect = nil
  }

  mutating func endDrain(_ result: Result, _ actions: inout [Action]) {
    drain = nil
    for call in drainCalls { actions.append(.call(call, result)) }
    drainCalls = []
  }
}
