import JSON
package import Warehouse

/// The days of a question, as written: whole civil days in the app's zone, both ends included.
package enum QuestionRange: Hashable, Sendable {
  /// The last days, ending today.
  case days(Int)
  /// The current month up to today.
  case month
  /// The current month up to today, and the eleven before.
  case twelveMonths
  case dates(Day, Day)

  /// The most days of a range.
  package static let maximumDays = 3_660

  /// Returns the first and the last day.
  package func resolved(today: Day) -> ClosedRange<Day> {
    let (year, month, _) = today.components
    switch self {
    case .days(let count): return today.advanced(by: 1 - count)...today
    case .month: return Day(year: year, month: month, day: 1)...today
    case .twelveMonths:
      let first = month == 12 ? Day(year: year, month: 1, day: 1) : Day(year: year - 1, month: month + 1, day: 1)
      return first...today
    case .dates(let first, let last): return first...last
    }
  }
}

extension QuestionRange {
  fileprivate init(_ node: JSONNode) throws(JSONFault) {
    if case .array = node.value {
      var days: [Day] = []
      for date in try node.elements(2...2) {
        guard let day = Day(try date.text()) else { throw date.fault("Expected a date such as 2026-10-31.") }
        days.append(day)
      }
      guard days[0] <= days[1] else { throw node.fault("The range ends before it begins.") }
      guard days[0].distance(to: days[1]) < Self.maximumDays else {
        throw node.fault("The range has more than \(Self.maximumDays) days.")
      }
      self = .dates(days[0], days[1])
      return
    }
    let text = try node.text()
    switch text {
    case "today": self = .days(1)
    case "month": self = .month
    case "12mo": self = .twelveMonths
    default:
      guard text.last == "d", let count = Int(text.dropLast()), (1...Self.maximumDays).contains(count) else {
        throw node.fault("Expected today, a number of days such as 30d, month, 12mo, or two dates in an array.")
      }
      self = .days(count)
    }
  }
}

extension QuestionRange {
  fileprivate var json: JSONTree {
    switch self {
    case .days(1): .text("today")
    case .days(let count): .text("\(count)d")
    case .month: .text("month")
    case .twelveMonths: .text("12mo")
    case .dates(let first, let last): .array([.text(first.description), .text(last.description)])
    }
  }

  static var schema: Schema {
    .anyOf(
      .choice(["today", "7d", "28d", "30d", "90d", "month", "12mo"]), .pattern("^[1-9][0-9]{0,3}d$"),
      .tuple(.date, .date))
  }
}

extension JSONCodec<QuestionRange> {
  static var range: JSONCodec {
    JSONCodec(.named("DateRange")) { node throws(JSONFault) in
      try QuestionRange(node)
    } encode: {
      $0.json
    }
  }
}
