import Ingest
import JSON
package import Questions
import ServerBase
import TernEvents

/// An answer as one table with flat rows, for notebooks, spreadsheets and pages. Rows are made when they are read.
package struct AnswerTable: Sendable {
  package let columns: [String]
  package let count: Int
  private let cells: @Sendable (Int) -> [Cell]

  package enum Cell: Equatable, Sendable {
    case missing
    case text(String)
    /// A value that may be whole, such as that of a property.
    case number(Double)
    /// A figure that is a fraction in all rows.
    case fraction(Double)
    case integer(Int)
  }

  init(_ columns: [String], _ count: Int, _ cells: @escaping @Sendable (Int) -> [Cell]) {
    (self.columns, self.count, self.cells) = (columns, count, cells)
  }

  /// The cells of a row, as many as there are columns.
  package func row(_ index: Int) -> [Cell] { cells(index) }

  /// Creates the table of an answer; nil if the answer is of another kind than the question.
  package init?(_ question: Question, _ answer: Answer) {
    switch (question, answer) {
    case (.query(let question), .query(let answer)): self = .query(question, answer)
    case (.funnel(let question), .funnel(let answer)): self = .funnel(question, answer)
    case (.retention(let question), .retention(let answer)): self = .retention(question, answer)
    case (.paths, .paths(let answer)): self = .paths(answer)
    case (.lifecycle, .lifecycle(let intervals)): self = .lifecycle(intervals)
    case (.stickiness, .stickiness(let persons)):
      self.init(["intervals", "persons"], persons.count) { [.integer($0 + 1), .integer(persons[$0])] }
    case (.persons, .persons(let answer)): self = .persons(answer)
    case (.releases(let question), .releases(let answer)): self = .releases(question, answer)
    default: return nil
    }
  }

  private static func query(_ question: QueryQuestion, _ answer: QueryAnswer) -> AnswerTable {
    let metrics = question.metrics.map(\.name)
    let compared = question.comparesPreviousPeriod ? metrics.map { "previous:\($0)" } : []
    let areFractions = question.metrics.map(\.isFraction)
    return AnswerTable(question.groups.map(\.dimension.name) + metrics + compared, answer.rows.count) { index in
      let row = answer.rows[index]
      let figures = row.metrics + (compared.isEmpty ? [] : row.compared ?? metrics.map { _ in nil })
      return row.dimensions.map { Cell($0) }
        + figures.enumerated().map { areFractions[$0 % metrics.count] ? Cell(fraction: $1) : Cell($1) }
    }
  }

  private static func funnel(_ question: FunnelQuestion, _ answer: FunnelAnswer) -> AnswerTable {
    let steps = question.steps.count
    let breakdown = question.breakdown.map { [$0.name] } ?? []
    let columns = ["step", "persons", "from_first", "from_previous", "median_seconds", "average_seconds"]
    return AnswerTable(breakdown + columns, answer.groups.count * steps) { index in
      let (group, number) = (answer.groups[index / steps], index % steps)
      let step = group.steps[number]
      let shares = [step.fromFirst, step.fromPrevious, step.medianSeconds, step.averageSeconds]
      return breakdown.map { _ in Cell(group.value) } + [.integer(number + 1), .integer(step.persons)]
        + shares.map { Cell(fraction: $0) }
    }
  }

  private static func retention(_ question: RetentionQuestion, _ answer: RetentionAnswer) -> AnswerTable {
    let breakdown = question.breakdown.map { [$0.name] } ?? []
    let cells = answer.cohorts.indices.flatMap { cohort in
      answer.cohorts[cohort].values.indices.map { (cohort: cohort, after: $0) }
    }
    let partial = Set(answer.partial)
    return AnswerTable(["cohort"] + breakdown + ["size", "after", "persons", "partial"], cells.count) { index in
      let (cohort, after) = (answer.cohorts[cells[index].cohort], cells[index].after)
      let isOpen = partial.contains(cohort.interval(after: after, question.interval))
      let part: Cell = partial.contains(cohort.interval) ? .text("cohort") : isOpen ? .text("interval") : .missing
      return [.text(cohort.interval)] + breakdown.map { _ in Cell(cohort.value) }
        + [.integer(cohort.values[0]), .integer(after), .integer(cohort.values[after]), part]
    }
  }

  private static func paths(_ answer: PathsAnswer) -> AnswerTable {
    let (edges, other) = (answer.edges, answer.other)
    @Sendable func name(_ node: PathsAnswer.Node) -> [Cell] {
      [.text(node.isScreen ? "screen" : "event"), Cell(node.name)]
    }
    return AnswerTable(
      ["row", "step", "from_kind", "from", "to_kind", "to", "sessions"],
      edges.count + other.count + answer.ended.count
    ) { index in
      if index < edges.count {
        let edge = edges[index]
        return [.text("edge"), .integer(edge.step)] + name(edge.from) + name(edge.to) + [.integer(edge.sessions)]
      }
      let rest = index - edges.count
      let (row, step, sessions) =
        rest < other.count
        ? ("other", rest + 1, other[rest])
        : ("ended", rest - other.count + 1, answer.ended[rest - other.count])
      return [.text(row), .integer(step), .missing, .missing, .missing, .missing, .integer(sessions)]
    }
  }

  private static func lifecycle(_ intervals: [LifecycleInterval]) -> AnswerTable {
    AnswerTable(["interval", "new", "returning", "resurrected", "dormant"], intervals.count) { index in
      let interval = intervals[index]
      let counts = [interval.new, interval.returning, interval.resurrected, interval.dormant]
      return [.text(interval.interval)] + counts.map { .integer($0) }
    }
  }

  private static func persons(_ answer: PersonsAnswer) -> AnswerTable {
    let columns = [
      "install", "user", "first_seen", "last_seen", "events", "sessions", "version", "model", "country",
    ]
    return AnswerTable(columns, answer.persons.count) { index in
      let person = answer.persons[index]
      let times = [person.firstSeen, person.last.time].map { Timestamp(millisecondsSince1970: $0).isoText }
      return [.text(person.install), Cell(person.user)] + times.map { .text($0) }
        + [.integer(person.events), .integer(person.sessions)]
        + [person.version, person.model, person.country].map { Cell($0) }
    }
  }
}

