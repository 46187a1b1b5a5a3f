import Ingest
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
    case .number(let number): [("type", "number"), ("value", QuestionJSON.plain(number))]
    }
  }

  /// The filters that choose the rows behind a figure of Explore.
  var figureFilters: [JSONTree] {
    guard page == .people, self["group"] == "figure" else { return [] }
    return [timeFilter, valueFilter, metricFilter].compactMap { $0 }
  }

  private var timeFilter: JSONTree? {
    guard let label = self["at"] else { return nil }
    return .array([.text("is"), .text("time:\(self["interval"] ?? "day")"), .array([.text(label)])])
  }

  private var valueFilter: JSONTree? {
    guard let breakdown = self["breakdown"], let values = chosenValue else { return nil }
    return values.isEmpty
      ? .array([.text("not_set"), .text(breakdown)]) : .array([.text("is"), .text(breakdown), .array(values)])
  }

  /// The value of the breakdown that was chosen, in a list; an empty list for rows without a value.
  private var chosenValue: [JSONTree]? {
    guard let type = self["type"] else { return nil }
    let value = self["value"] ?? ""
    return switch type {
    case "none": []
    case "number": [Double(value).map { .number($0) } ?? .text(value)]
    default: [.text(value)]
    }
  }

  /// The rows that a metric counts, where these are not all.
  private var metricFilter: JSONTree? {
    func kind(_ kind: QuestionKind) -> JSONTree {
      .array([.text("is"), .text("kind"), .array([.text(kind.rawValue)])])
    }
    switch QuestionMetric(metric) {
    case .plain(.events): return kind(.event)
    case .plain(.screens): return kind(.screen)
    case .plain(.errors): return kind(.handledError)
    case .plain(.crashes), .plain(.crashFreeUsers), .plain(.crashFreeSessions): return kind(.crash)
    case .plain(.sessionStarts): return kind(.sessionStart)
    case .property(_, let name):
      // Only numbers count, and every number passes one of these.
      let dimension = JSONTree.text("property:\(name.text)")
      return .array([
        .text("or"),
        .array(["gte", "lt"].map { .array([.text($0), dimension, .number(0)]) }),
      ])
    default: return nil
    }
  }

  /// The members of a question about the persons of a group; `nil` while the form lacks something.
  var persons: [(String, JSONTree)]? {
    var members: [(String, JSONTree)] = []
    if let before = self["before"] { members.append(("before", .text(before))) }
    let interval = ("interval", JSONTree.text(self["interval"] ?? "day"))
    switch self["group"] {
    case "funnel":
      guard let funnel else { return nil }
      let step: [(String, JSONTree)] = [
        ("step", Self.number(self["step"] ?? "1")), ("dropped", .boolean(self["dropped"] == "1")),
      ]
      let value = self["breakdown"] == nil ? nil : chosenValue
      members.append(("funnel", .object(funnel + step + (value.map { [("value", .array($0))] } ?? []))))
    case "path":
      let edge: [(String, JSONTree)] = [
        ("step", Self.number(self["step"] ?? "1")), ("from", selector(2) ?? .null), ("to", selector(3) ?? .null),
      ]
      members.append(("paths", .object(paths + edge)))
    case "cohort":
      let of: [(String, JSONTree)] = [
        ("of", .text(self["of"] ?? "")), ("after", Self.number(self["after"] ?? "0")),
      ]
      members.append(("cohort", .object(retention + of)))
    case "figure" where metric == QuestionMetric.Plain.newUsers.rawValue:
      members.append(("new", .object(self["at"].map { [interval, ("of", .text($0))] } ?? [])))
    case "lifecycle":
      let of: [(String, JSONTree)] = [("of", .text(self["of"] ?? "")), ("state", .text(self["state"] ?? ""))]
      members.append(("lifecycle", .object([interval] + of)))
    case "stickiness":
      members.append(("stickiness", .object([interval, ("intervals", Self.number(self["active"] ?? "1"))])))
    default: break
    }
    return members
  }

  /// The group of persons in words, after their number.
  var groupText: String {
    let interval = shown(self["interval"] ?? "day")
    switch self["group"] {
    case "figure":
      let place = [self["at"].map { shown($0) }, valueText].compactMap { $0 }.joined(separator: ", ")
      return " behind \(figureName)" + (place.isEmpty ? "" : " · \(place)")
    case "funnel":
      let step = shown(self["step"] ?? "1")
      return (self["dropped"] == "1" ? " who stopped before step \(step)" : " who took step \(step)")
        + (valueText.map { " · \($0)" } ?? "")
    case "path":
      return " whose session went from \(shown(self["n2"] ?? "")) to \(shown(self["n3"] ?? ""))"
    case "cohort":
      let after = self["after"] ?? "0"
      let interval = self["interval"] ?? "week"
      return " who started in the \(shown(interval)) of \(shown(self["of"] ?? ""))"
        + (after == "0" ? "" : ", back after \(shown(after))")
    case "lifecycle": return " \(shown(self["state"] ?? "")) in the \(interval) of \(shown(self["of"] ?? ""))"
    case "stickiness":
      let count = Int(self["active"] ?? "") ?? 0
      return " active on exactly \(counted(count, interval))"
    default: return ""
    }
  }

  /// The chosen value of the breakdown in words.
  private var valueText: String? { self["type"].map { $0 == "none" ? "(not set)" : shown(self["value"] ?? "") } }

  /// The figure whose persons are shown: of a share, the crashes that lower it.
  private var figureName: String {
    isShare ? "the crashes that lower \(metricName.lowercased())" : metricName.lowercased()
  }

  private static func number(_ text: String) -> JSONTree { Double(text).map { .number($0) } ?? .text(text) }
}
