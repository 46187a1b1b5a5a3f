import TernBase
import Warehouse

/// One session of a view.
struct ViewSession {
  /// The processed hits, in order.
  var hits: [CountedHit]
  /// Source, medium and name, or `nil` for a direct visit.
  var campaign: ViewKey?
  /// The values of custom dimensions of session scope, by parameter.
  var values: [String: String] = [:]
  /// The values of custom dimensions of user scope at the end of the session, by parameter.
  var userValues: [String: String] = [:]
  /// The number of hits beyond the 500th, processed or not.
  var excess = 0
  /// The time of the last hit, processed or not. The next period of silence starts there.
  fileprivate var lastTime: EventTime
  /// True if the last hit, processed or not, ended the session.
  fileprivate var isEnded: Bool

  fileprivate init(_ hit: CountedHit, campaign: ViewKey?) {
    hits = [hit]
    lastTime = hit.time
    isEnded = hit.endsSession
    self.campaign = campaign
  }
}

/// One user's day: its sessions, and the user's state at its end.
///
/// A pure function of the day's hits in order and the user's state at its beginning. Hits excluded by the view's
/// filters start no session and are not counted, but they still update the session's and the user's state. Such a hit
/// belongs to the session whose last hit precedes it by no more than the time-out, else to a session that begins within
/// the time-out after it.
struct UserDay {
  private enum Place {
    /// A hit within a session; not processed if it exceeds the quota.
    case inside(session: Int, isProcessed: Bool)
    case filtered
  }

  private(set) var sessions: [ViewSession] = []
  private(set) var state: UserState
  private let batch: HitBatch
  private let settings: ViewSettings
  private let rules: CustomRules
  /// The last campaign that the user's hits named, and its time.
  private var campaign: (key: ViewKey, time: EventTime)?

  /// - Parameters:
  ///   - hits: All of the user's hits of the day, in order.
  ///   - isIncluded: Returns true for a hit that passes the view's filters.
  init(
    hits: ArraySlice<CountedHit>, _ batch: HitBatch, _ state: UserState, _ settings: ViewSettings, _ rules: CustomRules,
    isIncluded: (CountedHit) -> Bool
  ) {
    self.state = state
    self.batch = batch
    self.settings = settings
    self.rules = rules
    campaign = state.campaign.map { (ViewKey($0.key.map { batch.texts.id($0) }), $0.time) }
    let named = campaign?.time
    // Most apps define no scopes wider than a hit.
    if rules.hasWiderScopes {
      let hits = Array(hits)
      let places = hits.map { place($0, isIncluded: isIncluded($0)) }
      readValues(hits, places)
    } else {
      for hit in hits { _ = place(hit, isIncluded: isIncluded(hit)) }
    }
    if let campaign,
      campaign.time != named || campaign.key.parts(3).map({ batch.texts.string($0) }) != state.campaign?.key
    {
      self.state.campaign = UserState.Campaign(
        key: campaign.key.parts(3).map { batch.texts.string($0) }, time: campaign.time)
    }
  }

  /// Assigns the next hit to a session.
  private mutating func place(_ hit: CountedHit, isIncluded: Bool) -> Place {
    let named = batch.campaign(hit)
    guard isIncluded else {
      note(named, hit.time)
      return .filtered
    }
    let index = sessions.count - 1
    guard index >= 0, !begins(hit, named, after: sessions[index]) else {
      let campaign = named ?? lasting(at: hit.time)
      note(named, hit.time)
      sessions.append(ViewSession(hit, campaign: campaign))
      return .inside(session: sessions.count - 1, isProcessed: true)
    }
    sessions[index].lastTime = hit.time
    sessions[index].isEnded = hit.endsSession
    let isExcess = sessions[index].hits.count >= ViewSettings.sessionHits
    if isExcess { sessions[index].excess += 1 }
    if isExcess, settings.hasQuotas { return .inside(session: index, isProcessed: false) }
    note(named, hit.time)
    sessions[index].hits.append(hit)
    return .inside(session: index, isProcessed: true)
  }

  private func begins(_ hit: CountedHit, _ named: ViewKey?, after session: ViewSession) -> Bool {
    hit.time - session.lastTime > settings.maximumGap || session.isEnded || hit.startsSession
      || named.map { $0 != session.campaign } ?? false
  }

  /// The campaign, at a given time, of sessions that name none.
  private func lasting(at time: EventTime) -> ViewKey? {
    campaign.flatMap { settings.campaignLasts(from: $0.time, at: time) ? $0.key : nil }
  }

  private mutating func note(_ named: ViewKey?, _ time: EventTime) {
    if let named { campaign = (named, time) }
  }

  /// Determines the values that apply to whole sessions and to the user.
  private mutating func readValues(_ hits: [CountedHit], _ places: [Place]) {
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
      for custom in batch.customs(hit) where custom.role == .dimension {
        let (name, value) = (batch.texts.string(custom.name), batch.texts.string(custom.value))
        switch rules.scope(name, at: hit.time) {
        case .session: if let session { sessions[session].values[name] = value }
        case .user: state.values[name] = value
        case .hit, nil: break
        }
      }
      if let session { sessions[session].userValues = state.values }
    }
  }

  /// Returns the session to which an excluded hit belongs.
  private func session(
    of hit: CountedHit, between previous: Int?, _ next: Int?, _ hits: [CountedHit], _ places: [Place]
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
