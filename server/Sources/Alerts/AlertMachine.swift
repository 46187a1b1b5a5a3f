package import TernEvents

/// The memory of an alert, stored with every notification in one transaction.
package struct AlertState: Sendable, Hashable, Codable {
  /// The number of the last period that was decided on.
  package var period: Int?
  /// The last days that were asked about, which are decided on again, oldest first; `nil` before the first.
  package var days: [FollowedDay]?
  /// True if a breach was reported that is not over.
  package var isBreached = false
  /// The highest known number of a group of errors; `nil` before the first observation.
  package var group: Int64?
  /// The returned errors that are known: the closing of each, by its group; `nil` before the first observation.
  package var closings: [Int64: Int64]?
  /// The time of the last notification about errors, in milliseconds since 1970.
  package var toldErrors: Int64?
  /// The problems that were reported, with the time at which each was last observed, in milliseconds since 1970.
  package var problems: [String: Int64] = [:]
  /// The reason why the alert can't be evaluated; `nil` if it can.
  package var failure: Failure?

  package init() {}

  /// A reason why an alert can't be evaluated.
  package struct Failure: Sendable, Hashable, Codable {
    package var reason: String
    /// The time of the first failure in a row, in milliseconds since 1970.
    package var since: Int64
    package var isReported: Bool
  }
}