extension AnswerTable.Cell {
  init(_ value: QuestionValue?) {
    switch value {
    case .text(let text): self = .text(text.text)
    case .number(let number): self = .number(number)
    case nil: self = .missing
    }
  }

  init(_ text: String?) { self = text.map { .text($0) } ?? .missing }

  init(_ number: Double?) { self = number.map { .number($0) } ?? .missing }

  init(fraction: Double?) { self = fraction.map { .fraction($0) } ?? .missing }

  /// The value as a text without escapes; nil for a missing value, and for numbers that JSON does not have.
  package var plainText: String? {
    switch self {
    case .missing: nil
    case .text(let text): text
    case .number(let number), .fraction(let number): number.isFinite ? JSONNumber.plain(number) : nil
    case .integer(let number): String(number)
    }
  }

  /// The number as in files; nil for other values, and for numbers that files do not have.
  private var fileNumber: String? {
    switch self {
    case .missing, .text: nil
    case .number(let number): FractionText.plain(number)
    case .fraction(let number): FractionText.text(number)
    case .integer(let number): String(number)
    }
  }

  /// True for values that tables align to the right.
  package var isNumeric: Bool {
    switch self {
    case .missing, .text: false
    case .number, .fraction, .integer: true
    }
  }

  /// The value as JSON, with numbers as in files.
  func write(to writer: inout JSONWriter) {
    if case .text(let text) = self { return writer.string(text) }
    writer.raw(Array((fileNumber ?? "null").utf8))
  }

  /// The value as a field of a CSV file.
  var csvField: CSVField {
    if case .text(let text) = self { return .text(text) }
    return fileNumber.map { .number($0) } ?? .none
  }
}
