package import TernEvents

/// The data on which an alert is evaluated.
package enum AlertObservation: Sendable, Hashable {
  /// The figure of a period that has ended. That of a day may have been observed before, with less data.
  case figure(PeriodFigure)
  /// The time at which the latest event of the app arrived, `nil` if there was none, and the time since which the
  /// server has been able to receive events.
  case arrival(last: Timestamp?, receivingSince: Timestamp)
  /// The groups of errors after the last one that the alert knows, in order, and the highest number of a group.
  case newErrors([ErrorNotice], highest: Int64)
  /// All closed errors that came back, and the present numbers of the groups whose closings the alert knows.
  case returnedErrors([ErrorNotice], numbers: [Int64: Int64])
  /// All current problems of the server.
  case problems([ProblemNotice])
  /// Nothing to decide on, for example because the period was decided on before.
  case nothingNew
  /// The alert can't be evaluated. The reason says what to do.
  case failure(reason: String)
}

/// The figure of a period, and the one that it is compared with, in the unit of the question: shares are percentages.
package struct PeriodFigure: Sendable, Hashable {
  /// The number of the period in the app's calendar; later ones have larger numbers.
  package var number: Int
  /// The figure in words, such as `Crash-free users`.
  package var name = "Figure"
  /// The name of the period, such as `2026-10-31T14:00`.
  package var label: String
  /// The figure; `nil` if there is none, such as a share of no users.
  package var value: Double?
  /// The figure of the period before.
  package var before: Double?
  package var users: Int
  package var usersBefore: Int
  /// True if the figure is a count, which is 0 without users; false for shares and averages.
  package var isCount: Bool

  package init(
    number: Int, label: String, value: Double?, before: Double?, users: Int, usersBefore: Int, isCount: Bool
  ) {
    (self.number, self.label, self.value, self.before) = (number, label, value, before)
    (self.users, self.usersBefore, self.isCount) = (users, usersBefore, isCount)
  }
}

extension PeriodFigure {
  /// The change from the period before, up or down, in percent; `nil` if there is none.
  var change: Double? {
    guard let value, let before, before != 0 else { return nil }
    return abs(value - before) / abs(before) * 100
  }
}

/// A group of crashes behind a figure.
package struct CrashNotice: Sendable, Hashable {
  /// The most groups that a message names.
  package static let maximumCount = 3

  /// The type, such as that of an exception, or the signal.
  package var type: String
  /// The top frame of the stack; empty if unknown.
  package var place: String
  /// The users with such a crash.
  package var users: Int

  package init(type: String, place: String, users: Int) { (self.type, self.place, self.users) = (type, place, users) }
}

/// An error that an alert reports.
package struct ErrorNotice: Sendable, Hashable, Codable {
  /// The number of its group.
  package var group: Int64
  /// The type, such as that of an exception.
  package var type: String
  /// The top frame of the stack; empty if unknown.
  package var place: String
  /// The version in which it came back; empty for a new error.
  package var version: String
  /// The time of its last closing, in milliseconds since 1970; 0 for a new error.
  package var closed: Int64

  package init(group: Int64, type: String, place: String, version: String = "", closed: Int64 = 0) {
    (self.group, self.type, self.place) = (group, type, place)
    (self.version, self.closed) = (version, closed)
  }
}

/// A problem of the server.
package struct ProblemNotice: Sendable, Hashable, Codable {
  /// A sentence that identifies the problem, and stays the same while it lasts.
  package var summary: String
  /// The reason, which may change.
  package var detail: String

  package init(summary: String, detail: String) { (self.summary, self.detail) = (summary, detail) }
}

/// A change that an alert reports.
package enum AlertEvent: Sendable, Hashable {
  /// A figure is outside its limit.
  case breached(PeriodFigure)
  /// It is inside again.
  case recovered(PeriodFigure)
  /// Late data moved the figure of a day across the limit. The alert may be raised by a later day, or not any more.
  case corrected(PeriodFigure, isOutside: Bool, isRaised: Bool)
  /// Nothing arrives, since the given time.
  case silent(since: Timestamp)
  /// Something arrives again.
  case arriving(at: Timestamp)
  /// New errors occurred, or closed ones came back: the first of them, and their number.
  case errors([ErrorNotice], count: Int)
  /// The server has a problem.
  case problem(ProblemNotice)
  /// A problem of the server is over.
  case problemOver(summary: String)
  /// The alert can't be evaluated.
  case failing(reason: String)
  /// The alert is evaluated again.
  case working
}

extension AlertEvent {
  /// The figure of a period that the event is about.
  var figure: PeriodFigure? {
    switch self {
    case .breached(let figure), .recovered(let figure), .corrected(let figure, _, _): figure
    case .silent, .arriving, .errors, .problem, .problemOver, .failing, .working: nil
    }
  }

  /// The figure that is outside the limit.
  package var breach: PeriodFigure? {
    switch self {
    case .breached(let figure), .corrected(let figure, isOutside: true, isRaised: _): figure
    default: nil
    }
  }

  /// True if the alert is raised after an event about a figure.
  var isRaised: Bool {
    switch self {
    case .breached, .corrected(_, isOutside: _, isRaised: true): true
    default: false
    }
  }
}
