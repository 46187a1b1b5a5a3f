import Reports
import Warehouse

/// Two adjacent periods of equal length whose metrics can be compared.
///
/// Both consist of days that are over: a day that has just begun has fewer events than a whole one, and would look like
/// a drop every morning.
struct Comparison {
  /// The request for the days of the range that are over.
  let current: ReportRequest
  /// The request for as many days before them.
  var previous: ReportRequest { current.previous }

  /// Creates the comparison for a request; `nil` if no day of its range is over.
  init?(_ request: ReportRequest) {
    guard request.days.lowerBound < request.today else { return nil }
    var current = request
    current.days = request.days.lowerBound...min(request.days.upperBound, request.today.advanced(by: -1))
    self.current = current
  }

  /// For example `Changes compare 4 – 9 May 2026 with 28 April – 3 May 2026.`
  var text: String { "Changes compare \(current.days.text) with \(previous.days.text)." }
}

/// The totals of the two periods of a comparison.
struct Changes<Totals> {
  private let comparison: Comparison
  private let current: Totals
  private let previous: Totals

  /// Reads the totals of both periods. Returns `nil` if no day of the request's range is over.
  init?(_ request: ReportRequest, totals: (ReportRequest) async throws -> Totals) async rethrows {
    guard let comparison = Comparison(request) else { return nil }
    self.comparison = comparison
    current = try await totals(comparison.current)
    previous = try await totals(comparison.previous)
  }

  /// Returns the change of one metric; `nil` if it is zero in both periods.
  func of(unit: String = "", _ metric: (Totals) -> Double) -> Change? {
    Change(metric(current), before: metric(previous), in: comparison, unit: unit)
  }
}

/// The change of a metric since the previous period.
struct Change {
  /// The CSS class of the mark: `up`, `down` or `flat`.
  var direction: String
  /// For example `+12.5 %`, or `new`.
  var text: String
  /// The text of the tooltip.
  var explanation: String

  /// Compares a metric of two periods. Returns `nil` if it is zero in both.
  init?(_ current: Double, before: Double, in comparison: Comparison, unit: String = "") {
    func amount(_ value: Double) -> String { unit.isEmpty ? grouped(whole(value)) : "\(decimal(value)) \(unit)" }
    self.init(
      current, before: before,
      explanation: "\(comparison.current.days.text): \(amount(current)). "
        + "\(comparison.previous.days.text): \(amount(before))")
  }

  /// Compares two amounts. Returns `nil` if both are zero.
  init?(_ current: Double, before: Double, explanation: String) {
    guard current > 0 || before > 0 else { return nil }
    self.explanation = explanation
    guard before > 0 else {
      direction = "up"
      text = "new"
      return
    }
    let part = (current - before) / before
    // A change that rounds to 0.0 % counts as none.
    direction = abs(part) < 0.0005 ? "flat" : part > 0 ? "up" : "down"
    let amount = abs(part) >= 10 ? "\(grouped(whole(abs(part) * 100))) %" : percentage(abs(part))
    text = (direction == "up" ? "+" : direction == "down" ? "−" : "") + amount
  }

  /// Compares two shares, in percentage points: a percentage of a percentage is easily misread.
  init(shares current: Double, before: Double, explanation: String) {
    let tenths = whole((current - before) * 1_000)
    direction = tenths == 0 ? "flat" : tenths > 0 ? "up" : "down"
    text =
      (tenths > 0 ? "+" : tenths < 0 ? "−" : "") + "\(abs(tenths) / 10).\(abs(tenths) % 10) pp"
    self.explanation = explanation
  }

  var values: TemplateValues { ["direction": direction, "text": text, "explanation": explanation] }
}

extension ReportRequest {
  /// The number of days that a sparkline shows: without today, which would look like a drop.
  var settledDays: Int { days.upperBound == today && length > 2 ? length - 1 : length }
}
