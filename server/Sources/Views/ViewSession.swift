package import Warehouse

/// One session of a view.
package struct ViewSession {
  /// The hits that are processed, in order.
  package var hits: [ViewHit]
  /// Source, medium and name; `nil` when the user came by himself.
  package var campaign: [String]?
  /// The values of dimensions of session scope, by parameter.
  package var values: [String: String] = [:]
  /// The values of dimensions of user scope, by parameter, as they were when the session ended.
  package var userValues: [String: String] = [:]
  /// Hits beyond the 500th, whether they are processed or not.
  package var excess = 0
  /// The last hit, processed or not: what the next one's silence is counted from.
  fileprivate var last: ViewHit

  fileprivate init(_ hit: ViewHit, campaign: [String]?) {
    hits = [hit]
    last = hit
    self.campaign = campaign
  }
}

/// One user's day: its sessions, and what is remembered of the user afterwards.
///
/// A pure function of the day's hits in order and of what was remembered before. Hits that the view's filters take away
/// cut no session and count nowhere. But what they say of the session and of the user holds: such a hit belongs to the
/// session whose last hit before it is no further away than the time-out, else to one that begins as soon after it.
package struct UserDay {
  private enum Place {
    /// Processed, or not: beyond the quota.
    case inside(session: Int, isProcessed: Bool)
    case filtered
  }

  package private(set) var sessions: [ViewSession] = []
  package private(set) var state: UserState
  private let settings: ViewSettings
  private let rules: CustomRules

  /// - Parameter hits: all of the user's day in order, each with whether the filters let it through.
  package init(
    hits: [(hit: ViewHit, isIn: Bool)], _ state: UserState, _ settings: ViewSettings, _ rules: CustomRules
  ) {
    self.state = state
    self.settings = settings
    self.rules = rules
    let places = hits.map { place($0.hit, isIn: $0.isIn) }
    // Most apps define no scopes wider than a hit.
    if rules.hasWiderScopes { readValues(hits.map(\.hit), places) }
  }

  /// Puts the next hit into its session.
  private mutating func place(_ hit: ViewHit, isIn: Bool) -> Place {
    let named = hit.campaign
    guard isIn else {
      note(named, hit.time)
      return .filtered
    }
    let index = sessions.count - 1
    guard index >= 0, !begins(hit, after: sessions[index]) else {
      let campaign = named ?? state.campaign(at: hit.time, settings)
      note(named, hit.time)
      sessions.append(ViewSession(hit, campaign: campaign))
      return .inside(session: sessions.count - 1, isProcessed: true)
    }
    sessions[index].last = hit
    let isExcess = sessions[index].hits.count >= ViewSettings.sessionHits
    if isExcess { sessions[index].excess += 1 }
    if isExcess, settings.hasQuotas { return .inside(session: index, isProcessed: false) }
    note(named, hit.time)
    sessions[index].hits.append(hit)
    return .inside(session: index, isProcessed: true)
  }

  private func begins(_ hit: ViewHit, after session: ViewSession) -> Bool {
    hit.time - session.last.time > settings.maximumGap || session.last.endsSession || hit.startsSession
      || hit.campaign.map { $0 != session.campaign } ?? false
  }

  private mutating func note(_ campaign: [String]?, _ time: Int64) {
    if let campaign { state.campaign = UserState.Campaign(key: campaign, time: time) }
  }

  /// Finds the values that hold for whole sessions and for the user.
  private mutating func readValues(_ hits: [ViewHit], _ places: [Place]) {
    var following: [Int?] = Array(repeating: nil, count: hits.count)
    for position in hits.indices.dropLast().reversed() {
      following[position] = if case .inside = places[position + 1] { position + 1 } else { following[position + 1] }
    }
    var previous: Int?
    for (position, hit) in hits.enumerated() {
      var session: Int?
      switch places[position] {
      case .inside(let index, let isProcessed):
        previous = position
        session = index
        if !isProcessed { continue }
      case .filtered:
        session = self.session(of: hit, between: previous, following[position], hits, places)
      }
      for custom in hit.dimensions {
        switch rules.scope(custom.name, at: hit.time) {
        case .session: if let session { sessions[session].values[custom.name] = custom.value }
        case .user: state.values[custom.name] = custom.value
        case .hit, nil: break
        }
      }
      if let session { sessions[session].userValues = state.values }
    }
  }

  /// The session to which a hit that was filtered out belongs.
  private func session(
    of hit: ViewHit, between previous: Int?, _ next: Int?, _ hits: [ViewHit], _ places: [Place]
  ) -> Int? {
    func index(_ position: Int) -> Int? {
      if case .inside(let index, _) = places[position] { index } else { nil }
    }
    if let previous, hit.time - hits[previous].time <= settings.maximumGap, !hits[previous].endsSession {
      return index(previous)
    }
    if let next, hits[next].time - hit.time <= settings.maximumGap, !hits[next].startsSession { return index(next) }
    return nil
  }
}
