package import Warehouse

/// Turns clients' hits into users' hits, for views whose users are `uid`s.
package enum ViewIdentity {
  /// Tells the numbers of clients from those of `uid`s where both stand side by side: in what a view remembers.
  package static let clientMark: UInt32 = 1 << 31

  /// The users of hits, and what was learnt of the clients behind them.
  package struct Outcome {
    /// The numbers of users by the ids of their hits. Hits of no user are not in it.
    package var owners: [Int64: UInt32] = [:]
    /// What changed of what is remembered of clients, by their marked numbers.
    package var states: [UInt32: UserState] = [:]
  }

  /// The users of all hits that belong to a `uid`.
  ///
  /// A hit belongs to the id that it names. With unification, those of the session in which a client first names one
  /// belong to it too when they come before. Later hits without an id belong to no user: the user has left.
  ///
  /// - Parameters:
  ///   - batch: all hits of some clients on one day that came in time.
  ///   - settings: decides about unification, and how clients' sessions are cut.
  ///   - states: what was remembered of the clients when the day began, by their marked numbers: a session goes on under
  ///     the campaign of an earlier day.
  ///   - number: returns the number of a `uid`; `nil` when it has none.
  package static func users(
    of batch: HitBatch, _ settings: ViewSettings, states: [UInt32: UserState] = [:],
    number: (String) throws -> UInt32?
  ) rethrows -> Outcome {
    var outcome = Outcome()
    let nobody = KnownText.empty.id
    guard settings.identity == .user else {
      for hit in batch.hits where hit.user != nobody {
        outcome.owners[hit.id] = try number(batch.texts.string(hit.user))
      }
      return outcome
    }
    // A quota on clients' sessions would take hits away that a user's session has room for.
    var unlimited = settings
    unlimited.hasQuotas = false
    var found: [(id: Int64, user: TextID)] = []
    batch.byUser { slot, hits in
      let state = states[slot | clientMark] ?? UserState()
      let day = UserDay(hits: hits, batch, state, unlimited, CustomRules()) { _ in true }
      if day.state != state { outcome.states[slot | clientMark] = day.state }
      for session in day.sessions {
        guard let first = session.hits.firstIndex(where: { $0.user != nobody }) else { continue }
        for (position, hit) in session.hits.enumerated() {
          found.append((hit.id, position < first ? session.hits[first].user : hit.user))
        }
      }
    }
    for (id, user) in found where user != nobody { outcome.owners[id] = try number(batch.texts.string(user)) }
    return outcome
  }
}
