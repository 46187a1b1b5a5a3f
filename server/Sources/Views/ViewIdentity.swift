package import Warehouse

/// Turns clients' hits into users' hits, for views whose users are `uid`s.
package enum ViewIdentity {
  /// Tells the numbers of clients from those of `uid`s where both stand side by side: in what a view remembers.
  package static let clientMark: UInt32 = 1 << 31

  /// Hits by the numbers of users, and what was learnt of the clients behind them.
  package struct Outcome {
    package var hits: [ViewHit] = []
    /// What changed of what is remembered of clients, by their marked numbers.
    package var states: [UInt32: UserState] = [:]

    package init(hits: [ViewHit] = []) { self.hits = hits }
  }

  /// The hits that belong to a `uid`, each with that user's number in place of its client's.
  ///
  /// A hit belongs to the id that it names. With unification, those of the session in which a client first names one
  /// belong to it too when they come before. What comes after without an id belongs to nobody: the user has left.
  ///
  /// - Parameters:
  ///   - hits: all of one day that came in time.
  ///   - settings: decides about unification, and how clients' sessions are cut.
  ///   - states: what was remembered of the clients when the day began, by their marked numbers: a session goes on under
  ///     the campaign of an earlier day.
  ///   - number: the number of a `uid`; `nil` when it has none.
  package static func users(
    of hits: [ViewHit], _ settings: ViewSettings, states: [UInt32: UserState] = [:],
    number: (String) throws -> UInt32?
  ) rethrows -> Outcome {
    switch settings.identity {
    case .client: return Outcome(hits: hits)
    case .explicitUser: return Outcome(hits: try hits.compactMap { try $0.belonging(to: $0.user, number) })
    case .user:
      // A quota on clients' sessions would take hits away that a user's session has room for.
      var unlimited = settings
      unlimited.hasQuotas = false
      var outcome = Outcome()
      for (slot, hits) in ViewHit.byUser(hits) {
        let ordered = hits.map { (hit: $0, isIn: true) }
        let state = states[slot | clientMark] ?? UserState()
        let day = UserDay(hits: ordered, state, unlimited, CustomRules())
        if day.state != state { outcome.states[slot | clientMark] = day.state }
        for session in day.sessions {
          guard let first = session.hits.firstIndex(where: { !$0.user.isEmpty }) else { continue }
          for (position, hit) in session.hits.enumerated() {
            let user = position < first ? session.hits[first].user : hit.user
            if let hit = try hit.belonging(to: user, number) { outcome.hits.append(hit) }
          }
        }
      }
      return outcome
    }
  }
}

extension ViewHit {
  fileprivate func belonging(to user: String, _ number: (String) throws -> UInt32?) rethrows -> ViewHit? {
    guard !user.isEmpty, let slot = try number(user) else { return nil }
    var hit = self
    hit.slot = slot
    return hit
  }
}
