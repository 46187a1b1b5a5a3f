import Reports
import Warehouse

/// A name from a client as a page shows it: control characters written out, never an empty spot, never a page long.
func shown(_ name: String, empty: String = "(no name)", limit: Int = 300) -> String {
  if name.isEmpty { return empty }
  let start = name.prefix(limit)
  return visible(String(start)) + (start.endIndex == name.endIndex ? "" : "…")
}

extension Day {
  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
  ]
  private static let weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

  /// For example `4 May`.
  var shortText: String { "\(components.day) \(Self.months[components.month - 1].prefix(3))" }

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

/// A number with one decimal where that says something, for averages.
func decimal(_ value: Double) -> String {
  if value == 0 || value >= 100 { return grouped(whole(value)) }
  let tenths = whole(value * 10)
  return "\(grouped(tenths / 10)).\(abs(tenths % 10))"
}

/// The nearest integer; the largest there is for anything beyond.
private func whole(_ value: Double) -> Int { Int(exactly: value.rounded()) ?? .max }

/// A ratio in hundredths for a small line; 0 of nothing, and bounded for counts that clients made up.
func hundredths(_ part: Int, per whole: Int) -> Int {
  guard whole > 0 else { return 0 }
  let (product, overflow) = part.multipliedReportingOverflow(by: 100)
  return (overflow ? .max : product) / whole
}

/// A number short enough for an axis: `950`, `1.5k`, `20k`, `3M`.
func compact(_ value: Int) -> String {
  for (unit, suffix) in [(1_000_000_000, "G"), (1_000_000, "M"), (1_000, "k")] where value >= unit {
    let tenths = value / (unit / 10)
    return tenths.isMultiple(of: 10) ? "\(tenths / 10)\(suffix)" : "\(tenths / 10).\(tenths % 10)\(suffix)"
  }
  return String(value)
}

/// How a figure moved against the period before.
struct Change {
  /// `up`, `down` or `flat`: the class of the mark.
  var direction: String
  /// For example `+12.5 %`, or `new`.
  var text: String
  /// The sentence behind it.
  var explanation: String

  /// `nil` when there is nothing to compare: neither period has anything, or the period is only today, of which the
  /// rest is to come.
  init?(_ current: Double, before: Double, in request: ReportRequest, unit: String = "") {
    guard current > 0 || before > 0, request.length > 1 || !request.includesToday else { return nil }
    let previous = unit.isEmpty ? grouped(whole(before)) : decimal(before)
    explanation = "Period before: \(previous)\(unit.isEmpty ? "" : " " + unit)"
    guard before > 0 else {
      direction = "up"
      text = "new"
      return
    }
    let part = (current - before) / before
    // What rounds to nothing is no movement.
    direction = abs(part) < 0.0005 ? "flat" : part > 0 ? "up" : "down"
    let amount = abs(part) >= 10 ? "\(grouped(whole(abs(part) * 100))) %" : percentage(abs(part))
    text = (direction == "up" ? "+" : direction == "down" ? "−" : "") + amount
  }
}

extension ReportRequest {
  /// How many days of the range a small line shows: without today, whose drop would look like a fall.
  var settledDays: Int { days.upperBound == today && length > 2 ? length - 1 : length }
}
