import Questions

/// The terms of a query's metrics, by the rows that they are about.
struct QueryTerms {
  private let metrics: [QuestionMetric]
  /// The terms of each question, which has them as its metrics.
  private var terms: [[DerivedMetric.Term]] = []
  /// A question for each choice of rows, whose metrics aren't derived.
  private(set) var questions: [QueryQuestion] = []

  init(_ question: QueryQuestion) {
    metrics = question.metrics
    for term in metrics.flatMap(\.terms) {
      guard let index = terms.firstIndex(where: { $0[0].rows == term.rows }) else {
        terms.append([term])
        continue
      }
      if !terms[index].contains(where: { $0.metric == term.metric }) { terms[index].append(term) }
    }
    questions = terms.map { terms in
      var own = question
      own.metrics = terms.map(\.metric)
      own.scope.filters += terms[0].rows.map { [$0.filter] } ?? []
      return own
    }
  }

  /// The figures of the query's metrics, of those of the questions over the same days.
  func figures(_ figures: [PeriodFigures]) -> PeriodFigures {
    guard figures.count > 1 || metrics.contains(where: \.isDerived) else { return figures[0] }
    let cells = figures.map { Dictionary($0.cells.map { ($0.dimensions, $0.metrics) }, uniquingKeysWith: { $1 }) }
    var joined = PeriodFigures()
    var known: Set<[QuestionValue?]> = []
    for (dimensions, _) in figures.flatMap(\.cells) where known.insert(dimensions).inserted {
      joined.cells.append((dimensions, values { cells[$0][dimensions] ?? figures[$0].empty }))
    }
    if figures[0].totals != nil { joined.totals = values { figures[$0].totals ?? figures[$0].empty } }
    joined.empty = values { figures[$0].empty }
    // The questions read the same rows, all in one pass.
    joined.rowsRead = figures.map(\.rowsRead).max() ?? 0
    return joined
  }

  /// - Parameter found: The metrics of the question with a number.
  private func values(_ found: (Int) -> [Double?]) -> [Double?] {
    metrics.map { metric in
      metric.value { term in
        for (number, terms) in terms.enumerated() where terms[0].rows == term.rows {
          return terms.firstIndex { $0.metric == term.metric }.flatMap { found(number)[$0] }
        }
        return nil
      }
    }
  }
}
