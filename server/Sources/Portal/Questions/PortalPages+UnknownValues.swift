package import Questions
package import Reports
import ServerBase
package import Warehouse

/// Values that no row of the app has ever had.
///
/// A page says so beside their field and shows its figures all the same: a card, an alert or a segment may be made before the
/// first event that it is about.
extension PortalPages {
  /// The values that the form of a page names.
  package func namedValues(_ page: QuestionPage, _ parameters: [String: String]) -> Set<NamedValue> {
    // Guests have no form.
    reader.isGuest ? [] : Set(QuestionForm(page, parameters, segments: segments).namedFields.map(\.value))
  }

  /// The values that the cards of a dashboard and the filter of all cards name.
  package func namedValues(_ dashboard: Dashboard, _ filter: ReportFilter) -> Set<NamedValue> {
    reader.isGuest
      ? []
      : dashboard.cards.reduce(into: Self.namedValues(in: filter)) { values, card in
        values.formUnion(namedFields(of: card).map(\.value))
      }
  }

  /// The values that segments and the form of one name.
  package static func namedValues(_ segments: [SavedSegment], _ form: SegmentForm) -> Set<NamedValue> {
    Set(segments.flatMap(\.namedValues) + form.namedFields.map(\.value))
  }

  /// The values that a card names, with the names of their fields on its page.
  private func namedFields(of card: DashboardCard) -> [(field: String, value: NamedValue)] {
    guard let page = QuestionPage(rawValue: card.page) else { return [] }
    return QuestionForm(page, URLEncodedForm(card.query).values, segments: segments).namedFields
  }

  /// Says which values of a card are unknown; empty if all are known, and for guests, whom names of other values don't
  /// concern.
  func unknownWords(of card: DashboardCard) -> [String] {
    reader.isGuest ? [] : words(of: namedFields(of: card).map(\.value))
  }

  /// Says which values of a segment are unknown; empty if all are known.
  func unknownWords(of segment: SavedSegment) -> [String] { words(of: segment.namedValues) }

  /// The values that the filters of a report name.
  package static func namedValues(in filter: ReportFilter) -> Set<NamedValue> {
    Set(FilterRows(json: filter.json).rows.namedFields.map(\.value))
  }

  /// The end of an address of the API that answers what the page shows although a value is unknown; empty if all are known.
  func allowance(_ separator: String) -> String { unknownValues.isEmpty ? "" : "\(separator)unknown=allow" }

  /// Says which values of some fields are unknown, by the name of their field.
  func words(of fields: [(field: String, value: NamedValue)]) -> [String: String] {
    var words: [String: String] = [:]
    for (field, value) in fields where words[field] == nil { words[field] = self.words(of: value) }
    return words
  }

  /// Says which of some values are unknown, once each.
  private func words(of values: [NamedValue]) -> [String] {
    var seen: Set<NamedValue> = []
    return values.filter { seen.insert($0).inserted }.compactMap { words(of: $0) }
  }

  private func words(of value: NamedValue) -> String? {
    unknownValues[value].map { nearest in value.words(nearest: nearest) { shown($0, limit: 60) } }
  }
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
  fileprivate var namedValues: [NamedValue] { FilterRows.parsed(filters).flatMap(\.namedValues).map(\.value) }
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
      case .explore: [("n0", subject)]
      case .funnels: funnelSteps.enumerated().map { ("n\($0 + 1)", $1) }
      case .retention: [("n1", rows("start")), ("n2", rows("return"))]
      case .paths: [("n1", rows("start") ?? rows("end"))]
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
