import Questions
import Reports
import Warehouse

extension QuestionForm {
  private static let selectors = [
    ("event", "Event"), ("screen", "Screen"), ("crash", "Crash"), ("handled_error", "Error"),
    ("session_start", "Session start"), ("any", "Any event or screen"),
  ]

  private static let ranges = [
    ("today", "Today"), ("7d", "7 days"), ("28d", "28 days"), ("30d", "30 days"), ("90d", "90 days"),
    ("month", "This month"), ("12mo", "12 months"),
  ]

  /// The fields of the page's own settings.
  var fields: [TemplateValues] {
    switch page {
    case .explore:
      [
        choice("Metric", "metric", Self.metrics, "users"), text("Of property", "property", ""),
        choice("Of", "k0", [("", "All rows")] + Self.selectors.dropLast(), ""), text("Name", "n0", "", list: "names"),
        text("By", "breakdown", "", list: "dimensions"),
        choice("Per", "interval", [("hour", "Hour")] + Self.intervals, "day"), compare,
        display,
      ]
    case .funnels:
      [
        choice("Order", "order", [("ordered", "In order"), ("strict", "Directly"), ("unordered", "Any order")], ""),
        text("Within", "window", "14d"), text("By", "breakdown", "", list: "dimensions"), compare,
      ]
    case .retention:
      [
        choice("Per", "interval", Self.intervals, "week"),
        choice("Cohort", "cohort", [("first_ever", "First time ever"), ("recurring", "Every time")], ""),
        compare,
      ]
    case .paths:
      [
        choice("Of", "nodes", [("screens", "Screens"), ("events", "Events"), ("both", "Both")], ""),
        choice("Paths", "anchor", [("start", "Starting with"), ("end", "Leading to")], ""),
        text("Steps", "depth", "5"), compare, display,
      ]
    case .lifecycle: [choice("Per", "interval", Self.intervals, "day"), compare, display]
    case .people: []
    }
  }

  /// The fields that belong together in pairs: a kind of row, and its name.
  var pairs: [TemplateValues] {
    switch page {
    case .funnels: steps
    case .retention: [pair(1, "Started with", standard: "any"), pair(2, "Came back with", standard: "any")]
    case .paths: [pair(1, "Start or end", standard: "screen")]
    case .explore, .lifecycle, .people: []
    }
  }

  private var compare: TemplateValues {
    choice("Compare with", "compare", ReportComparison.choices(segments), "")
  }

  private var display: TemplateValues { choice("Show", "show", [("", "Chart"), ("table", "Table")], "") }

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

  private static let intervals = [("day", "Day"), ("week", "Week"), ("month", "Month")]

  /// The steps in use, and two more while there is room.
  private var steps: [TemplateValues] {
    let last = Self.steps.last { selector($0) != nil } ?? 0
    return (1...min(max(last + 1, 2), Self.steps.upperBound)).map { pair($0, "Step \($0)", standard: "event") }
  }

  private func pair(_ index: Int, _ label: String, standard: String) -> TemplateValues {
    [
      "fields": [
        choice(label, "k\(index)", Self.selectors, standard), text("Name", "n\(index)", "", list: "names"),
      ]
    ]
  }

  private func choice(_ label: String, _ name: String, _ options: [(String, String)], _ standard: String)
    -> TemplateValues
  {
    let value = values[name] ?? standard
    // A value from an address that is none of the options stays visible, because the question still has it.
    let isKnown = value.isEmpty || options.contains { $0.0 == value }
    return .choice(
      label, name, options.map { (value: $0.0, text: $0.1) } + (isKnown ? [] : [(value: value, text: shown(value))]),
      chosen: value)
  }

  private func text(
    _ label: String, _ name: String, _ standard: String, type: String = "text", list: String? = nil,
    placeholder: String? = nil
  ) -> TemplateValues {
    .input(label, name, values[name] ?? standard, type: type, placeholder: placeholder, suggestions: list)
  }
}
