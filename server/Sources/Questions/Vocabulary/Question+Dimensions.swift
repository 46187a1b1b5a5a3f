extension QuestionDimension {
  /// True for dimensions that tell single persons apart.
  package var isPersonal: Bool { self == .install || self == .user }
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
    case .isError: []
    case .all(let filters), .any(let filters): filters.flatMap(\.dimensions)
    case .not(let filter): filter.dimensions
    case .hasDone(let selector, _, _), .hasNotDone(let selector, _): selector.dimensions
    }
  }
}

extension Selector {
  package var dimensions: [QuestionDimension] { filters.flatMap(\.dimensions) }
}
