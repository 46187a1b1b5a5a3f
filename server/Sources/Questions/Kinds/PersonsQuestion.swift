package import JSON
package import Warehouse

/// The persons behind a figure, by their last row that passes, the latest first.
package struct PersonsQuestion: Hashable, Sendable {
  package var scope: QuestionScope {
    didSet { group.take(scope) }
  }
  package var group: Group
  /// The most persons of one page.
  package var limit: Int
  /// The cursor of the page before; `nil` for the first page.
  package var before: PersonsCursor?

  package init(
    scope: QuestionScope = QuestionScope(), group: Group = .all, limit: Int = PersonsQuestion.defaultLimit,
    before: PersonsCursor? = nil
  ) {
    self.scope = scope
    self.group = group
    self.limit = limit
    self.before = before
  }

  package static let defaultLimit = 100
  package static let maximumLimit = 1_000

  /// A place of paths at which sessions go from one screen or event to another.
  package struct Edge: Hashable, Sendable {
    /// Counts from 1, as in answers.
    package var step: Int
    package var from: PathsAnswer.Node
    package var to: PathsAnswer.Node

    package init(step: Int, from: PathsAnswer.Node, to: PathsAnswer.Node) {
      self.step = step
      self.from = from
      self.to = to
    }
  }

  /// A unit of time, named as in answers.
  package struct Bucket: Hashable, Sendable {
    package var unit: TimeUnit
    package var label: String

    package init(_ unit: TimeUnit, _ label: String) {
      self.unit = unit
      self.label = label
    }
  }

  /// The days of the rows in the answer: the range, and for a state of the lifecycle also the interval before it.
  package func rowDays(today: Day) -> ClosedRange<Day> {
    let days = scope.range.resolved(today: today)
    guard case .lifecycle(let question, _, _) = group else { return days }
    return min(question.firstDayBefore(days), days.lowerBound)...days.upperBound
  }
}

extension PersonsQuestion: ScopedQuestion {
  package static let standard = PersonsQuestion()
  package static let members: [JSONMember<PersonsQuestion>] =
    Group.members + [.optional("limit", \.limit, .integer(1...maximumLimit)), .optional("before", \.before, .cursor)]

  /// Persons can always be told apart.
  package var dimensions: [QuestionDimension] { [.install] }
}

extension JSONMember<PersonsQuestion> {
  /// A member that chooses a group.
  static func group<Form: DescribedGroup>(_ name: String, _ form: Form.Type) -> JSONMember {
    JSONMember(name: name) { node, persons throws(JSONFault) in
      persons.group = try Form.codec.decode(node).group
    } encode: {
      Form($0.group).map(Form.codec.encode)
    } schema: {
      Form.codec.schema
    }
    .refused("Persons are those of one group, not of several.") { $0.group != .all }
  }
}

extension JSONCodec<PersonsCursor> {
  fileprivate static var cursor: JSONCodec {
    JSONCodec(.text.described("`next` of the answer before.")) { node throws(JSONFault) in
      guard let cursor = PersonsCursor(try node.text()) else {
        throw node.fault("Expected the text of `next` in the answer before.")
      }
      return cursor
    } encode: {
      .text($0.text)
    }
  }
}

/// The place of a person in the list: the person's last row that passes.
package struct PersonsCursor: Hashable, Sendable {
  /// Milliseconds since 1970.
  package var time: Int64
  package var row: Int64

  package init(time: Int64, row: Int64) {
    self.time = time
    self.row = row
  }

  /// Parses a cursor such as `1793401200000-4711`.
  package init?(_ text: String) {
    // A time before 1970 begins with a sign.
    guard let separator = text.lastIndex(of: "-"), let time = Int64(text[..<separator]),
      let row = Int64(text[text.index(after: separator)...])
    else { return nil }
    self.init(time: time, row: row)
  }

  package var text: String { "\(time)-\(row)" }
}
