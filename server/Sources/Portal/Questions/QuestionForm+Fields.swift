import Ingest
import Questions
import Reports
import Warehouse

/// The controls of questions' forms.
extension QuestionForm {
  /// The kinds of rows, as they read in a sentence.
  static let kinds = [
    ("event", "the event"), ("screen", "the screen"), ("crash", "a crash"), ("handled_error", "an error"),
    ("session_start", "a session’s start"), ("any", "anything"),
  ]
  static let intervals = [("day", "a day"), ("week", "a week"), ("month", "a month")]
  static let units = [("day", "day"), ("week", "week"), ("month", "month")]

  private static let ranges = [
    ("1", "today"), ("7", "in the last 7 days"), ("30", "in the last 30 days"), ("84", "in the last 12 weeks"),
    ("90", "in the last 90 days"),
    ("365", "in the last 365 days"), ("month", "this month"), ("12mo", "in the last 12 months"), (dates, "from"),
  ]

  var daysFields: [BuilderField] {
    let isPreset = values["from"] == nil && values["to"] == nil
    let preset = isPreset ? page.defaults["days"] ?? "" : Self.dates
    var days = choice("", "Days", "days", Self.ranges, preset)
    if let count = values["days"].flatMap({ Int($0) }), !Self.ranges.contains(where: { $0.0 == values["days"] }) {
      days.options = days.options?.dropLast()
      days.options?.append((String(count), "in the last \(grouped(count)) days"))
    }
    days.style = "preset"
    var (from, to) = (text("", "First day", "from"), text("to", "Last day", "to"))
    for isFirst in [true, false] {
      var field = isFirst ? from : to
      field.isDay = true
      field.placeholder = "YYYY-MM-DD"
      field.style = "between"
      field.isShown = days.value == Self.dates
      if isFirst { from = field } else { to = field }
    }
    return [days, from, to]
  }

  var compareField: BuilderField {
    choice(
      "compared with", "Comparison", "compare",
      [("", "nothing"), (ReportComparison.periodBefore.text, "the previous period")]
        + segments.map { (ReportComparison.segment($0.id).text, "the segment \(shown($0.name))") }, "")
  }

  var breakdownField: BuilderField {
    text("by", "Breakdown", "by", list: "dimensions", empty: "nothing")
  }

  /// The name that a card gets unless someone types another one.
  var proposedName: String {
    let name: String =
      switch page {
      case .explore:
        [
          metricName,
          divisor != nil ? nil : subject.map { "of \($0.name.isEmpty ? $0.kind.replacing("_", with: " ") : $0.name)" },
        ]
        .compactMap { $0 }.joined(separator: " ")
      case .funnels: [stepNames.first, stepNames.last].compactMap { $0 }.joined(separator: " to ")
      default: page.title
      }
    return String(shown(breakdown == nil ? name : "\(name) by \(breakdownName)", limit: 100).prefix(100))
  }

  /// The breakdown in words.
  var breakdownName: String { shown(FilterRow.name(of: breakdown ?? "")) }

  /// The choice between a chart and a table.
  var display: [BuilderField] {
    [choice("Show", "Display", "show", [("", "a chart with its numbers"), ("table", "a table alone")], "")]
  }

  /// The choice of what counts as one user.
  var identityField: BuilderField {
    choice(
      "A user is", "Identity", "identity",
      [("install", "an install of the app"), ("user", "a user whom the app named")], "install")
  }

  /// The parameters that the form keeps without showing them: those of the group of persons.
  var hidden: [TemplateValues] {
    if page == .releases {
      return ReleaseConversion.parameters.compactMap { name in values[name].map { .hidden(name, $0) } }
    }
    guard page == .people else { return [] }
    let shown = Set(["days", "from", "to", "identity", "segment", "before", "compare", "filters"])
    return QuestionPage.parameters.filter { !shown.contains($0) }.compactMap { name in
      values[name].map { .hidden(name, $0) }
    }
  }

  /// A choice among words.
  func choice(
    _ word: String, _ label: String, _ name: String, _ options: [(String, String)], _ defaultValue: String
  ) -> BuilderField {
    let value = values[name] ?? defaultValue
    // A value from an address that is none of the options stays visible, because the question still has it.
    let isKnown = value.isEmpty || options.contains { $0.0 == value }
    return BuilderField(
      word: word, label: label, name: name, value: value,
      options: options.map { (value: $0.0, text: $0.1) } + (isKnown ? [] : [(value: value, text: shown(value))]))
  }

  /// A field with text.
  func text(
    _ word: String, _ label: String, _ name: String, _ defaultValue: String = "", list: String? = nil,
    empty: String = "",
    style: String = ""
  ) -> BuilderField {
    var field = BuilderField(word: word, label: label, name: name, value: values[name] ?? defaultValue)
    (field.list, field.placeholder, field.style) = (list, empty, style)
    if style == "property" { field.isShown = QuestionMetric.Aggregate(rawValue: self["metric"] ?? "") != nil }
    return field
  }

  /// The kind of the rows of a choice.
  static func kind(
    _ word: String, _ number: Int, _ choice: RowChoice?, _ defaultValue: String,
    _ options: some Sequence<(String, String)>
  ) -> BuilderField {
    BuilderField(
      word: word, label: "Kind", name: "k\(number)", value: choice?.kind ?? defaultValue,
      options: options.map { (value: $0.0, text: $0.1) }, style: "kind")
  }

  /// The name of the rows of a choice.
  static func name(_ number: Int, _ choice: RowChoice?) -> BuilderField {
    var field = BuilderField(word: "", label: "Name", name: "n\(number)", value: choice?.name ?? "")
    (field.list, field.placeholder, field.style) = ("names", "name", "named")
    field.isShown = ["event", "screen"].contains(choice?.kind)
    return field
  }
}
