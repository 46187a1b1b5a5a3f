package import Questions
package import ServerBase
import TernEvents
package import Warehouse

/// A form of answers.
package enum AnswerFormat: String, CaseIterable, Sendable {
  /// One object with results, meta and the question as understood.
  case json
  /// An array of flat objects.
  case rows
  /// RFC 4180, one header line.
  case csv
  /// One flat object per line.
  case ndjson

  /// Finds a format by its name; throws ``ReportError`` with the valid names.
  package init(parsing name: String) throws(ReportError) {
    self = try Self.allCases.named(name, by: \.rawValue, code: .unknownFormat) {
      "There is no format \($0). Choose one of: \($1)."
    }
  }

  /// The media type of the output.
  package var contentType: String {
    switch self {
    case .json, .rows: "application/json"
    case .csv: "text/csv; charset=utf-8"
    case .ndjson: "application/x-ndjson"
    }
  }
}

package struct AnsweredQuestion: Sendable {
  /// The question; its range is two dates.
  package let question: Question
  package let answer: Answer
  package let rowsRead: Int
  package let milliseconds: Int
  /// The first day whose rows are kept, if the question is about earlier ones as well.
  package let firstKeptDay: Day?
  package let table: AnswerTable

  /// Creates the pair; nil if the answer is of another kind than the question.
  package init?(_ question: Question, _ result: QuestionResult, milliseconds: Int) {
    guard let table = AnswerTable(question, result.answer) else { return nil }
    self.table = table
    self.question = question
    self.milliseconds = milliseconds
    answer = result.answer
    rowsRead = result.rowsRead
    firstKeptDay =
      if let kept = result.firstKeptDay, case .dates(let first, _) = question.scope.range, first < kept { kept } else {
        nil
      }
  }

  /// The number of rows that the question's limit leaves out; of persons, it is known on the first page.
  package var rowsLeftOut: Int {
    switch (question, answer) {
    case (.query, .query(let answer)): answer.rowsLeftOut
    case (.persons(let question), .persons(let answer)) where question.before == nil:
      max(0, answer.total - answer.persons.count)
    default: 0
    }
  }

  /// The place of the rows among all of the answer, the first of which is 1; `nil` if these are all, or none.
  var place: (rows: ClosedRange<Int>, all: Int)? {
    let offset = if case .query(let query) = question { query.offset } else { 0 }
    guard table.count > 0, offset > 0 || rowsLeftOut > 0 else { return nil }
    return ((offset + 1)...(offset + table.count), offset + table.count + rowsLeftOut)
  }

  /// The rows that the limit leaves out in words, for those who can't see them in a table; `nil` for none.
  package var remark: String? {
    guard let place, rowsLeftOut > 0 else { return nil }
    return
      "Rows \(grouped(place.rows.lowerBound)) to \(grouped(place.rows.upperBound)) of \(grouped(place.all)). Ask for "
      + "fewer days, add a filter, or ask again for the rows after these."
  }

  /// Sentences without which the figures would be misread.
  package var notes: [String] {
    guard case .query(let query) = question else { return [] }
    // All metrics have the same note.
    return query.metrics.lazy.compactMap(\.note).first.map { [$0] } ?? []
  }

  /// The answer in a form, as parts of some kilobytes that are made when they are read.
  package func document(_ format: AnswerFormat, _ csv: CSVStyle = CSVStyle()) -> AnswerDocument {
    let table = table
    switch format {
    case .json: return json
    case .rows:
      return AnswerDocument(head: [UInt8(ascii: "[")], tail: "]\n", count: table.count, separator: ",\n") {
        index, writer in
        table.writeObject(index, to: &writer)
      }
    case .ndjson:
      return AnswerDocument(count: table.count) { index, writer in
        table.writeObject(index, to: &writer)
        writer.raw("\n")
      }
    case .csv:
      let head = csv.start + csv.line(table.columns.map { .text($0) })
      return AnswerDocument(head: head, count: table.count) { index, writer in
        writer.raw(csv.line(table.row(index).map(\.csvField)))
      }
    }
  }
}

extension AnswerTable {
  fileprivate func writeObject(_ index: Int, to writer: inout JSONWriter) {
    writer.raw("{")
    for (place, (column, cell)) in zip(columns, row(index)).enumerated() {
      if place > 0 { writer.raw(",") }
      writer.string(column)
      writer.raw(":")
      cell.write(to: &writer)
    }
    writer.raw("}")
  }
}

/// A text in parts: a head, elements and a tail.
package struct AnswerDocument: Sendable, Sequence {
  typealias Write = @Sendable (_ index: Int, _ writer: inout JSONWriter) -> Void

  private let head: [UInt8]
  private let tail: [UInt8]
  private let separator: [UInt8]
  private let count: Int
  private let write: Write

  init(head: [UInt8] = [], tail: String = "", count: Int, separator: String = "", write: @escaping Write) {
    self.head = head
    self.tail = Array(tail.utf8)
    self.separator = Array(separator.utf8)
    self.count = count
    self.write = write
  }

  /// The size from which a part is complete, in bytes.
  private static let partBytes = 32 << 10

  package func makeIterator() -> Iterator { Iterator(document: self) }

  package struct Iterator: IteratorProtocol {
    fileprivate let document: AnswerDocument
    private var index = 0
    private var hasEnded = false

    fileprivate init(document: AnswerDocument) { self.document = document }

    /// Makes the next part.
    package mutating func next() -> [UInt8]? {
      guard !hasEnded else { return nil }
      var writer = JSONWriter(capacity: AnswerDocument.partBytes)
      if index == 0 { writer.raw(document.head) }
      while index < document.count, writer.bytes.count < AnswerDocument.partBytes {
        if index > 0 { writer.raw(document.separator) }
        document.write(index, &writer)
        index += 1
      }
      if index == document.count {
        writer.raw(document.tail)
        hasEnded = true
      }
      return writer.bytes
    }
  }
}
