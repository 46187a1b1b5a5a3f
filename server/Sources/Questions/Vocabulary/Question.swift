import JSON
package import Warehouse

/// A question about the rows of one app.
package enum Question: Hashable, Sendable {
  case query(QueryQuestion)
  case funnel(FunnelQuestion)
  case retention(RetentionQuestion)
  case paths(PathsQuestion)
  case lifecycle(IntervalQuestion)
  case stickiness(IntervalQuestion)
  case persons(PersonsQuestion)
  case releases(ReleasesQuestion)

  /// The kinds of questions, named as in addresses.
  package enum Kind: String, CaseIterable, Sendable {
    case query, funnel, retention, paths, lifecycle, stickiness, persons, releases
  }
}

/// The answer to a question of the same kind.
package enum Answer: Equatable, Sendable {
  case query(QueryAnswer)
  case funnel(FunnelAnswer)
  case retention(RetentionAnswer)
  case paths(PathsAnswer)
  case lifecycle([LifecycleInterval])
  /// The number of persons active in exactly one interval, in two, and so on.
  case stickiness([Int])
  case persons(PersonsAnswer)
  case releases(ReleasesAnswer)
}

extension PersonsQuestion {
  /// The persons, among those with a row that passes.
  package enum Group: Hashable, Sendable {
    case all
    /// The persons who took a step of a funnel; if `dropped`, those who took the step before it, and not this one. With
    /// a value (or with its absence), those of that value of the breakdown. The scope of the funnel is that of the
    /// question.
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
    /// The persons with a row that passes and is an error of the group with a number.
    case error(Int)
  }
}

extension PersonsQuestion.Group {
  /// The members of a question that choose a group.
  static let members: [JSONMember<PersonsQuestion>] = [
    .group("funnel", FunnelGroup.self), .group("paths", PathGroup.self), .group("cohort", CohortGroup.self),
    .group("new", NewGroup.self), .group("lifecycle", LifecycleGroup.self), .group("stickiness", StickinessGroup.self),
    .group("error", ErrorPersons.self),
  ]

  /// Replaces the scope of the group's question, which is always that of the persons.
  mutating func take(_ scope: QuestionScope) {
    switch self {
    case .all, .new, .error: break
    case .funnel(let funnel, let step, let dropped, let value):
      self = .funnel(funnel.over(scope), step: step, dropped: dropped, value: value)
    case .path(let paths, let edge): self = .path(paths.over(scope), edge)
    case .cohort(let cohort, let first, let after): self = .cohort(cohort.over(scope), of: first, after: after)
    case .lifecycle(let interval, let first, let state): self = .lifecycle(interval.over(scope), of: first, state)
    case .stickiness(let interval, let count): self = .stickiness(interval.over(scope), intervals: count)
    }
  }
}

extension Question.Kind {
  /// The definition that decoding and the API's schemas come from.
  package var definition: QuestionDefinition {
    switch self {
    case .query: .init(Question.query, "Metrics by dimensions.", answer: .queryAnswer)
    case .funnel: .init(Question.funnel, "How many persons take steps one after the other.", answer: .funnelAnswer)
    case .retention:
      .init(Question.retention, "How many persons come back after they started.", answer: .retentionAnswer)
    case .paths:
      .init(Question.paths, "Which screens and events follow each other within sessions.", answer: .pathsAnswer)
    case .lifecycle:
      .init(
        Question.lifecycle, "New, returning, resurrected and dormant persons in each interval.",
        answer: .lifecycleAnswer)
    case .stickiness:
      .init(Question.stickiness, "In how many intervals persons were active.", answer: .stickinessAnswer)
    case .persons: .init(Question.persons, "The persons behind a figure, the latest first.", answer: .personsAnswer)
    case .releases:
      .init(
        Question.releases, "The releases of an app, each against the one before at equal age.",
        answer: .releasesAnswer)
    }
  }
}

extension Question {
  package var kind: Kind { content.kind }

  /// The rows, and who counts as one person.
  package var scope: QuestionScope {
    get { content.value.scope }
    set {
      switch self {
      case .query(let question): self = .query(question.over(newValue))
      case .funnel(let question): self = .funnel(question.over(newValue))
      case .retention(let question): self = .retention(question.over(newValue))
      case .paths(let question): self = .paths(question.over(newValue))
      case .lifecycle(let question): self = .lifecycle(question.over(newValue))
      case .stickiness(let question): self = .stickiness(question.over(newValue))
      case .persons(let question): self = .persons(question.over(newValue))
      case .releases(let question): self = .releases(question.over(newValue))
      }
    }
  }

  /// The kind, and the question as what all kinds have in common.
  var content: (kind: Kind, value: any ScopedQuestion) {
    switch self {
    case .query(let question): (.query, question)
    case .funnel(let question): (.funnel, question)
    case .retention(let question): (.retention, question)
    case .paths(let question): (.paths, question)
    case .lifecycle(let question): (.lifecycle, question)
    case .stickiness(let question): (.stickiness, question)
    case .persons(let question): (.persons, question)
    case .releases(let question): (.releases, question)
    }
  }

  /// The question with the days of its range as dates.
  package func resolved(today: Day) -> Question { over(scope.range.resolved(today: today)) }

  /// The question over other days.
  package func over(_ days: ClosedRange<Day>) -> Question {
    var question = self
    question.scope.range = .dates(days.lowerBound, days.upperBound)
    return question
  }

  /// True if the answer can tell single persons apart: a question that filters or groups by install or user, or that asks
  /// for persons.
  package var showsPersonalData: Bool {
    (scope.filters.flatMap(\.dimensions) + content.value.dimensions).contains(where: \.isPersonal)
  }
}
