extension Question {
  /// True if the answer can tell single persons apart: a question that filters or groups by install or user, or that asks
  /// for persons.
  package var showsPersonalData: Bool {
    let (selectors, breakdowns): ([Selector], [QuestionDimension]) =
      switch self {
      case .query(let question): ([], question.groups.map(\.dimension))
      case .funnel(let question):
        (question.steps + question.exclusions.map(\.selector), question.breakdown.map { [$0] } ?? [])
      case .retention(let question): ([question.start, question.comesBack], question.breakdown.map { [$0] } ?? [])
      case .paths(let question):
        switch question.anchor {
        case .sessionStart: ([], [])
        case .start(let selector), .end(let selector): ([selector], [])
        }
      case .lifecycle, .stickiness: ([], [])
      case .persons: ([], [.install])
      }
    let filtered = scope.filters.flatMap(\.dimensions) + selectors.flatMap(\.dimensions)
    return (filtered + breakdowns).contains(where: \.isPersonal)
  }
}

extension QuestionDimension {
  /// True for dimensions that tell single persons apart.
  var isPersonal: Bool { self == .install || self == .user }
}

extension QuestionFilter {
  /// True if the filter names installs or users.
  package var showsPersonalData: Bool { dimensions.contains(where: \.isPersonal) }

  /// All dimensions in the filter, those of selectors included.
  package var dimensions: [QuestionDimension] {
    switch self {
    case .isOneOf(let dimension, _), .isNoneOf(let dimension, _), .contains(let dimension, _),
      .compare(_, let dimension, _), .isSet(let dimension), .isNotSet(let dimension):
      [dimension]
    case .all(let filters), .any(let filters): filters.flatMap(\.dimensions)
    case .not(let filter): filter.dimensions
    case .hasDone(let selector, _), .hasNotDone(let selector): selector.dimensions
    }
  }
}

extension Selector {
  package var dimensions: [QuestionDimension] { filters.flatMap(\.dimensions) }
}
