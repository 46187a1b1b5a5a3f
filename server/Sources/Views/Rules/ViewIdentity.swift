package import Warehouse

/// Assigns clients' hits to users, for views whose users are `uid`s.
package enum ViewIdentity {
  /// A bit that distinguishes client numbers from `uid` numbers in a view's state, which holds both.
  package static let clientMark: UInt32 = 1 << 31

  /// The users of the hits, and the state changes of their clients.
  package struct Outcome {
    /// User numbers by hit id. Hits without a user are left out.
    package var owners: [Int64: UInt32] = [:]
    /// The changed states of clients, by their marked numbers.
    package var states: [UInt32: UserState] = [:]
  }

  /// Returns the users of all hits that belong to a `uid`.
  ///
  /// A hit belongs to the `uid` that it names. With unification, earlier hits of the session in which a client first
  /// names a `uid` belong to it too. Later hits without a `uid` belong to no user: the user has signed out.
  ///
  /// - Parameters:
  ///   - batch: All hits of some clients on one day that were received in time.
  ///   - settings: The settings for unification and sessions.
  ///   - states: The clients' states when the day began, by their marked numbers: a session continues under the campaign
  ///     of an earlier day.
  ///   - number: Returns the number of a `uid`, or `nil` if it has none.
  package static func users(
    of batch: HitBatch, _ settings: ViewSettings, states: [UInt32: UserState] = [:],
    number: (String) throws -> UInt32?
  ) rethrows -> Outcome {
    var outcome = Outcome()
    let noUser = KnownText.empty.id
    guard settings.identity == .user else {
      for hit in batch.hits where hit.user != noUser {
        outcome.owners[hit.id] = try number(batch.texts.string(hit.user))
      }
      return outcome
    }
    // Without quotas: a client session's quota would drop hits for which the user's session has room.
    var unlimited = settings
    unlimited.hasQuotas = false
    var found: [(id: Int64, user: TextID)] = []
    batch.byUser { slot, hits in
      let state = states[slot | clientMark] ?? UserState()
      let day = UserDay(hits: hits, batch, state, unlimited, CustomRules()) { _ in true }
      if day.state != state { outcome.states[slot | clientMark] = day.state }
      for session in day.sessions {
        guard let first = session.hits.firstIndex(where: { $0.user != noUser }) else { continue }
        for (position, hit) in session.hits.enumerated() {
          found.append((hit.id, position < first ? session.hits[first].user : hit.user))
        }
      }
    }
    for (id, user) in found where user != noUser { outcome.owners[id] = try number(batch.texts.string(user)) }
    return outcome
  }
}
