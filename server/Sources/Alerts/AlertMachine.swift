package import TernEvents

/// The memory of an alert, stored with every notification in one transaction.
package struct AlertState: Sendable, Hashable, Codable {
  /// The last period that was decided on.
  package var period: Int?
  /// True while a breach was told and is not over.
  package var isBreached = false
  /// The highest number of a group of errors that is known; `nil` before the first look.
  package var group: Int64?
  /// The closings of the errors that came back and are known; `nil` before the first look.
  package var closings: [Int64: Int64]?
  /// The time of the last notification about errors, in milliseconds since 1970.
  package var toldErrors: Int64?
  /// The problems that were told, with the time at which each was last there, in milliseconds since 1970.
  package var problems: [String: Int64] = [:]

  package init() {}
}

/// Decides what an alert says: once when a limit is crossed, once when that is over.
package struct AlertMachine: Sendable {
  /// The time between two notifications about errors: of a flood of new groups, which anyone can send, one mail an hour
  /// remains.
  package static let errorInterval: Duration = .seconds(3_600)
  /// The time for which a problem of the server must be gone to be over. Free space goes up and down around its limit.
  package static let problemPause: Duration = .seconds(900)
  /// The most errors that one notification names.
  package static let maximumErrors = 10

  package let alert: Alert
  package private(set) var state: AlertState

  package init(_ alert: Alert, _ state: AlertState) { (self.alert, self.state) = (alert, state) }

  /// Takes an observation, and returns what to tell. A muted alert learns nothing: what is still so when it speaks again is
  /// told then.
  package mutating func handle(_ observation: AlertObservation, now: Timestamp) -> [AlertEvent] {
    guard !alert.isMuted(at: now) else { return [] }
    switch observation {
    case .figure(let figure): return handle(figure)
    case .arrival(let last, let since): return last.map { handle(arrival: $0, receivingSince: since, now) } ?? []
    case .newErrors(let errors, let highest): return handle(new: errors, highest: highest, now)
    case .returnedErrors(let errors): return handle(returned: errors, now)
    case .problems(let problems): return handle(problems, now)
    }
  }

  private mutating func handle(_ figure: PeriodFigure) -> [AlertEvent] {
    // Periods are decided on once, and in order: a clock that was set back changes nothing.
    guard figure.number > state.period ?? .min else { return [] }
    guard let isOutside = isOutside(figure) else { return [] }
    state.period = figure.number
    defer { state.isBreached = isOutside }
    switch (state.isBreached, isOutside) {
    case (false, true): return [.breached(figure)]
    case (true, false): return [.recovered(figure)]
    case (true, true), (false, false): return []
    }
  }

  /// Returns true if a figure is outside the limit; `nil` if there is too little data to say.
  private func isOutside(_ figure: PeriodFigure) -> Bool? {
    guard let value = figure.value else { return nil }
    let (now, before) = (figure.users, figure.usersBefore)
    // A count that drops to nothing is what people want to know; a share of few users is chance.
    func hasEnough(_ users: Int) -> Bool { (figure.isCount ? max(now, before) : users) >= alert.minimumUsers }
    switch alert.condition {
    case .above(let limit, _): return hasEnough(now) ? value > limit : nil
    case .below(let limit, _): return hasEnough(now) ? value < limit : nil
    case .crashFreeUsersBelow(let percent, _): return now >= max(alert.minimumUsers, 1) ? value * 100 < percent : nil
    case .changed(let percent, _):
      guard let earlier = figure.before, earlier != 0, hasEnough(min(now, before)) else { return nil }
      return abs(value - earlier) / abs(earlier) * 100 > percent
    case .nothingArrived, .newError, .errorCameBack, .serverProblem: return nil
    }
  }

  private mutating func handle(arrival last: Timestamp, receivingSince since: Timestamp, _ now: Timestamp)
    -> [AlertEvent]
  {
    guard case .nothingArrived(let hours) = alert.condition else { return [] }
    let limit = Duration.seconds(hours * 3_600)
    if now.since(last) < limit {
      guard state.isBreached else { return [] }
      state.isBreached = false
      return [.arriving(at: last)]
    }
    // While the server itself was down, nothing could arrive.
    guard !state.isBreached, now.since(max(last, since)) >= limit else { return [] }
    state.isBreached = true
    return [.silent(since: last)]
  }

  private mutating func handle(new errors: [ErrorNotice], highest: Int64, _ now: Timestamp) -> [AlertEvent] {
    guard let known = state.group else {
      state.group = highest
      return []
    }
    let errors = errors.filter { $0.group > known }
    guard mayTellErrors(errors, now) else { return [] }
    state.group = max(highest, errors.map(\.group).max() ?? known)
    return tell(errors, now)
  }

  private mutating func handle(returned errors: [ErrorNotice], _ now: Timestamp) -> [AlertEvent] {
    let closings = Dictionary(errors.map { ($0.group, $0.closed) }, uniquingKeysWith: { max($0, $1) })
    guard let known = state.closings else {
      state.closings = closings
      return []
    }
    let errors = errors.filter { known[$0.group] != $0.closed }
    if errors.isEmpty { state.closings = closings }
    guard mayTellErrors(errors, now) else { return [] }
    state.closings = closings
    return tell(errors, now)
  }

  private func mayTellErrors(_ errors: [ErrorNotice], _ now: Timestamp) -> Bool {
    guard !errors.isEmpty else { return false }
    guard let last = state.toldErrors.map({ Timestamp(millisecondsSince1970: $0) }) else { return true }
    // A clock that was set back must not silence the alert.
    return last > now || now.since(last) >= Self.errorInterval
  }

  private mutating func tell(_ errors: [ErrorNotice], _ now: Timestamp) -> [AlertEvent] {
    state.toldErrors = now.millisecondsSince1970
    return [.errors(Array(errors.prefix(Self.maximumErrors)), count: errors.count)]
  }

  private mutating func handle(_ problems: [ProblemNotice], _ now: Timestamp) -> [AlertEvent] {
    var events: [AlertEvent] = []
    for problem in problems {
      if state.problems[problem.summary] == nil { events.append(.problem(problem)) }
      state.problems[problem.summary] = now.millisecondsSince1970
    }
    for (summary, last) in state.problems.sorted(by: { $0.key < $1.key }) {
      let last = Timestamp(millisecondsSince1970: last)
      guard last > now || now.since(last) >= Self.problemPause else { continue }
      state.problems[summary] = nil
      events.append(.problemOver(summary: summary))
    }
    return events
  }
}
