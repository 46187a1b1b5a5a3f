/// Decides which requests may send their bytes: a budget for everything that is read, parsed or waiting for its commit.
///
/// Bytes count when they have arrived, not when they are declared: a declaration costs its sender nothing.
/// When incomplete bodies fill the budget, those with the highest cost (bytes times the time they were held) are cut to
/// make room; a complete body is never cut. One client address, and one app, may hold a share of the budget only.
struct Admission: Sendable {
  /// The bounds.
  struct Limits: Sendable {
    /// The budget, in bytes.
    var maximumBytes: Int
    /// The largest number of bytes of one owner's bodies, complete or not.
    var maximumBytesPerOwner = Int.max
    /// The time for each next `minimumProgress` bytes of a body. The first interval demands none.
    var progressInterval = Duration.seconds(5)
    /// The least that must arrive of a body in each interval, in bytes.
    var minimumProgress = 1 << 10
  }

  /// The answer to a body that needs more room.
  enum Growth: Equatable {
    /// The body has the room; these others were cut for it.
    case admitted(cutting: [Int])
    /// The body does not have the room; these were cut all the same.
    case refused(cutting: [Int])
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

  let limits: Limits
  /// The bytes of all bodies.
  private(set) var bytes = 0
  /// The bytes of complete bodies.
  private(set) var completeBytes = 0
  private var holds: [Int: Hold] = [:]
  private var held: [RequestOwner: Share] = [:]
  private var lastTicket = 0

  init(_ limits: Limits) {
    self.limits = limits
  }

  /// Begins a body of a declared length and returns its ticket; `nil` when complete bodies leave no room for it.
  mutating func begin(declared: Int?, owners: [RequestOwner], at now: Duration) -> Int? {
    let declared = max(declared ?? 1, 0)
    // Subtract instead of adding: a declared length near Int.max must not overflow.
    guard declared <= limits.maximumBytes - completeBytes else { return nil }
    for owner in owners {
      let complete = held[owner]?.completeBytes ?? 0
      guard complete == 0 || declared <= limits.maximumBytesPerOwner - complete else { return nil }
    }
    lastTicket += 1
    // The first interval is free: on a bad network nothing may arrive for a while.
    holds[lastTicket] = Hold(owners: owners, began: now, checked: now + limits.progressInterval)
    for owner in owners { held[owner, default: Share()].holds += 1 }
    return lastTicket
  }

  /// Returns true if there is room for `count` bytes. An empty budget has room for any count.
  func hasRoom(for count: Int) -> Bool { min(count, limits.maximumBytes) <= limits.maximumBytes - completeBytes }

  /// Adds `count` bytes to a body.
  mutating func grow(_ ticket: Int, by count: Int, at now: Duration) -> Growth {
    guard let hold = holds[ticket], count >= 0, count <= limits.maximumBytes - completeBytes else {
      return .refused(cutting: [])
    }
    var cut: [Int] = []
    for owner in hold.owners {
      // An owner's only body has the whole budget.
      while let share = held[owner], share.bytes > hold.bytes, share.bytes > limits.maximumBytesPerOwner - count {
        guard let victim = costliest(of: owner, at: now), victim != ticket else { return .refused(cutting: cut) }
        release(victim)
        cut.append(victim)
      }
    }
    while count > limits.maximumBytes - bytes {
      guard let victim = costliest(of: nil, at: now), victim != ticket else { return .refused(cutting: cut) }
      release(victim)
      cut.append(victim)
    }
    holds[ticket]?.bytes += count
    bytes += count
    if hold.isComplete { completeBytes += count }
    for owner in hold.owners {
      held[owner]?.bytes += count
      if hold.isComplete { held[owner]?.completeBytes += count }
    }
    return .admitted(cutting: cut)
  }

  /// Marks a body as complete. It cannot be cut from now on.
  mutating func complete(_ ticket: Int) {
    guard let hold = holds[ticket], !hold.isComplete else { return }
    holds[ticket]?.isComplete = true
    completeBytes += hold.bytes
    for owner in hold.owners { held[owner]?.completeBytes += hold.bytes }
  }

  /// Releases the bytes of a body; further calls have no effect.
  mutating func release(_ ticket: Int) {
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

  /// Returns true until a body is cut or released.
  func contains(_ ticket: Int) -> Bool { holds[ticket] != nil }

  /// Cuts stalled bodies: those that grew too little since the last check.
  mutating func cutSlow(at now: Duration) -> [Int] {
    var cut: [Int] = []
    for (ticket, hold) in holds where !hold.isComplete && now - hold.checked >= limits.progressInterval {
      if hold.bytes - hold.checkedBytes < limits.minimumProgress {
        cut.append(ticket)
      } else {
        holds[ticket]?.checked = now
        holds[ticket]?.checkedBytes = hold.bytes
      }
    }
    for ticket in cut { release(ticket) }
    return cut
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
