/// The phase of a connection, which determines if it may be closed early.
package enum ConnectionPhase: Int, Sendable {
  /// No request, or an incomplete head. These connections are closed first.
  case withoutRequest
  /// A request's body is arriving.
  case receiving
  /// A response is in progress. These connections are never closed.
  case answering
}

/// The open connections, and the choice of the one to close if there are too many.
struct ConnectionTable<ID: Hashable & Sendable>: Sendable {
  private struct Entry {
    /// `nil` for connections without a limit per client.
    var client: String?
    var phase = ConnectionPhase.withoutRequest
    var since: Duration
  }

  /// The maximum number of connections.
  let maximum: Int
  /// The maximum number of connections per client address.
  let maximumPerClient: Int
  private var entries: [ID: Entry] = [:]
  private var counts: [String: Int] = [:]

  init(maximum: Int, maximumPerClient: Int) {
    self.maximum = maximum
    self.maximumPerClient = maximumPerClient
  }

  /// The number of open connections.
  var count: Int { entries.count }

  /// Adds a connection and returns the one to close for it, if any.
  ///
  /// - Parameter client: The client against whose limit it counts; `nil` for none.
  mutating func opened(_ id: ID, client: String?, at now: Duration) -> ID? {
    entries[id] = Entry(client: client, since: now)
    if let client { counts[client, default: 0] += 1 }
    return surplus(sparing: id, client: client)
  }

  /// Records the phase of a connection. Returns the one to close, possibly itself, if there are too many and none could
  /// be closed before.
  mutating func changed(_ id: ID, to phase: ConnectionPhase, at now: Duration) -> ID? {
    guard let client = entries[id].map(\.client) else { return nil }
    entries[id]?.phase = phase
    entries[id]?.since = now
    return phase == .answering ? nil : surplus(sparing: nil, client: client)
  }

  /// Removes a connection; further calls have no effect.
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
      // The oldest: a new client whose head is still in transit must not be closed before those that never send one.
      (left.value.phase.rawValue, left.value.since) < (right.value.phase.rawValue, right.value.since)
    }?.key
    if let victim { closed(victim) }
    return victim
  }
}