/// Decides what an alert reports: once when a limit is crossed, once when that is over, and once when late data changes
/// either.
package struct AlertMachine: Sendable {
  /// The shortest time between two notifications about errors. Anyone can send a flood of new groups; it causes one
  /// mail an hour.
  package static let errorInterval: Duration = .seconds(3_600)
  /// The time for which a problem of the server must be gone before it is over: free space moves up and down around its
  /// limit.
  package static let problemPause: Duration = .seconds(900)
  /// The time for which an alert must fail before that is reported, since a question may take too long just once.
  package static let failurePatience: Duration = .seconds(3_600)
  /// The most errors that one notification names.
  package static let maximumErrors = 10

  package let alert: Alert
  package private(set) var state: AlertState

  package init(_ alert: Alert, _ state: AlertState) { (self.alert, self.state) = (alert, state) }

  /// Handles an observation, and returns what to report. A muted alert ignores it: whatever still holds when it is
  /// unmuted is reported then.
  package mutating func handle(_ observation: AlertObservation, now: Timestamp) -> [AlertEvent] {
    guard !alert.isMuted(at: now) else { return [] }
    if case .failure(let reason) = observation { return handle(failure: reason, now) }
    let wasReported = state.failure?.isReported ?? false
    state.failure = nil
    return (wasReported ? [.working] : []) + decide(on: observation, now)
  }

  private mutating func handle(failure reason: String, _ now: Timestamp) -> [AlertEvent] {
    var failure = state.failure ?? .init(reason: reason, since: now.millisecondsSince1970, isReported: false)
    defer { state.failure = failure }
    failure.reason = reason
    let since = Timestamp(millisecondsSince1970: failure.since)
    guard !failure.isReported, since > now || now.since(since) >= Self.failurePatience else { return [] }
    failure.isReported = true
    return [.failing(reason: reason)]
  }

  private mutating func decide(on observation: AlertObservation, _ now: Timestamp) -> [AlertEvent] {
    switch observation {
    case .figure(let figure): return handle(figure, now)
    case .arrival(let last, let since): return last.map { handle(arrival: $0, receivingSince: since, now) } ?? []
    case .newErrors(let errors, let highest): return handle(new: errors, highest: highest, now)
    case .returnedErrors(let errors, let numbers): return handle(returned: errors, numbers, now)
    case .problems(let problems): return handle(problems, now)
    case .nothingNew, .failure: return []
    }
  }

  private mutating func handle(_ figure: PeriodFigure, _ now: Timestamp) -> [AlertEvent] {
    guard alert.condition.question?.period == .hour else { return handle(day: figure, now) }
    // An hour is decided on once, in order, even if the clock is set back.
    guard figure.number > state.period ?? .min, let isOutside = isOutside(figure) else { return [] }
    return decide(figure, isOutside)
  }

  private mutating func handle(day figure: PeriodFigure, _ now: Timestamp) -> [AlertEvent] {
    var days = state.followedDays
    let index = days.firstIndex { $0.number == figure.number }
    // A day that wasn't asked about when it was the last is none of the alert's: it was new or muted, or the server
    // stopped, or the clock was set back.
    guard index != nil || figure.number > days.last?.number ?? .min else { return [] }
    let known = index.flatMap { days[$0].isOutside }
    // A decision stays if there is too little data later on, since someone's data was deleted.
    let decision = isOutside(figure) ?? known
    let day = FollowedDay(number: figure.number, isOutside: decision, asked: now.millisecondsSince1970)
    if let index { days[index] = day } else { days.append(day) }
    state.days = Array(days.suffix(EndedPeriods.followedDays))
    guard let isOutside = decision else { return [] }
    if known == nil, figure.number > state.period ?? .min { return decide(figure, isOutside) }
    guard isOutside != known ?? false else { return [] }
    // Only the last day says what is the case now.
    if figure.number == state.period { state.isBreached = isOutside }
    return [.corrected(figure, isOutside: isOutside, isRaised: state.isBreached)]
  }

  /// Decides on a period that is later than all others.
  private mutating func decide(_ figure: PeriodFigure, _ isOutside: Bool) -> [AlertEvent] {
    state.period = figure.number
    defer { state.isBreached = isOutside }
    switch (state.isBreached, isOutside) {
    case (false, true): return [.breached(figure)]
    case (true, false): return [.recovered(figure)]
    case (true, true), (false, false): return []
    }
  }

  /// Returns true if a figure is outside the limit; `nil` if there is too little data for a decision.
  private func isOutside(_ figure: PeriodFigure) -> Bool? {
    guard let value = figure.value else { return nil }
    let (now, before) = (figure.users, figure.usersBefore)
    // A count that drops to zero has no users, and must be reported; a share of few users is chance.
    func hasEnough(_ users: Int) -> Bool { (figure.isCount ? max(now, before) : users) >= alert.minimumUsers }
    switch alert.condition {
    case .above(let limit, _): return hasEnough(now) ? value > limit : nil
    case .below(let limit, _): return hasEnough(now) ? value < limit : nil
    case .crashFreeUsersBelow(let percent, _): return now >= max(alert.minimumUsers, 1) ? value < percent : nil
    case .changed(let percent, _):
      guard let change = figure.change, hasEnough(min(now, before)) else { return nil }
      return change > percent
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
    guard mayReportErrors(errors, now) else { return [] }
    state.group = max(highest, errors.map(\.group).max() ?? known)
    return report(errors, now)
  }

  private mutating func handle(
    returned errors: [ErrorNotice], _ numbers: [Int64: Int64], _ now: Timestamp
  ) -> [AlertEvent] {
    let closings = Dictionary(errors.map { ($0.group, $0.closed) }, uniquingKeysWith: { max($0, $1) })
    guard let known = state.closings else {
      state.closings = closings
      return []
    }
    // Symbols, rules and people change the number of a group, which is no news.
    let present = Dictionary(known.map { (numbers[$0] ?? $0, $1) }, uniquingKeysWith: { max($0, $1) })
    let errors = errors.filter { present[$0.group] != $0.closed }
    if errors.isEmpty { state.closings = closings }
    guard mayReportErrors(errors, now) else { return [] }
    state.closings = closings
    return report(errors, now)
  }

  private func mayReportErrors(_ errors: [ErrorNotice], _ now: Timestamp) -> Bool {
    guard !errors.isEmpty else { return false }
    guard let last = state.toldErrors.map({ Timestamp(millisecondsSince1970: $0) }) else { return true }
    // A clock that was set back must not silence the alert.
    return last > now || now.since(last) >= Self.errorInterval
  }

  private mutating func report(_ errors: [ErrorNotice], _ now: Timestamp) -> [AlertEvent] {
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
