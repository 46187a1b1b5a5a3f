import Questions

/// A condition of a segment about what users have done: `has done Purchase at least 3 times`.
struct SegmentCondition: Equatable {
  /// False for users who have not.
  var isDone: Bool
  var rows: RowChoice
  /// How often, at least.
  var count = 1

  /// The numbers of the conditions of a form.
  static let numbers = 1...20

  init(isDone: Bool, rows: RowChoice, count: Int = 1) { (self.isDone, self.rows, self.count) = (isDone, rows, count) }

  /// Reads the condition of a form with some number; `nil` if it is empty.
  init?(_ number: Int, _ fields: [String: String]) {
    guard let rows = RowChoice(kind: fields["k\(number)"] ?? "", name: fields["n\(number)"] ?? "") else { return nil }
    self.init(isDone: fields["h\(number)"] != "has_not_done", rows: rows, count: 1)
    // What is no number is left for the check of the filters to refuse.
    if let text = fields["c\(number)"], !text.isEmpty, isDone { count = Int(text) ?? 0 }
  }

  /// Reads a filter; `nil` for another kind of filter, and for a condition that a form can't show.
  init?(_ json: JSONTree) {
    guard case .array(let parts) = json, case .text(let name)? = parts.first, parts.count > 1,
      case .object(let members) = parts[1], members.count == 1, let rows = RowChoice(members[0].name, members[0].value)
    else { return nil }
    self.init(isDone: name == "has_done", rows: rows)
    if parts.count > 2, case .object(let limits) = parts[2], case .number(let number)? = limits.first?.value {
      count = Int(exactly: number) ?? 0
    }
    guard self.json == json || (count == 1 && .array(Array(parts.prefix(2))) == shortJSON) else { return nil }
  }

  /// The filter.
  var json: JSONTree {
    guard isDone else { return shortJSON }
    return .array([.text("has_done"), rows.json, .object([("at_least", .number(Double(count)))])])
  }

  private var shortJSON: JSONTree { .array([.text(isDone ? "has_done" : "has_not_done"), rows.json]) }

  /// The fields of a row; of an empty one without a condition.
  static func fields(_ number: Int, _ condition: SegmentCondition?) -> TemplateValues {
    let done = BuilderField(
      word: "", label: "Done or not", name: "h\(number)",
      value: condition?.isDone == false ? "has_not_done" : "has_done",
      options: [("has_done", "has done"), ("has_not_done", "has not done")], style: "done")
    var count = BuilderField(
      word: "at least", label: "Times at least", name: "c\(number)", value: String(condition?.count ?? 1))
    (count.type, count.style) = ("number", "count")
    let kind = QuestionForm.kind("", number, condition?.rows, "event", QuestionForm.kinds)
    var name = QuestionForm.name(number, condition?.rows)
    name.placeholder = "name"
    return ["fields": [done, kind, name, count].map(\.values)]
  }
}

extension RowChoice {
  /// Reads a member of a selector.
  fileprivate init?(_ member: String, _ value: JSONTree) {
    switch (member, value) {
    case ("any", .boolean(true)): self.init(kind: "any", name: "")
    case ("kind", .text(let kind)) where Self.unnamed.contains(kind): self.init(kind: kind, name: "")
    case ("event", .text(let name)), ("screen", .text(let name)): self.init(kind: member, name: name)
    default: return nil
    }
  }
}
