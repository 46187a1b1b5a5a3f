import TernBase
package import TernEvents
package import Warehouse

/// A value in a report: a cell of a list, or a JSON member next to the lists.
package indirect enum ReportValue: Sendable, Hashable {
  /// Text, from a client or from Tern.
  case text(String)
  /// An integer; ``count(_:)`` creates one from any integer type.
  case integer(Int)
  /// An identifying number, such as that of a row: never grouped, and treated as text in tables.
  case id(Int64)
  /// A number shown with two decimals.
  case decimal(Double)
  /// An amount of money in decimal notation: text in JSON too, because binary fractions would be inexact.
  case amount(String)
  /// A share of a whole, from 0 to 1.
  case share(Double)
  /// A duration in milliseconds; pages show minutes and seconds.
  case duration(Int)
  /// A point in time.
  case time(Timestamp)
  /// A civil day.
  case day(Day)
  /// True or false.
  case flag(Bool)
  /// Several texts: an array in JSON; tables show the first five.
  case texts([String])
  /// Named values: an object in JSON, a single text elsewhere.
  case properties([Properties.Element])
  /// A nested list. Tables show it below its parent.
  case list(ReportList)
  /// Absent; `null` in JSON.
  case none

  /// Creates an integer from any integer type, clamped to the range of `Int`.
  package static func count(_ number: some BinaryInteger) -> ReportValue { .integer(Int(clamping: number)) }

  /// Creates an integer, or an absent value.
  package static func count(orNone number: Int?) -> ReportValue { number.map { .integer($0) } ?? .none }

  /// Named texts, ordered by name.
  package static func pairs(_ pairs: [String: String]) -> ReportValue {
    .properties(pairs.sorted { $0.key < $1.key }.map { .init(name: $0.key, value: .string($0.value)) })
  }

  /// True for values that tables align to the right.
  package var isNumeric: Bool {
    switch self {
    case .integer, .decimal, .amount, .share, .duration: true
    case .text, .id, .time, .day, .flag, .texts, .properties, .list, .none: false
    }
  }

  /// The value as plain text.
  var plainText: String {
    switch self {
    case .text(let text), .amount(let text): text
    case .integer(let number), .duration(let number): String(number)
    case .id(let number): String(number)
    case .decimal(let number): Self.decimalText(number)
    case .share(let part): String(part)
    case .time(let time): time.isoText
    case .day(let day): day.description
    case .flag(let flag): String(flag)
    case .texts(let texts): texts.prefix(5).joined(separator: ", ")
    case .properties(let properties):
      properties.map { "\($0.name)=\($0.value.displayText)" }.joined(separator: " ")
    case .list, .none: ""
    }
  }

  /// The value for display on a terminal or page, with control characters escaped.
  package var displayText: String {
    switch self {
    case .integer(let number), .duration(let number): grouped(number)
    case .share(let part): percentage(part)
    case .none: "–"
    default: visible(plainText)
    }
  }

  private static func decimalText(_ number: Double) -> String {
    let hundredths = Int(clamping: (number * 100).rounded().clamped(to: -1e15...1e15))
    let (whole, part) = (abs(hundredths) / 100, abs(hundredths) % 100)
    return "\(hundredths < 0 ? "-" : "")\(whole).\(part < 10 ? "0" : "")\(part)"
  }
}
