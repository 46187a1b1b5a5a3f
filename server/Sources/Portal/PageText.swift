import Reports
import ServerBase
import TernBase
import TernEvents
import Warehouse

/// Returns a client's text for display: control characters escaped, a placeholder if empty, and shortened if long.
func shown(_ name: String, empty: String = "(no name)", limit: Int = 300) -> String {
  if name.isEmpty { return empty }
  // By bytes too, because one character may have thousands of combining marks.
  let start = name.prefix(limit).prefix(utf8Bytes: 4 * limit)
  return visible(start) + (start.utf8.count == name.utf8.count ? "" : "…")
}

/// Formats text of several lines from a client: control characters escaped, line breaks kept.
func shownLines(_ text: String) -> String {
  text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
    line.isEmpty || line.allSatisfy({ $0 == " " }) ? "" : visible(String(line))
  }.joined(separator: "\n")
}

/// A word as a title, with a capital.
func titled(_ word: String) -> String { word.prefix(1).uppercased() + word.dropFirst() }

/// The English name of a country for display, from its code.
func countryName(_ code: String, empty: String = "–") -> String {
  code.isEmpty ? empty : shown(Ranking.Codes.countries.name(of: code), limit: 60)
}

/// Shortens an identifier that is a UUID to its first part, for example `0F5C27A1…`; `nil` for other text.
func shortened(_ identifier: String) -> String? {
  let parts = identifier.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
  guard parts.map(\.count) == [8, 4, 4, 4, 12],
    identifier.utf8.allSatisfy({ $0 == 0x2D || Character(Unicode.Scalar($0)).isHexDigit })
  else { return nil }
  return "\(identifier.prefix(8))…"
}

/// The name of an install as a person. A short one stays on one line.
func shownInstall(_ name: String) -> String {
  shortened(name).map { "Install\u{A0}\($0)" } ?? "Install \(shown(name))"
}

extension Day {
  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
  ]
  private static let weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

  /// For example `4 May`.
  var shortText: String { "\(components.day) \(Self.months[components.month - 1].prefix(3))" }

  /// For example `May`.
  var monthText: String { String(Self.months[components.month - 1].prefix(3)) }

  /// For example `4 May 2026`.
  var longText: String { "\(shortText) \(components.year)" }

  /// For example `Mon, 4 May 2026`.
  var weekdayText: String {
    // Day 0, 1 January 1970, was a Thursday.
    let weekday = ((number + 3) % 7 + 7) % 7
    return "\(Self.weekdays[weekday].prefix(3)), \(longText)"
  }
}

extension ClosedRange<Day> {
  /// For example `4 May – 2 Jun 2026`.
  var text: String {
    if lowerBound == upperBound { return lowerBound.longText }
    let sameYear = lowerBound.components.year == upperBound.components.year
    return "\(sameYear ? lowerBound.shortText : lowerBound.longText) – \(upperBound.longText)"
  }
}

extension ReportZone {
  /// For example `4 May 2026, 14:05:09`.
  func dateTime(of time: Timestamp) -> String { "\(day(of: time).longText), \(timeOfDay(of: time))" }
}

/// Formats a frequency in words: `once`, `2 times`.
func times(_ number: Int) -> String { number == 1 ? "once" : "\(grouped(number)) times" }

/// Formats a duration as `mm:ss`, preceded by hours if there are any.
func clockText(milliseconds: Int) -> String {
  let seconds = max(0, milliseconds / 1_000)
  let minutes = "\(padded(seconds / 60 % 60)):\(padded(seconds % 60))"
  return seconds < 3_600 ? minutes : "\(grouped(seconds / 3_600)):\(minutes)"
}

/// Formats a number, with one decimal below 100, for averages.
func decimal(_ value: Double) -> String {
  if value == 0 || value >= 100 { return grouped(whole(value)) }
  let tenths = whole(value * 10)
  return "\(grouped(tenths / 10)).\(abs(tenths % 10))"
}

/// The nearest integer, or the largest integer.
func whole(_ value: Double) -> Int { Int(exactly: value.rounded()) ?? .max }

/// Returns a ratio in hundredths for a sparkline; 0 if the whole is 0. Clients may report any count, so the product may
/// overflow.
func hundredths(_ part: Int, per whole: Int) -> Int {
  guard whole > 0 else { return 0 }
  let (product, overflow) = part.multipliedReportingOverflow(by: 100)
  return (overflow ? .max : product) / whole
}

/// Formats a number for an axis: `950`, `1.5k`, `20k`, `3M`.
func compact(_ value: Int) -> String {
  for (unit, suffix) in [(1_000_000_000, "B"), (1_000_000, "M"), (1_000, "k")] where value >= unit {
    let tenths = value / (unit / 10)
    return tenths.isMultiple(of: 10) ? "\(tenths / 10)\(suffix)" : "\(tenths / 10).\(tenths % 10)\(suffix)"
  }
  return String(value)
}

/// Formats a time for a list, for example `4 May 2026, 14:05 UTC`; on an app's page in its zone, which the page names.
func listed(_ time: Timestamp?, of app: App? = nil, never: String = "Never") -> String {
  guard let time else { return never }
  let zone = ReportZone(app?.zone ?? .utc)
  return "\(zone.day(of: time).longText), \(zone.timeOfDay(of: time).prefix(5))\(app == nil ? " UTC" : "")"
}
