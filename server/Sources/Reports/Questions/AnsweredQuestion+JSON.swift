import JSON
import Questions
import TernEvents
import Warehouse

extension AnsweredQuestion {
  /// The answer as one object: results, what belongs to all of them, meta, and the question as understood.
  var json: AnswerDocument {
    switch (question, answer) {
    case (.query(let question), .query(let answer)):
      var members: [(String, JSONTree)] = []
      if let totals = answer.totals { members.append(("totals", .figures(totals))) }
      if let totals = answer.comparedTotals { members.append(("compared_totals", .figures(totals))) }
      var meta: [(String, JSONTree)] = []
      if let labels = answer.timeLabels { meta.append(("time_labels", .array(labels.map { .text($0) }))) }
      if let rows = answer.totalRows { meta.append(("total_rows", .number(Double(rows)))) }
      return document(answer.rows.count, members, meta: meta) { index in
        let row = answer.rows[index]
        var members: [(String, JSONTree)] = [
          ("dimensions", .array(row.dimensions.map { $0?.json ?? .null })), ("metrics", .figures(row.metrics)),
        ]
        if question.comparesPreviousPeriod {
          members.append(("compared", .figures(row.compared ?? question.metrics.map { _ in nil })))
        }
        return .object(members)
      }
    case (.funnel, .funnel(let answer)):
      return document(answer.groups.count) { index in
        let group = answer.groups[index]
        return .object([
          ("breakdown", group.value?.json ?? .null), ("steps", .array(group.steps.map(\.json))),
        ])
      }
    case (.retention, .retention(let answer)):
      let meta = [("partial", JSONTree.array(answer.partial.map { .text($0) }))]
      return document(answer.cohorts.count, meta: meta) { index in
        let cohort = answer.cohorts[index]
        return .object([
          ("cohort", .text(cohort.interval)), ("breakdown", cohort.value?.json ?? .null),
          ("partial", .boolean(answer.partial.contains(cohort.interval))), ("values", .counts(cohort.values)),
        ])
      }
    case (.paths, .paths(let answer)):
      return document(
        answer.edges.count, [("other", .counts(answer.other)), ("ended", .counts(answer.ended))]
      ) { index in
        let edge = answer.edges[index]
        return .object([
          ("step", .number(Double(edge.step))), ("from", edge.from.json), ("to", edge.to.json),
          ("sessions", .number(Double(edge.sessions))),
        ])
      }
    case (.persons(let question), .persons(let answer)):
      let next = answer.persons.count == question.limit ? answer.persons.last?.last.text : nil
      let meta: [(String, JSONTree)] = [
        ("total", .number(Double(answer.total))), ("next", next.map { .text($0) } ?? .null),
      ]
      return flat(meta: meta)
    case (.releases, .releases(let answer)):
      let meta: [(String, JSONTree)] = [
        ("days", .array(answer.days.map { .text($0) })), ("day_users", .counts(answer.dayUsers)),
        ("other_users", .counts(answer.otherUsers)),
      ]
      return document(answer.releases.count, meta: meta) { answer.releases[$0].json(dayUsers: answer.dayUsers) }
    default: return flat()
    }
  }

  /// A document whose results are the rows of the table.
  private func flat(meta: [(String, JSONTree)] = []) -> AnswerDocument {
    let table = table
    return document(table.count, meta: meta) { index in
      .object(Array(zip(table.columns, table.row(index).map(\.json))))
    }
  }

  private func document(
    _ count: Int, _ members: [(String, JSONTree)] = [], meta: [(String, JSONTree)] = [],
    element: @escaping @Sendable (Int) -> JSONTree
  ) -> AnswerDocument {
    var facts: [(String, JSONTree)] = [
      ("rows_read", .number(Double(rowsRead))), ("milliseconds", .number(Double(milliseconds))),
    ]
    if rowsLeftOut > 0 { facts.append(("rows_left_out", .number(Double(rowsLeftOut)))) }
    if let firstKeptDay { facts.append(("rows_kept_since", .text(firstKeptDay.description))) }
    if !notes.isEmpty { facts.append(("notes", .array(notes.map { .text($0) }))) }
    // The range is given as dates, so that every day will do.
    let query = question.understood(today: Day(number: 0))
    let rest = JSONTree.object(members + [("meta", .object(meta + facts)), ("query", query)]).encoded
    return AnswerDocument(
      head: Array("{\"results\":[".utf8), tail: "]," + String(decoding: rest.dropFirst(), as: UTF8.self) + "\n",
      count: count,
      separator: ","
    ) { index, writer in
      writer.raw(element(index).encoded)
    }
  }
}

extension JSONTree {
  fileprivate static func figures(_ figures: [Double?]) -> JSONTree {
    .array(figures.map { AnswerTable.Cell($0).json })
  }

  fileprivate static func counts(_ counts: [Int]) -> JSONTree { .array(counts.map { .number(Double($0)) }) }
}

extension AnswerTable.Cell {
  fileprivate var json: JSONTree {
    switch self {
    case .missing: .null
    case .text(let text): .text(text)
    // JSON has no infinity.
    case .number(let number), .fraction(let number): number.isFinite ? .number(number) : .null
    case .integer(let number): .number(Double(number))
    }
  }
}

extension FunnelAnswer.Step {
  fileprivate var json: JSONTree {
    .object([
      ("persons", .number(Double(persons))), ("from_first", AnswerTable.Cell(fromFirst).json),
      ("from_previous", AnswerTable.Cell(fromPrevious).json),
      ("median_seconds", AnswerTable.Cell(medianSeconds).json),
      ("average_seconds", AnswerTable.Cell(averageSeconds).json),
    ])
  }
}
