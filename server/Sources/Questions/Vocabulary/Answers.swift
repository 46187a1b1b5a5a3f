package import JSON
import Warehouse

package struct QueryAnswer: Equatable, Sendable {
  package var rows: [Row] = []
  /// The metrics over the whole range, if asked for.
  package var totals: [Double?]?
  package var comparedTotals: [Double?]?
  /// All units of the first time dimension, if asked for.
  package var timeLabels: [String]?
  /// The number of rows before pagination, if asked for.
  package var totalRows: Int?
  /// The number of rows after those of the answer, which the limit leaves out.
  package var rowsLeftOut = 0

  package init() {}

  /// The metrics of one combination of dimensions.
  package struct Row: Equatable, Sendable {
    package var dimensions: [QuestionValue?]
    package var metrics: [Double?]
    /// The same of the period before, if asked for.
    package var compared: [Double?]?

    package init(dimensions: [QuestionValue?], metrics: [Double?], compared: [Double?]? = nil) {
      self.dimensions = dimensions
      self.metrics = metrics
      self.compared = compared
    }
  }
}

/// The answer of a funnel, for each value of the breakdown; without one there is a single group.
package struct FunnelAnswer: Equatable, Sendable {
  package var groups: [Group]

  package init(groups: [Group]) { self.groups = groups }

  package struct Group: Equatable, Sendable {
    package var value: QuestionValue?
    package var steps: [Step]

    package init(value: QuestionValue?, steps: [Step]) {
      self.value = value
      self.steps = steps
    }

    /// Creates a group from the times of its persons' best attempts.
    package init(value: QuestionValue?, steps count: Int, attempts: [[Int64]]) {
      var all = FunnelAttempts(steps: count)
      for times in attempts { all.add(times) }
      self.init(value: value, FunnelGroupAttempts(all.sorted()))
    }

    /// Creates a group from the best attempts of its persons.
    package init(value: QuestionValue?, _ attempts: FunnelGroupAttempts) {
      self.value = value
      let reached = attempts.reached
      steps = reached.indices.map { step in
        let times = attempts.figures(of: step)
        let previous = step == 0 ? reached[0] : reached[step - 1]
        return Step(
          persons: reached[step],
          fromFirst: reached[0] == 0 ? nil : Double(reached[step]) / Double(reached[0]),
          fromPrevious: previous == 0 ? nil : Double(reached[step]) / Double(previous),
          medianSeconds: times?.median, averageSeconds: times?.average)
      }
    }
  }

  package struct Step: Equatable, Sendable {
    package var persons: Int
    package var fromFirst: Double?
    package var fromPrevious: Double?
    package var medianSeconds: Double?
    package var averageSeconds: Double?
  }
}

/// The answer of a retention question.
package struct RetentionAnswer: Equatable, Sendable {
  package var cohorts: [Cohort]
  /// The intervals whose days aren't all in the range, or that have not ended: cohorts that began in them are not
  /// whole, and figures of those who came back in them are not final.
  package var partial: [String]

  package init(cohorts: [Cohort], partial: [String]) {
    self.cohorts = cohorts
    self.partial = partial
  }

  package struct Cohort: Equatable, Sendable {
    package var value: QuestionValue?
    package var interval: String
    /// The size, then how many came back in each interval after.
    package var values: [Int]

    package init(value: QuestionValue?, interval: String, values: [Int]) {
      self.value = value
      self.interval = interval
      self.values = values
    }

    /// The name of the interval so many intervals after that of the cohort.
    package func interval(after count: Int, _ unit: TimeUnit) -> String {
      guard let day = Day(interval) else { return "" }
      return QuestionCalendar.label(of: unit, number: QuestionCalendar.number(of: unit, on: day) + count)
    }
  }
}

/// The answer of a question about paths.
package struct PathsAnswer: Equatable, Sendable {
  /// The most frequent edges first.
  package var edges: [Edge]
  /// The number of sessions in the edges that are left out, by step.
  package var other: [Int]
  /// The number of sessions whose path ended at each step.
  package var ended: [Int]

  package init(edges: [Edge], other: [Int], ended: [Int]) {
    self.edges = edges
    self.other = other
    self.ended = ended
  }

  package struct Edge: Equatable, Sendable {
    /// The distance from the anchor, from 1 on.
    package var step: Int
    package var from: Node
    package var to: Node
    package var sessions: Int

    package init(step: Int, from: Node, to: Node, sessions: Int) {
      self.step = step
      self.from = from
      self.to = to
      self.sessions = sessions
    }
  }

  /// A screen or an event.
  package struct Node: Hashable, Sendable {
    package var isScreen: Bool
    package var name: QuestionValue

    package init(isScreen: Bool, name: QuestionValue) {
      self.isScreen = isScreen
      self.name = name
    }
  }
}

/// The persons in each state in one interval.
package struct LifecycleInterval: Equatable, Sendable {
  package var interval: String
  package var new = 0
  package var returning = 0
  package var resurrected = 0
  package var dormant = 0

  package init(interval: String) { self.interval = interval }
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

extension PathsAnswer.Node: Comparable {
  /// Orders screens before events, then by name.
  package static func < (left: PathsAnswer.Node, right: PathsAnswer.Node) -> Bool {
    left.isScreen != right.isScreen ? left.isScreen : left.name < right.name
  }
}

extension PathsAnswer.Node {
  /// The node in questions and answers.
  package var json: JSONTree { .object([(isScreen ? "screen" : "event", name.json)]) }
}
