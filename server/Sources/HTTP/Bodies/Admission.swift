/// Admits requests within a budget for all bytes being read, parsed or awaiting their commit.
///
/// Bytes count when they arrive, not when they are declared, because a declaration costs its sender nothing. When
/// incomplete bodies fill the budget, the costliest (bytes times the time held) are aborted to make room; complete
/// bodies are never aborted. One client address, or one app, can hold only a share of the budget.
package struct Admission: Sendable {
  package struct Limits: Sendable {
    /// The budget, in bytes.
    package var maximumBytes: Int
    /// The maximum number of bytes of one owner's bodies, complete or not.
    var maximumBytesPerOwner = Int.max
    /// The time in which each further `minimumProgress` bytes of a body must arrive. The first interval has no minimum.
    var progressInterval = Duration.seconds(5)
    /// The minimum number of bytes of a body that must arrive in each interval.
    var minimumProgress = 1 << 10
  }

  /// The outcome of a body's request for more room.
  package enum Growth: Equatable {
    /// The body has room; the other bodies were aborted for it.
    case admitted(aborting: [Int])
    /// The body has no room, although the other bodies were aborted.
    case refused(aborting: [Int])
  }

  /// The bytes of one owner.
  private struct Share {
    var bytes = 0
    var completeBytes = 0
    var holds = 0
  }

  private struct Hold {
    var owners: [RequestOwner]
    var began: Duration
    var bytes = 0
    var isComplete = false
    var checked: Duration
    var checkedBytes = 0

    func cost(at now: Duration) -> Double { Double(bytes) * ((now - began) / .seconds(1)) }
  }

  package let limits: Limits
  /// The bytes of all bodies.
  private(set) var bytes = 0
  /// The bytes of complete bodies.
  private(set) var completeBytes = 0
  private var holds: [Int: Hold] = [:]
  private var held: [RequestOwner: Share] = [:]
  private var lastTicket = 0

  package init(_ limits: Limits) {
    self.limits = limits
  }

  /// Begins a body of a declared length and returns its ticket, or `nil` if complete bodies leave no room for it.
  package mutating func begin(declared: Int?, owners: [RequestOwner], at now: Duration) -> Int? {
    let declared = max(declared ?? 1, 0)
    // Subtract instead of adding: a declared length near Int.max must not overflow.
    guard declared <= limits.maximumBytes - completeBytes else { return nil }
    for owner in owners {
      let complete = held[owner]?.completeBytes ?? 0
      guard complete == 0 || declared <= limits.maximumBytesPerOwner - complete else { return nil }
    }
    lastTicket += 1
    // The first interval has no minimum: on a bad network, nothing may arrive for a while.
    holds[lastTicket] = Hold(owners: owners, began: now, checked: now + limits.progressInterval)
    for owner in owners { held[owner, default: Share()].holds += 1 }
    return lastTicket
  }

  /// Returns true if there is room for `count` bytes. An empty budget has room for any count.
  package func hasRoom(for count: Int) -> Bool {
    min(count, limits.maximumBytes) <= limits.maximumBytes - completeBytes
  }

  /// Adds `count` bytes to a body.
  package mutating func grow(_ ticket: Int, by count: Int, at now: Duration) -> Growth {
    guard let hold = holds[ticket], count >= 0, count <= limits.maximumBytes - completeBytes else {
      return .refused(aborting: [])
    }
    var aborted: [Int] = []
    for owner in hold.owners {
      // An owner with a single body may use the whole budget.
      while let share = held[owner], share.bytes > hold.bytes, share.bytes > limits.maximumBytesPerOwner - count {
        guard let other = costliest(of: owner, at: now), other != ticket else { return .refused(aborting: aborted) }
        release(other)
        aborted.append(other)
      }
    }
    while count > limits.maximumBytes - bytes {
      guard let other = costliest(of: nil, at: now), other != ticket else { return .refused(aborting: aborted) }
      release(other)
      aborted.append(other)
    }
    holds[ticket]?.bytes += count
    bytes += count
    if hold.isComplete { completeBytes += count }
    for owner in hold.owners {
      held[owner]?.bytes += count
      if hold.isComplete { held[owner]?.completeBytes += count }
    }
    return .admitted(aborting: aborted)
  }

  /// Marks a body as complete. It can no longer be aborted.
  package mutating func complete(_ ticket: Int) {
    guard let hold = holds[ticket], !hold.isComplete else { return }
    holds[ticket]?.isComplete = true
    completeBytes += hold.bytes
    for owner in hold.owners { held[owner]?.completeBytes += hold.bytes }
  }

  /// Releases the bytes of a body; further calls have no effect.
  package mutating func release(_ ticket: Int) {
    guard let hold = holds.removeValue(forKey: ticket) else { return }
    bytes -= hold.bytes
    if hold.isComplete { completeBytes -= hold.bytes }
    for owner in hold.owners {
      guard var share = held[owner] else { continue }
      share.bytes -= hold.bytes
      if hold.isComplete { share.completeBytes -= hold.bytes }
      share.holds -= 1
      held[owner] = share.holds > 0 ? share : nil
    }
  }

  /// Returns true until a body is aborted or released.
  package func contains(_ ticket: Int) -> Bool { holds[ticket] != nil }

  /// Aborts stalled bodies: those that have grown too little since the last check.
  mutating func abortStalled(at now: Duration) -> [Int] {
    var aborted: [Int] = []
    for (ticket, hold) in holds where !hold.isComplete && now - hold.checked >= limits.progressInterval {
      if hold.bytes - hold.checkedBytes < limits.minimumProgress {
        aborted.append(ticket)
      } else {
        holds[ticket]?.checked = now
        holds[ticket]?.checkedBytes = hold.bytes
      }
    }
    for ticket in aborted { release(ticket) }
    return aborted
  }

  private func costliest(of owner: RequestOwner?, at now: Duration) -> Int? {
    holds.lazy
      .filter { _, hold in !hold.isComplete && hold.bytes > 0 && owner.map(hold.owners.contains) ?? true }
      .max { left, right in
        (left.value.cost(at: now), right.value.began, right.key)
          < (right.value.cost(at: now), left.value.began, left.key)
      }?.key
  }
}
