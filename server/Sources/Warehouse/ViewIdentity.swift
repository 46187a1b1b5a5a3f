/// Turns clients' hits into users' hits, for views whose users are `uid`s.
enum ViewIdentity {
  /// The hits that belong to a `uid`, each with that user's number in place of its client's.
  ///
  /// A hit belongs to the id that it names. With unification, those of the session in which a client first names one
  /// belong to it too when they come before. What comes after without an id belongs to nobody: the user has left.
  ///
  /// - Parameters:
  ///   - hits: all of one day that came in time.
  ///   - settings: decides about unification, and how clients' sessions are cut.
  ///   - number: the number of a `uid`; `nil` when it has none.
  static func users(
    of hits: [ViewHit], _ settings: ViewSettings, number: (String) throws -> UInt32?
  ) rethrows -> [ViewHit] {
    switch settings.identity {
    case .client: return hits
    case .explicitUser: return try hits.compactMap { try $0.belonging(to: $0.user, number) }
    case .user:
      // A quota on clients' sessions would take hits away that a user's session has room for.
      var unlimited = settings
      unlimited.hasQuotas = false
      var found: [ViewHit] = []
      for (_, hits) in Dictionary(grouping: hits, by: \.slot) {
        let ordered = hits.sorted(by: ViewHit.isBefore).map { (hit: $0, isIn: true) }
        for session in UserDay(hits: ordered, UserState(), unlimited, CustomRules()).sessions {
          guard let first = session.hits.firstIndex(where: { !$0.user.isEmpty }) else { continue }
          for (position, hit) in session.hits.enumerated() {
            let user = position < first ? session.hits[first].user : hit.user
            if let hit = try hit.belonging(to: user, number) { found.append(hit) }
          }
        }
      }
      return found
    }
  }
}

extension ViewReading {
  /// Hands over the wanted hits of a stretch of time that have a user in this view, by the numbers of users: in portions,
  /// each with all hits of its users. Those of `uid`s come together, as one may be behind many clients.
  func portions(
    _ times: Range<Int64>, where isWanted: (Int64, Int64, Int64) -> Bool, body: ([ViewHit]) throws -> Void
  ) throws {
    guard view.settings.identity != .client else { return try scan.portions(times, where: isWanted, body: body) }
    var found: [ViewHit] = []
    try scan.portions(times, where: isWanted) { hits in
      found += try ViewIdentity.users(of: hits, view.settings) { try members.number($0) }
    }
    try body(found)
  }

  /// The number of the user that a hit names by itself; `nil` when it names none in a view of `uid`s.
  func user(of hit: ViewHit) throws -> UInt32? {
    guard view.settings.identity != .client else { return hit.slot }
    return hit.user.isEmpty ? nil : try members.number(hit.user)
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
