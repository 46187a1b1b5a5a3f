import Questions
import Reports
import Warehouse

extension QuestionForm {
  static let selectors = [
    ("event", "Event"), ("screen", "Screen"), ("crash", "Crash"), ("handled_error", "Error"),
    ("session_start", "Session start"), ("any", "Any event or screen"),
  ]

  private static let ranges = [
    ("today", "Today"), ("7d", "7 days"), ("28d", "28 days"), ("30d", "30 days"), ("90d", "90 days"),
    ("month", "This month"), ("12mo", "12 months"),
  ]

  var compare: TemplateValues {
    choice("Compare with", "compare", ReportComparison.choices(segments), "")
  }

  var display: TemplateValues { choice("Show", "show", [("", "Chart"), ("table", "Table")], "") }

  /// The range and the identity, which every page has.
  var shared: [TemplateValues] {
    [
      choice("Days", "range", Self.ranges, "30d"), text("Or from", "from", "", type: "date"),
      text("to", "to", "", type: "date"), choice("Users", "by", [("install", "Installs"), ("user", "User names")], ""),
    ]
      + (segments.isEmpty && values["segment"] == nil
        ? []
        : [
          choice(
            "Segment", "segment", [("", "None")] + segments.map { ($0.id.description, shown($0.name)) }, "")
        ])
  }

  /// The filters in use, and an empty one.
  var filterRows: [TemplateValues] {
    let used = FilterRow.numbers.filter { values["f\($0)"] != nil }
    let free = FilterRow.numbers.first { values["f\($0)"] == nil }
    return (used + (free.map { [$0] } ?? [])).map { index in
      [
        "fields": [
          text("Filter", "f\(index)", "", list: "dimensions", placeholder: "country"),
          choice("Comparison", "o\(index)", FilterRow.comparisons, "is"), text("Value", "v\(index)", ""),
        ]
      ]
    }
  }

  /// The parameters that the form keeps without showing them: those of the group of persons.
  var hidden: [TemplateValues] {
    guard page == .people else { return [] }
    let filters = FilterRow.numbers.flatMap { ["f\($0)", "o\($0)", "v\($0)"] }
    let shown = Set(["range", "from", "to", "by", "segment", "before"] + filters)
    return values.filter { !shown.contains($0.key) }
      .sorted { $0.key < $1.key }.map { .hidden($0.key, $0.value) }
  }

  static let intervals = [("day", "Day"), ("week", "Week"), ("month", "Month")]

  func pair(_ index: Int, _ label: String, standard: String) -> TemplateValues {
    [
      "fields": [
        choice(label, "k\(index)", Self.selectors, standard), text("Name", "n\(index)", "", list: "names"),
      ]
    ]
  }

  func choice(_ label: String, _ name: String, _ options: [(String, String)], _ standard: String)
    -> TemplateValues
  {
    let value = values[name] ?? standard
    // A value from an address that is none of the options stays visible, because the question still has it.
    let isKnown = value.isEmpty || options.contains { $0.0 == value }
    return .choice(
      label, name, options.map { (value: $0.0, text: $0.1) } + (isKnown ? [] : [(value: value, text: shown(value))]),
      chosen: value)
  }

  func text(
    _ label: String, _ name: String, _ standard: String, type: String = "text", list: String? = nil,
    placeholder: String? = nil
  ) -> TemplateValues {
    .input(label, name, values[name] ?? standard, type: type, placeholder: placeholder, suggestions: list)
  }
}
