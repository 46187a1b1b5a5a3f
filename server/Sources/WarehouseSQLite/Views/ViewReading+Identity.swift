import Views
import Warehouse

extension ViewReading {
  /// Passes on the wanted hits of a time range that have a user in this view, in portions of whole users, ordered by
  /// user number. All hits of a `uid` are in one portion, because it may be used by many clients.
  func portions(
    _ times: Range<Int64>, where isWanted: (Int64, Int64, Int64) -> Bool, body: ([ViewHit]) throws -> Void
  ) throws {
    guard view.countsUserIDs else { return try scan.portions(times, where: isWanted, body: body) }
    var found: [ViewHit] = []
    try scan.portions(times, where: isWanted) { hits in
      let outcome = try ViewIdentity.users(of: HitBatch(hits), view.latest.settings) { try userNumbers.number($0) }
      for var hit in hits {
        guard let owner = outcome.owners[hit.id] else { continue }
        hit.slot = owner
        found.append(hit)
      }
    }
    try body(found)
  }

  /// Returns the number of the user that a hit itself names, or `nil` if it names none in a view of `uid`s.
  func user(of hit: ViewHit) throws -> UInt32? {
    guard view.countsUserIDs else { return hit.slot }
    return hit.user.isEmpty ? nil : try userNumbers.number(hit.user)
  }
}
