/// The fields of forms: a filter has three, and a choice of rows two. Addresses have one parameter for each.
enum FormFields {
  /// Joins the fields of filters, which all pages have.
  static func joined(_ fields: [String: String]) -> [String: String] {
    var parameters = fields
    for number in FilterRow.numbers {
      let (comparison, value) = (
        parameters.removeValue(forKey: "o\(number)"), parameters.removeValue(forKey: "v\(number)")
      )
      guard comparison != nil || value != nil, let dimension = parameters["f\(number)"], !dimension.isEmpty else {
        continue
      }
      parameters["f\(number)"] =
        FilterRow(dimension: dimension, comparison: comparison.nonEmpty ?? "is", value: value ?? "").text
    }
    return parameters
  }

  /// The parameters of a page that asks a question.
  static func joined(_ fields: [String: String], of page: QuestionPage) -> [String: String] {
    var parameters = joined(fields).filter { !$0.value.isEmpty }
    if let days = parameters["days"] {
      for name in days == QuestionForm.dates ? ["days"] : ["from", "to"] { parameters[name] = nil }
    }
    joinRows(&parameters, page)
    return parameters
  }

  private static func joinRows(_ parameters: inout [String: String], _ page: QuestionPage) {
    let anchor = parameters.removeValue(forKey: "anchor") == "end" ? "end" : "start"
    for number in 0...QuestionForm.steps.upperBound {
      let (kind, name) = (
        parameters.removeValue(forKey: "k\(number)"), parameters.removeValue(forKey: "n\(number)")
      )
      guard kind != nil || name != nil, let choice = RowChoice(kind: kind ?? "", name: name ?? "") else { continue }
      if number == 0 {
        if ["event", "screen"].contains(choice.kind) {
          parameters[choice.kind] = choice.name
        } else if choice.kind != "any" {
          parameters["kind"] = choice.kind
        }
        continue
      }
      let place: String? =
        switch (page, parameters["group"], number) {
        case (.funnels, _, _), (.people, "funnel", _): "s\(number)"
        // The rows of a divisor that was just taken back are left out.
        case (.explore, _, 1): parameters["per"] == nil ? nil : "perof"
        case (.retention, _, 1), (.people, "cohort", 1): "start"
        case (.retention, _, 2), (.people, "cohort", 2): "return"
        case (.paths, _, 1), (.people, "path", 1): anchor
        case (.people, "path", 2): "pathfrom"
        case (.people, "path", 3): "pathto"
        default: nil
        }
      if let place { parameters[place] = parameters[place] ?? choice.text }
    }
  }
}

extension String? {
  /// The text; `nil` for an empty one.
  fileprivate var nonEmpty: String? { self?.isEmpty == false ? self : nil }
}
