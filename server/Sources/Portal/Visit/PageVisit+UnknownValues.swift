import Questions
import Reports
import ServerBase
import Warehouse

/// Values that no row of the app has ever had.
///
/// A page says so beside their field and shows its figures all the same: a card, an alert or a segment may be made before the
/// first event that it is about.
extension PageVisit {
  /// Says which values of a card are unknown; empty if all are known, and for guests, whom names of other values don't
  /// concern.
  func unknownWords(of card: DashboardCard) -> [String] {
    reader.isGuest ? [] : words(of: card.namedFields(segments).map(\.value))
  }

  /// Says which values of a segment are unknown; empty if all are known.
  func unknownWords(of segment: SavedSegment) -> [String] { words(of: segment.namedValues) }

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
