/// The rows with which a page compares its figures.
package enum ReportComparison: Sendable, Hashable {
  /// As many days, directly before.
  case periodBefore
  /// The rows of a saved segment, instead of the page's own.
  case segment(Int64)

  private static let segmentPrefix = "segment-"

  /// Parses the value of an address; `nil` for none.
  package init?(_ text: String) {
    if text == "before" {
      self = .periodBefore
    } else if text.hasPrefix(Self.segmentPrefix), let number = Int64(text.dropFirst(Self.segmentPrefix.count)) {
      self = .segment(number)
    } else {
      return nil
    }
  }

  /// The value in an address.
  package var text: String {
    switch self {
    case .periodBefore: "before"
    case .segment(let number): "\(Self.segmentPrefix)\(number)"
    }
  }
}
