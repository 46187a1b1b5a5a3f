import JSON
import Questions

/// A condition of a segment about what users have done: `has done Purchase at least 3 times`.
struct SegmentCondition: Equatable {
  /// False for users who have not.
  var isDone: Bool
  var rows: RowChoice
  /// The number of times, at least.
  var count = 1
  /// The number of days up to the end of the range in which it counts; `nil` for the whole range.
  var days: Int?

  /// The numbers of the conditions of a form.
  static let numbers = 1...20

  init(isDone: Bool, rows: RowChoice) { (self.isDone, self.rows) = (isDone, rows) }

  /// Reads the condition of a form with some number; `nil` if it is empty.
  init?(_ number: Int, _ fields: [String: String]) {
    guard let rows = RowChoice(kind: fields["k\(number)"] ?? "", name: fields["n\(number)"] ?? "") else { return nil }
    self.init(isDone: fields["h\(number)"] != "has_not_done", rows: rows)
    // Text that is not a number becomes 0, which the form refuses with its reason.
    if let text = fields["c\(number)"], !text.isEmpty, isDone { count = Int(text) ?? 0 }
    if let text = fields["d\(number)"], !text.isEmpty { days = Int(text) ?? 0 }
  }

  /// Reads a filter; `nil` for another kind of filter, and for a condition that a form can't show.
  init?(_ json: JSONTree) {
    var scope = QuestionScope()
    guard (try? scope.set("filters", to: .array([json]))) != nil, let filter = scope.filters.first else { return nil }
    switch filter {
    case .hasDone(let selector, let count, let days):
      guard let rows = RowChoice(selector) else { return nil }
      self.init(isDone: true, rows: rows)
      (self.count, self.days) = (count, days)
    case .hasNotDone(let selector, let days):
      guard let rows = RowChoice(selector) else { return nil }
      self.init(isDone: false, rows: rows)
      self.days = days
    default: return nil
    }
  }

  /// The filter.
  var json: JSONTree {
    let count: [(String, JSONTree)] = isDone ? [("at_least", .number(Double(self.count)))] : []
    let limits = count + (days.map { [("days", .number(Double($0)))] } ?? [])
    return .array(
      [.text(isDone ? "has_done" : "has_not_done"), rows.json] + (limits.isEmpty ? [] : [.object(limits)]))
  }

  /// The fields of a row; of an empty one without a condition.
  static func fields(_ number: Int, _ condition: SegmentCondition?, fault: String? = nil) -> TemplateValues {
    let done = BuilderField(
      word: "", label: "Done or not", name: "h\(number)",
      value: condition?.isDone == false ? "has_not_done" : "has_done",
      options: [("has_done", "has done"), ("has_not_done", "has not done")], style: "done")
    var count = BuilderField(
      word: "at least", label: "Number of times, at least", name: "c\(number)", value: String(condition?.count ?? 1))
    (count.type, count.style, count.after) = ("number", "count", "times")
    var days = BuilderField(
      word: "in the last", label: "Number of days; empty for those of the page", name: "d\(number)",
      value: condition?.days.map(String.init) ?? "")
    (days.placeholder, days.after) = ("page’s", "days")
    let kind = QuestionForm.kind("", number, condition?.rows, "event", QuestionForm.kinds)
    var name = QuestionForm.name(number, condition?.rows)
    (name.placeholder, name.fault) = ("name", fault)
    return ["fields": [done, kind, name, count, days].map(\.values)]
  }
}

extension RowChoice {
  /// The choice that a selector makes; `nil` for one with filters.
  fileprivate init?(_ selector: Selector) {
    guard selector.filters.isEmpty else { return nil }
    switch selector.target {
    case .event(let name): self.init(kind: "event", name: name)
    case .screen(let name): self.init(kind: "screen", name: name)
    case .kind(let kind): self.init(kind: kind.rawValue, name: "")
    case .any: self.init(kind: "any", name: "")
    }
  }
}
