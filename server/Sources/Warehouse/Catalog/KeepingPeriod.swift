/// The time for which the rows of an app are kept.
package enum KeepingPeriod: Sendable, Hashable {
  /// A number of days, and the current one.
  case days(Int)
  /// A number of months, and the current one so far.
  case months(Int)

  /// The text for rows that are kept forever.
  package static let foreverText = "forever"
  private static let maximumDays = 999
  private static let maximumMonths = 99

  /// Reads a text such as `90d` or `13mo`; `nil` for rows that are kept forever.
  ///
  /// - Throws: ``WarehouseError`` with code `invalid`.
  package static func reading(_ text: String) throws(WarehouseError) -> KeepingPeriod? {
    if text == foreverText { return nil }
    guard let period = KeepingPeriod(text) else {
      throw WarehouseError(
        .invalid, "Rows are kept for 1d to \(maximumDays)d, 1mo to \(maximumMonths)mo, or forever, not \"\(text)\".")
    }
    return period
  }

  /// Reads a text such as `90d` or `13mo`; `nil` if it is none.
  package init?(_ text: String) {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard let number = Int(digits), !digits.hasPrefix("0"), digits.count <= 3 else { return nil }
    switch text.dropFirst(digits.count) {
    case "d" where number <= Self.maximumDays: self = .days(number)
    case "mo" where number <= Self.maximumMonths: self = .months(number)
    default: return nil
    }
  }

  package var text: String {
    switch self {
    case .days(let number): "\(number)d"
    case .months(let number): "\(number)mo"
    }
  }

  package var words: String {
    switch self {
    case .days(let number): number == 1 ? "a day" : "\(number) days"
    case .months(let number): number == 1 ? "a month" : "\(number) months"
    }
  }

  /// Returns the first day whose rows are kept.
  package func firstDay(today: Day) -> Day {
    switch self {
    case .days(let number): return today.advanced(by: -number)
    case .months(let number):
      let (year, month, day) = today.components
      let months = year * 12 + month - 1 - number
      let first = Day(year: months / 12, month: months % 12 + 1, day: 1)
      let next = Day(year: (months + 1) / 12, month: (months + 1) % 12 + 1, day: 1)
      return min(first.advanced(by: day - 1), next.advanced(by: -1))
    }
  }
}
