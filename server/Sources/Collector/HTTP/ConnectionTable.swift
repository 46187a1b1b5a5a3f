/// What a connection is doing, as far as it matters for closing it early.
enum ConnectionPhase: Int, Sendable {
  /// Nothing has come yet, or a part of a request's head, or it rests between two requests: given up first.
  case withoutRequest
  /// A request's body comes in.
  case receiving
  /// A request is being answered: never given up.
  case answering
}

/// Which connections are open, and which has to go when there are too many; decides only.
struct ConnectionTable<ID: Hashable & Sendable>: Sendable {
  private struct Entry {
    /// `nil` for what no share bounds.
    var client: String?
    var phase = ConnectionPhase.withoutRequest
    var since: Duration
  }

  /// Most connections.
  let maximum: Int
  /// Most connections of one client address.
  let maximumPerClient: Int
  private var entries: [ID: Entry] = [:]
  private var counts: [String: Int] = [:]

  init(maximum: Int, maximumPerClient: Int) {
    self.maximum = maximum
    self.maximumPerClient = maximumPerClient
  }

  /// How many are open.
  var count: Int { entries.count }

  /// A connection was opened; returns the one to close for it, if any.
  ///
  /// - Parameter client: whose share it belongs to; `nil` for nobody's.
  mutating func opened(_ id: ID, client: String?, at now: Duration) -> ID? {
    entries[id] = Entry(client: client, since: now)
    if let client { counts[client, default: 0] += 1 }
    return surplus(sparing: id, client: client)
  }

  /// A connection does something else now; returns the one to close, which may be itself, if there are too many and
  /// none could be closed before.
  mutating func changed(_ id: ID, to phase: ConnectionPhase, at now: Duration) -> ID? {
    guard let client = entries[id].map(\.client) else { return nil }
    entries[id]?.phase = phase
    entries[id]?.since = now
    return phase == .answering ? nil : surplus(sparing: nil, client: client)
  }

  /// A connection was closed; once only counts.
  mutating func closed(_ id: ID) {
    guard let client = entries.removeValue(forKey: id)?.client else { return }
    let rest = (counts[client] ?? 0) - 1
    counts[client] = rest > 0 ? rest : nil
  }

  private mutating func surplus(sparing spared: ID?, client: String?) -> ID? {
    let isOverShare = client.flatMap { counts[$0] }.map { $0 > maximumPerClient } ?? false
    guard isOverShare || entries.count > maximum else { return nil }
    let candidates = entries.lazy.filter { entry in
      entry.value.phase != .answering && entry.key != spared && (!isOverShare || entry.value.client == client)
    }
    let victim = candidates.min { left, right in
      // The oldest: a new client that has not sent its head yet must not go before those that never will.
      (left.value.phase.rawValue, left.value.since) < (right.value.phase.rawValue, right.value.since)
    }?.key
    if let victim { closed(victim) }
    return victim
  }
}
