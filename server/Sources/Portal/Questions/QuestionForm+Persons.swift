import Ingest
import JSON
import Questions

/// The persons behind a figure: parameters that a link adds to the state of the page with the figure.
extension QuestionForm {
  /// The parameters of a figure of Explore.
  ///
  /// - Parameters:
  ///   - label: The unit of time; `nil` for the whole range.
  ///   - group: The value of the breakdown, if the figure is about one. The outer `nil` stands for all values.
  static func figure(at label: String?, of group: QuestionValue??) -> [(String, String?)] {
    [("group", "figure"), ("at", label)] + (group.map { parameters(of: $0) } ?? [])
  }

  /// The parameters of a value of the breakdown; `nil` stands for rows without a value.
  static func parameters(of value: QuestionValue?) -> [(String, String?)] {
    switch value {
    case nil: [("type", "none")]
    case .text(let text): [("type", "text"), ("value", text.text)]
    case .number(let number): [("type", "number"), ("value", JSONNumber.plain(number))]
    }
  }

  /// The filters that choose the rows behind a figure of Explore: those of its place in the chart or the table.
  var figureFilters: [JSONTree] {
    guard page == .people, self["group"] == "figure" else { return [] }
    return [timeFilter, valueFilter].compactMap { $0 }
  }

  private var timeFilter: JSONTree? {
    guard let label = self["at"] else { return nil }
    return .array([.text("is"), .text("time:\(self["interval"] ?? "day")"), .array([.text(label)])])
  }

  private var valueFilter: JSONTree? {
    guard let breakdown, let values = chosenValue else { return nil }
    return values.isEmpty
      ? .array([.text("not_set"), .text(breakdown)]) : .array([.text("is"), .text(breakdown), .array(values)])
  }

  /// The value of the breakdown that was chosen, in a list; an empty list for rows without a value.
  var chosenValue: [JSONTree]? {
    guard let type = self["type"] else { return nil }
    let value = self["value"] ?? ""
    return switch type {
    case "none": []
    case "number": [Self.number(value)]
    default: [.text(value)]
    }
  }

  /// The rows that a metric counts, where these are not all.
  var metricFilter: QuestionFilter? {
    func kind(_ kind: QuestionKind) -> QuestionFilter { .isOneOf(.kind, [.text(kind.rawValue)]) }
    switch QuestionMetric(metric) {
    case .plain(.events): return kind(.event)
    case .plain(.screens): return kind(.screen)
    case .plain(.errors): return kind(.handledError)
    case .plain(.crashes), .plain(.crashFreeUsers), .plain(.crashFreeSessions): return kind(.crash)
    case .plain(.sessionStarts): return kind(.sessionStart)
    case .property(_, let name):
      // Only numbers count, and every number passes one of these.
      return .any([.compare(.gte, .property(name), 0), .compare(.lt, .property(name), 0)])
    default: return nil
    }
  }

  /// The question about the persons of a group; `nil` while the form lacks something.
  func persons() throws(QuestionError) -> PersonsQuestion? {
    var persons = PersonsQuestion(scope: try scope())
    if let form = groupForm {
      guard let group = try form.group(self) else { return nil }
      persons.group = group
    }
    try fill(&persons, "before")
    return persons
  }

  /// The group of persons in words, after their number.
  var groupText: String { groupForm?.text(self) ?? "" }

  private var groupForm: PersonsGroupForm? {
    QuestionPage.allCases.lazy.flatMap(\.definition.groups).first { $0.name == self["group"] }
  }

  /// The chosen value of the breakdown in words.
  var valueText: String? { self["type"].map { $0 == "none" ? "(not set)" : shown(self["value"] ?? "") } }

  /// The figure whose persons are shown: of a share, the crashes that lower it.
  var figureName: String {
    isShare ? "the crashes that lower \(metricName.lowercased())" : metricName.lowercased()
  }
}
