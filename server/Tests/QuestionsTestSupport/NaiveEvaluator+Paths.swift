package import Questions
package import Warehouse

extension NaiveEvaluator {
  /// Answers a question about paths.
  package func answer(_ question: PathsQuestion) -> PathsAnswer {
    let days = question.scope.range.resolved(today: today)
    let inSessions = passing(question.scope, in: days).filter { $0.session != nil && $0.kind != .other }
    let sessions = Dictionary(grouping: inSessions) { [$0.install, String($0.session ?? 0)] }
    var edges: [EdgeKey: Int] = [:]
    var ended = Array(repeating: 0, count: question.depth)
    for rows in sessions.values {
      let path = path(question, rows, days)
      let shown = path.prefix(question.depth)
      if !path.isEmpty, path.count <= question.depth { ended[path.count - 1] += 1 }
      for (step, pair) in zip(shown, shown.dropFirst()).enumerated() {
        let isBackwards = if case .end = question.anchor { true } else { false }
        let (from, to) = isBackwards ? (pair.1, pair.0) : pair
        edges[EdgeKey(step: step + 1, from: from, to: to), default: 0] += 1
      }
    }
    let sorted = edges.map { PathsAnswer.Edge(step: $0.step, from: $0.from, to: $0.to, sessions: $1) }
      .sorted(by: Self.precedes)
    var other = Array(repeating: 0, count: question.depth - 1)
    for edge in sorted.dropFirst(question.limit) { other[edge.step - 1] += edge.sessions }
    return PathsAnswer(edges: Array(sorted.prefix(question.limit)), other: other, ended: ended)
  }

  /// Orders edges by frequency descending, then step, start and end; screens before events.
  private static func precedes(_ left: PathsAnswer.Edge, _ right: PathsAnswer.Edge) -> Bool {
    if left.sessions != right.sessions { return left.sessions > right.sessions }
    if left.step != right.step { return left.step < right.step }
    return left.from != right.from ? left.from < right.from : left.to < right.to
  }

  private struct EdgeKey: Hashable {
    var step: Int
    var from: PathsAnswer.Node
    var to: PathsAnswer.Node
  }

  /// The whole path of one session, from the anchor on.
  package func path(_ question: PathsQuestion, _ rows: [QuestionRow], _ days: ClosedRange<Day>) -> [PathsAnswer.Node] {
    let (key, rows) = (question.scope.person, rows.sorted(by: QuestionRow.isEarlier))
    let part: [QuestionRow] =
      switch question.anchor {
      case .sessionStart: rows
      case .start(let selector): Array(rows.drop { !matches(selector, $0, key, days) })
      case .end(let selector): Array(rows.reversed().drop { !matches(selector, $0, key, days) })
      }
    return part.compactMap { node(question, $0) }.reduce(into: []) { path, node in
      if path.last != node { path.append(node) }
    }
  }

  package func node(_ question: PathsQuestion, _ row: QuestionRow) -> PathsAnswer.Node? {
    guard row.kind == .screen && question.nodes != .events || row.kind == .event && question.nodes != .screens,
      let name = row.name
    else { return nil }
    return PathsAnswer.Node(isScreen: row.kind == .screen, name: .text(name))
  }
}
