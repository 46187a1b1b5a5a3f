/// Decides which requests may bring their bytes in: a budget over everything read, parsed or waiting for its commit.
///
/// Bytes count when they have arrived, never when they are only announced: an announcement costs its sender nothing.
/// When bodies that still arrive fill the budget, those that have cost most (bytes times the time they were held) are
/// cut to make room; a complete body is never cut.
struct Admission: Sendable {
  /// The bounds.
  struct Limits: Sendable {
    /// The budget, in bytes.
    var maximumBytes: Int
    /// Most bytes of incomplete bodies of one client.
    var maximumUnfinishedBytes = Int.max
    /// How long a body may take for each next `minimumProgress` bytes, after a first interval without demands.
    var progressInterval = Duration.seconds(5)
    /// The least that must arrive of a body in each interval, in bytes.
    var minimumProgress = 1 << 10
  }

  /// What became of the wish to hold more.
  enum Growth: Equatable {
    /// It may; these others were cut for it.
    case admitted(cutting: [Int])
    /// It may not; these were cut all the same.
    case refused(cutting: [Int])
  }

  private struct Hold {
    var client: String
    var began: Duration
    var bytes = 0
    var isComplete = false
    var checked: Duration
    var checkedBytes = 0

    func cost(at now: Duration) -> Double { Double(bytes) * ((now - began) / .seconds(1)) }
  }

  let limits: Limits
  /// What all hold of the budget.
  private(set) var bytes = 0
  /// What complete bodies hold of it.
  private(set) var completeBytes = 0
  private var holds: [Int: Hold] = [:]
  private var unfinished: [String: Int] = [:]
  private var lastTicket = 0

  init(_ limits: Limits) {
    self.limits = limits
  }

  /// Begins a body of an announced length; `nil` when complete bodies leave no room for it.
  mutating func begin(declared: Int?, client: String, at now: Duration) -> Int? {
    // Subtracting instead of adding: a declared length near Int.max must not overflow.
    guard max(declared ?? 1, 0) <= limits.maximumBytes - completeBytes else { return nil }
    lastTicket += 1
    // The first interval is free: nothing may come for a while on a bad network.
    holds[lastTicket] = Hold(client: client, began: now, checked: now + limits.progressInterval)
    return lastTicket
  }

  /// Whether so many bytes would find room now; a budget that is smaller counts as enough while none of it is taken.
  func hasRoom(for count: Int) -> Bool { min(count, limits.maximumBytes) <= limits.maximumBytes - completeBytes }

  /// Takes `count` more bytes for a body.
  mutating func grow(_ ticket: Int, by count: Int, at now: Duration) -> Growth {
    guard let hold = holds[ticket], count >= 0, count <= limits.maximumBytes - completeBytes else {
      return .refused(cutting: [])
    }
    var cut: [Int] = []
    if !hold.isComplete {
      // A client's only body has the whole budget.
      while let sum = unfinished[hold.client], sum > hold.bytes, sum > limits.maximumUnfinishedBytes - count {
        guard let victim = costliest(of: hold.client, at: now), victim != ticket else { return .refused(cutting: cut) }
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
    if hold.isComplete { completeBytes += count } else { unfinished[hold.client, default: 0] += count }
    return .admitted(cutting: cut)
  }

  /// All of a body has arrived; it will not be cut any more.
  mutating func complete(_ ticket: Int) {
    guard let hold = holds[ticket], !hold.isComplete else { return }
    holds[ticket]?.isComplete = true
    completeBytes += hold.bytes
    forget(hold.bytes, of: hold.client)
  }

  /// Gives back what a body holds; once only counts.
  mutating func release(_ ticket: Int) {
    guard let hold = holds.removeValue(forKey: ticket) else { return }
    bytes -= hold.bytes
    if hold.isComplete { completeBytes -= hold.bytes } else { forget(hold.bytes, of: hold.client) }
  }

  /// Whether a body still has its place.
  func contains(_ ticket: Int) -> Bool { holds[ticket] != nil }

  /// Cuts the bodies of which too little has arrived since they were last looked at.
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

  private func costliest(of client: String?, at now: Duration) -> Int? {
    holds.lazy.filter { !$0.value.isComplete && $0.value.bytes > 0 && (client == nil || $0.value.client == client) }
      .max { left, right in
        (left.value.cost(at: now), right.value.began, right.key)
          < (right.value.cost(at: now), left.value.began, left.key)
      }?.key
  }

  private mutating func forget(_ count: Int, of client: String) {
    let rest = (unfinished[client] ?? 0) - count
    unfinished[client] = rest > 0 ? rest : nil
  }
}
