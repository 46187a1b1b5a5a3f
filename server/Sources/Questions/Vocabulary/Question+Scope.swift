package import Warehouse

extension Question {
  package var kind: Kind {
    switch self {
    case .query: .query
    case .funnel: .funnel
    case .retention: .retention
    case .paths: .paths
    case .lifecycle: .lifecycle
    case .stickiness: .stickiness
    case .persons: .persons
    }
  }

  /// The rows, and who counts as one person.
  package var scope: QuestionScope {
    get {
      switch self {
      case .query(let question): question.scope
      case .funnel(let question): question.scope
      case .retention(let question): question.scope
      case .paths(let question): question.scope
      case .lifecycle(let question), .stickiness(let question): question.scope
      case .persons(let question): question.scope
      }
    }
    set {
      switch self {
      case .query(var question):
        question.scope = newValue
        self = .query(question)
      case .funnel(var question):
        question.scope = newValue
        self = .funnel(question)
      case .retention(var question):
        question.scope = newValue
        self = .retention(question)
      case .paths(var question):
        question.scope = newValue
        self = .paths(question)
      case .lifecycle(var question):
        question.scope = newValue
        self = .lifecycle(question)
      case .stickiness(var question):
        question.scope = newValue
        self = .stickiness(question)
      case .persons(var question):
        question.scope = newValue
        question.group.scope(newValue)
        self = .persons(question)
      }
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
}

extension PersonsQuestion.Group {
  /// Replaces the scope of the group's question, which is always that of the persons.
  fileprivate mutating func scope(_ scope: QuestionScope) {
    switch self {
    case .all, .new: break
    case .funnel(var funnel, let step, let dropped, let value):
      funnel.scope = scope
      self = .funnel(funnel, step: step, dropped: dropped, value: value)
    case .path(var paths, let edge):
      paths.scope = scope
      self = .path(paths, edge)
    case .cohort(var cohort, let first, let after):
      cohort.scope = scope
      self = .cohort(cohort, of: first, after: after)
    case .lifecycle(var interval, let first, let state):
      interval.scope = scope
      self = .lifecycle(interval, of: first, state)
    case .stickiness(var interval, let count):
      interval.scope = scope
      self = .stickiness(interval, intervals: count)
    }
  }
}
