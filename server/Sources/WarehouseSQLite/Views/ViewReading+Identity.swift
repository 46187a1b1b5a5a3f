import Views
import Warehouse

extension ViewReading {
  /// Hands over the wanted hits of a stretch of time that have a user in this view, by the numbers of users: in portions,
  /// each with all hits of its users. Those of `uid`s come together, as one may be behind many clients.
  ///
  /// - Parameter day: the day that they are of, before which something may be remembered of their clients.
  /// - Returns: what the hits changed of that.
  @discardableResult
  func portions(
    _ times: Range<Int64>, of day: Int? = nil, where isWanted: (Int64, Int64, Int64) -> Bool,
    found places: ([ViewPlace]) -> Void = { _ in }, body: ([ViewHit]) throws -> Void
  ) throws -> [UInt32: UserState] {
    guard view.countsMembers else {
      try scan.portions(times, where: isWanted, found: places, body: body)
      return [:]
    }
    // Without a day, what matters is what came last.
    let settings = day.map { view.rules(on: Day(number: $0)).settings } ?? view.latest.settings
    var found = ViewIdentity.Outcome()
    try scan.portions(times, where: isWanted) { hits in
      var known: [UInt32: UserState] = [:]
      if let day, settings.identity == .user {
        known = try states(of: Set(hits.map { $0.slot | ViewIdentity.clientMark }), before: day)
      }
      let outcome = try ViewIdentity.users(of: hits, settings, states: known) { try members.number($0) }
      found.hits += outcome.hits
      // Each client is in one portion.
      found.states.merge(outcome.states) { $1 }
    }
    try body(found.hits)
    return found.states
  }

  /// The number of the user that a hit names by itself; `nil` when it names none in a view of `uid`s.
  func user(of hit: ViewHit) throws -> UInt32? {
    guard view.countsMembers else { return hit.slot }
    return hit.user.isEmpty ? nil : try members.number(hit.user)
  }
}
