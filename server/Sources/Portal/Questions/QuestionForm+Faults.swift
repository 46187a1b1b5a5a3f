import Questions

/// Mistakes in a question, in words, beside their field.
extension QuestionForm {
  /// The field that an error is about, with what to write instead; `nil` for an error about no field.
  func fault(_ error: QuestionError) -> (field: String, words: String)? {
    guard error.path.hasPrefix("$.") else { return nil }
    let path = error.path.dropFirst(2)
    let member = String(path.prefix { $0 != "." && $0 != "[" })
    switch member {
    case "date_range":
      if values["days"] != nil { return ("days", "Choose a date range.") }
      return (
        path.hasSuffix("[1]") ? "to" : "from",
        path.contains("[") ? "Enter a date such as 2026-10-31." : error.message
      )
    case "filters": return filterFault(error, path)
    case "metrics" where path.contains(".per"): return ("per", error.message)
    case "metrics":
      guard values["property"] == nil, QuestionMetric.Aggregate(rawValue: values["metric"] ?? "") != nil else {
        return ("metric", "Choose one of these figures.")
      }
      return ("property", "Choose a property.")
    case "steps": return stepFault(error, path)
    case "breakdown_step": return ("bystep", error.message)
    case "breakdown": return ("by", Self.unknownDimension(breakdown ?? ""))
    case "bins": return ("bins", error.message)
    case "compare": return ("compare", Self.missingSegment)
    case "conversions": return ("c1", error.message)
    case "window": return ("window", "Enter a time such as 30m, 2h or 14d.")
    case "depth": return ("depth", "Enter a number from 2 to 20.")
    case "by": return ("identity", "Choose what a user is.")
    case "interval", "cohort", "order", "nodes": return (member, "Choose one of these.")
    default: return nil
    }
  }

  /// An error in words, where no field is beside them.
  func message(_ error: QuestionError) -> String { fault(error)?.words ?? error.message }

  private func filterFault(_ error: QuestionError, _ path: Substring) -> (field: String, words: String)? {
    guard let index = path.split(separator: "[").dropFirst().first.flatMap({ Int($0.dropLast()) }) else { return nil }
    let rows = scopeRows
    guard rows.indices.contains(index) else {
      // The segment follows the filters; what else does has no field.
      return values["segment"] != nil && index == plainFilters.count ? ("segment", Self.missingSegment) : nil
    }
    let (number, row) = rows[index]
    return ("f\(number)", row.fault ?? error.message)
  }

  /// The mistake in a filter of a step, as in `steps[0].filters[1]`.
  private func stepFault(_ error: QuestionError, _ path: Substring) -> (field: String, words: String)? {
    let places = path.split(separator: "[").dropFirst().compactMap { Int($0.prefix { $0 != "]" }) }
    guard places.count > 1, let (number, row) = filters(ofStep: places[0]).dropFirst(places[1]).first else {
      return nil
    }
    return ("f\(number)", row.fault ?? error.message)
  }

  static let missingSegment = "This segment no longer exists."

  /// Says that there is no dimension with a name, and which there are.
  static func unknownDimension(_ name: String) -> String {
    "There is no “\(shown(name, limit: 60))”. Choose \(Builder.dimensions.joined(separator: ", ")), or a property."
  }
}
