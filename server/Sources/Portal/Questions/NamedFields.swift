package import Questions
package import Reports
import ServerBase
package import Warehouse

extension QuestionPage {
  /// The values that the form of the page names.
  package func namedValues(_ parameters: [String: String], segments: [SavedSegment]) -> Set<NamedValue> {
    Set(QuestionForm(self, parameters, segments: segments).namedFields.map(\.value))
  }
}

extension Dashboard {
  /// The values that the cards and the filter of all cards name.
  package func namedValues(_ filter: ReportFilter, segments: [SavedSegment]) -> Set<NamedValue> {
    cards.reduce(into: filter.namedValues) { values, card in
      values.formUnion(card.namedFields(segments).map(\.value))
    }
  }
}

extension DashboardCard {
  /// The values that the card names, with the names of their fields on its page.
  func namedFields(_ segments: [SavedSegment]) -> [(field: String, value: NamedValue)] {
    QuestionPage(rawValue: page).map {
      QuestionForm($0, URLEncodedForm(query).values, segments: segments).namedFields
    } ?? []
  }
}

extension SegmentForm {
  /// The values that the form and some segments name.
  package func namedValues(_ segments: [SavedSegment]) -> Set<NamedValue> {
    Set(segments.flatMap(\.namedValues) + namedFields.map(\.value))
  }
}

extension ReportFilter {
  /// The values that the filters name.
  package var namedValues: Set<NamedValue> { Set(FilterRows(json: json).rows.namedFields.map(\.value)) }
}

extension [FilterRow] {
  /// The values and properties that filters name, with the names of their fields.
  var namedFields: [(field: String, value: NamedValue)] {
    enumerated().flatMap { place, row in
      let row = row.ofStep?.row ?? row
      let isValue = row.comparison == "is" || row.comparison == "is_not"
      let values = [
        NamedValue(propertyOf: row.dimension), isValue ? NamedValue(dimension: row.dimension, row.value) : nil,
      ]
      return values.compactMap { $0 }.map { (field: "f\(place + 1)", value: $0) }
    }
  }
}

extension SavedSegment {
  /// The values and properties that the segment names.
  var namedValues: [NamedValue] { FilterRows.parsed(filters).flatMap(\.namedValues).map(\.value) }
}

extension SegmentForm {
  /// The values and properties that the fields of the form name, with the names of these fields.
  var namedFields: [(field: String, value: NamedValue)] {
    let named = conditions.enumerated().compactMap { place, condition -> (field: String, value: NamedValue)? in
      guard let kind = NamedValue.Kind(rawValue: condition.rows.kind), !condition.rows.name.isEmpty else { return nil }
      return ("n\(place + 1)", NamedValue(kind, condition.rows.name))
    }
    return named + rows.namedFields
  }
}

extension QuestionForm {
  /// The values and properties that the form names, with the names of their fields.
  var namedFields: [(field: String, value: NamedValue)] {
    var choices: [(field: String, choice: RowChoice?)] =
      switch page {
      case .explore: [("n0", subject), ("n1", divisor == nil ? nil : rows("perof"))]
      case .funnels: funnelSteps.enumerated().map { ("n\($0 + 1)", $1) }
      case .retention: [("n1", rows("start")), ("n2", rows("return"))]
      case .paths: [("n1", rows("start") ?? rows("end"))]
      case .releases:
        conversions.flatMap { name, conversion -> [(field: String, choice: RowChoice?)] in
          switch conversion {
          case .perUser(let choice): [(name, choice)]
          case .funnel(let funnel): funnel.funnelSteps.map { (name, $0) }
          }
        }
      case .lifecycle, .people: []
      }
    choices.removeAll { $0.choice?.name.isEmpty ?? true }
    var fields = choices.compactMap { field, choice -> (field: String, value: NamedValue)? in
      guard let choice, let kind = NamedValue.Kind(rawValue: choice.kind) else { return nil }
      return (field, NamedValue(kind, choice.name))
    }
    if let property = self["property"] { fields.append(("property", NamedValue(.property, property))) }
    if let property = breakdown.flatMap({ NamedValue(propertyOf: $0) }) { fields.append(("by", property)) }
    return fields + rows.namedFields
  }
}
