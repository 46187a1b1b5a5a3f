package import Warehouse

/// The persons behind a figure, by their last row that passes, the latest first.
package struct PersonsQuestion: Equatable, Sendable {
  package var scope: QuestionScope
  package var group: Group
  /// The most persons of one page.
  package var limit: Int
  /// The cursor of the page before; `nil` for the first page.
  package var before: PersonsCursor?

  package init(
    scope: QuestionScope = QuestionScope(), group: Group = .all, limit: Int = PersonsQuestion.standardLimit,
    before: PersonsCursor? = nil
  ) {
    self.scope = scope
    self.group = group
    self.limit = limit
    self.before = before
  }

  package static let standardLimit = 100

  /// The persons, among those with a row that passes.
  package enum Group: Equatable, Sendable {
    case all
    /// The persons who took a step of a funnel; if `dropped`, those who took the step before it, and not this one. With
    /// a value (or with its absence), only those whose attempt belongs to that value of the breakdown. The scope of the
    /// funnel is that of the question.
    case funnel(FunnelQuestion, step: Int, dropped: Bool, value: QuestionValue?? = nil)
    /// The persons with a row that passes in a session that takes an edge of paths. The scope of the paths is that of
    /// the question.
    case path(PathsQuestion, Edge)
    /// The persons of the cohort of an interval, named by its first day; if `after` is positive, those who came back in
    /// the interval that many later. The scope of the cohort is that of the question.
    case cohort(RetentionQuestion, of: String, after: Int)
    /// The persons whose first row ever lies in the range and, if given, in the bucket.
    case new(in: Bucket?)
    /// The persons in a state in one interval, named by its first day. Rows of the interval before the range belong to
    /// their activity: dormant persons may have no later one. The scope of the interval is that of the question.
    case lifecycle(IntervalQuestion, of: String, LifecycleFold.State)
    /// The persons active in exactly so many intervals. The scope of the interval is that of the question.
    case stickiness(IntervalQuestion, intervals: Int)
  }

  /// A place of paths at which sessions go from one screen or event to another.
  package struct Edge: Equatable, Sendable {
    /// Counts from 1, as in answers.
    package var step: Int
    package var from: PathsAnswer.Node
    package var to: PathsAnswer.Node

    package init(step: Int, from: PathsAnswer.Node, to: PathsAnswer.Node) {
      self.step = step
      self.from = from
      self.to = to
    }
  }

  /// A unit of time, named as in answers.
  package struct Bucket: Equatable, Sendable {
    package var unit: TimeUnit
    package var label: String

    package init(_ unit: TimeUnit, _ label: String) {
      self.unit = unit
      self.label = label
    }
  }

  /// The days of the rows in the answer: the range, and for a state of the lifecycle also the interval before it.
  package func rowDays(today: Day) -> ClosedRange<Day> {
    let days = scope.range.resolved(today: today)
    guard case .lifecycle(let question, _, _) = group else { return days }
    return min(question.firstDayBefore(days), days.lowerBound)...days.upperBound
  }
}

/// The place of a person in the list: the person's last row that passes.
package struct PersonsCursor: Equatable, Sendable {
  /// Milliseconds since 1970.
  package var time: Int64
  package var row: Int64

  package init(time: Int64, row: Int64) {
    self.time = time
    self.row = row
  }

  /// Parses a cursor such as `1793401200000-4711`.
  package init?(_ text: String) {
    // A time before 1970 begins with a sign.
    guard let separator = text.lastIndex(of: "-"), let time = Int64(text[..<separator]),
      let row = Int64(text[text.index(after: separator)...])
    else { return nil }
    self.init(time: time, row: row)
  }

  package var text: String { "\(time)-\(row)" }
}

/// One page of persons.
package struct PersonsAnswer: Equatable, Sendable {
  package var persons: [Person]
  /// The number of persons on all pages.
  package var total: Int

  package init(persons: [Person], total: Int) {
    self.persons = persons
    self.total = total
  }

  /// A person, as of the last row that passes.
  package struct Person: Equatable, Sendable {
    package var install: String
    package var user: String?
    /// The time of the first row ever, in milliseconds since 1970.
    package var firstSeen: Int64
    /// The last row that passes.
    package var last: PersonsCursor
    /// The rows of kind event that pass.
    package var events = 0
    /// The sessions with a row that passes.
    package var sessions = 0
    package var version: String?
    package var model: String?
    package var country: String?

    package init(install: String, user: String? = nil, firstSeen: Int64, last: PersonsCursor) {
      self.install = install
      self.user = user
      self.firstSeen = firstSeen
      self.last = last
    }
  }
}
