import TernBase
import TernEvents

/// The state that only one call at a time may touch: the open claims.
struct Operations {
  var claims: [UInt64: [ClaimedSegment]] = [:]
  var lastClaim: UInt64 = 0
  var generation: UInt64 = 0
  /// The locations of events that receipts track.
  var places: [UniqueID: Place] = [:]

  /// Discards claims that became void.
  mutating func forgetVoidClaims(generation: UInt64) {
    if generation != self.generation {
      claims = [:]
      places = [:]
    }
    self.generation = generation
  }

  /// Discards claims that became void, and returns the number of the next one.
  mutating func beginClaim(generation: UInt64) -> UInt64 {
    forgetVoidClaims(generation: generation)
    lastClaim += 1
    return lastClaim
  }
}

extension EventLog {
  /// Claims the oldest waiting events, critical ones first; `nil` if none are available.
  ///
  /// A batch consists of whole segments with at most `maximumEvents` events of `maximumBytes` bytes. If the first one
  /// has more, the batch is a part of it, at least one event however large, and the rest is available when that is
  /// settled. Later events go into other segments. Expired and damaged events are dropped and counted on the way. Reads
  /// files, so it must not run on the caller of `track`; appending continues meanwhile.
  package func claim(maximumEvents: Int, maximumBytes: Int) -> LogClaim? {
    if configuration.durability == .everyBatch { synchronize() }
    return operations.withLock { operations in
      var skipped: Set<UInt64> = []
      while true {
        let limits = (events: max(maximumEvents, 1), bytes: max(maximumBytes, 1))
        switch readClaim(&operations, limits, skipping: &skipped) {
        case .batch(let claim): return claim
        case .nothing: return nil
        case .progress: continue
        }
      }
    }
  }

  private enum Pass {
    case batch(LogClaim)
    /// Nothing to hand out yet, but events were dropped or files skipped: try again.
    case progress
    case nothing
  }

  /// One pass: plan under the lock, read without it, update the index under the lock.
  private func readClaim(
    _ operations: inout Operations, _ limits: (events: Int, bytes: Int), skipping skipped: inout Set<UInt64>
  ) -> Pass {
    let now = (wall: clock.wallTime, uptime: clock.uptime)
    let plan = state.withLock { state -> ClaimPlan? in
      guard state.checkHome(at: now.uptime) else {
        // Otherwise waiting events would count as available.
        if !state.isClosed { state.backOffEverything(at: now.uptime) }
        return nil
      }
      return ClaimPlan(
        sources: state.planClaim(
          events: limits.events, bytes: limits.bytes, skipping: skipped, uptime: now.uptime),
        generation: state.generation, expiry: state.expiryRule(now.wall, now.uptime))
    }
    guard let plan, !plan.sources.isEmpty else { return .nothing }
    let number = operations.beginClaim(generation: plan.generation)
    var reader = ClaimReader(fileSystem, plan.expiry, events: limits.events, bytes: limits.bytes)
    let findings = plan.sources.map { reader.read($0) }
    let voids = state.withLock { state -> [PendingVoid]? in
      state.generation == plan.generation ? state.commit(findings, claim: number) : nil
    }
    guard let voids else { return .nothing }
    for void in voids { void.write(fileSystem) }
    state.withLock { $0.unpin(plan.sources.map(\.segment.name)) }
    note(findings, &skipped)
    removeSettled()
    saveCounts()
    state.withLock { $0.saveAgeClock() }
    let records = findings.count == 1 ? findings[0].records : findings.flatMap(\.records)
    if records.isEmpty { return findings.contains(where: \.isProgress) ? .progress : .nothing }
    operations.claims[number] = findings.map { ClaimedSegment(name: $0.name, records: $0.claimed) }
    return .batch(LogClaim(id: LogClaim.ID(number: number, generation: plan.generation), records: records))
  }

  /// Skips segments that could not be read, and starts their backoff.
  private func note(_ findings: [ClaimFinding], _ skipped: inout Set<UInt64>) {
    let uptime = clock.uptime
    for finding in findings {
      if let failure = finding.failure {
        skipped.insert(finding.name.number)
        state.withLock { $0.backOff(finding.name, at: uptime, isOutOfFiles: failure.isOutOfFiles) }
      } else {
        state.withLock { $0.endBackoff(finding.name.number) }
      }
    }
  }
}
