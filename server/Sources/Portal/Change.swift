package import Reports
import Warehouse

/// The rows that a page compares: its own, and those of the period before or of a segment.
struct Comparison {
  /// The request for the page's own rows. If it is compared with the period before, only for the days that are over: a
  /// day that has just begun has fewer events than a whole one, and would look like a drop every morning.
  let current: ReportRequest
  /// The request for the others.
  let other: ReportRequest
  /// The names of both in tooltips.
  let names: (current: String, other: String)
  /// For example `Changes compare 4 – 9 May 2026 with 28 April – 3 May 2026.`
  let text: String

  /// Compares with the days before; `nil` if no day of the range is over.
  init?(_ request: ReportRequest) {
    guard request.days.lowerBound < request.today else { return nil }
    var current = request
    current.days = request.days.lowerBound...min(request.days.upperBound, request.today.advanced(by: -1))
    self.current = current
    other = current.previous
    names = (current.days.text, other.days.text)
    text = "Changes compare \(names.current) with \(names.other)."
  }

  /// Compares with a segment over the same days.
  init(_ request: ReportRequest, with segment: SavedSegment) {
    current = request
    var other = request
    other.filter.segment = segment.id
    self.other = other
    names = ("This page", shown(segment.name))
    text = "Changes compare this page with the segment \(names.other)."
  }
}

/// A comparison, and the metrics of both sides.
struct ComparedSides {
  var comparison: Comparison?
  var store: any MetricsStore
  /// The metrics of the other side, if they are of other rows.
  var otherStore: (any MetricsStore)?
}

/// The rows that charts show as dashed lines.
struct ComparedRows {
  /// For example `28 Apr – 3 May 2026`, or the name of a segment.
  var name: String
  var request: ReportRequest
  var store: any MetricsStore
}

extension PageContext {
  var sides: ComparedSides { ComparedSides(comparison: shell.comparison, store: store, otherStore: otherStore) }

  /// The rows that charts also show; `nil` unless the page asks for them.
  var compared: ComparedRows? {
    switch request.comparison {
    case .periodBefore:
      ComparedRows(name: request.previous.days.text, request: request.previous, store: store)
    case .segment:
      otherStore.flatMap { store in
        shell.comparison.map { ComparedRows(name: $0.names.other, request: $0.other, store: store) }
      }
    case nil: nil
    }
  }
}

extension PortalPages {
  /// The request for the rows of the segment with which a page is compared; `nil` for others.
  package func comparedRequest(_ request: ReportRequest) -> ReportRequest? {
    guard case .segment(let number) = request.comparison, request.isFilterable else { return nil }
    return segments.first { $0.id == number }.map { Comparison(request, with: $0).other }
  }

  /// The comparison of a page's figures; `nil` if there is nothing to compare them with.
  func comparison(_ request: ReportRequest) -> Comparison? {
    guard case .segment(let number) = request.comparison, request.isFilterable,
      let segment = segments.first(where: { $0.id == number })
    else { return Comparison(request) }
    return Comparison(request, with: segment)
  }
}

/// The totals of both sides of a comparison.
struct Changes<Totals> {
  private let comparison: Comparison
  private let current: Totals
  private let other: Totals

  /// Reads the totals of both sides. Returns `nil` if the page compares with nothing.
  init?(
    _ sides: ComparedSides, totals: (ReportRequest, any MetricsStore) async throws -> Totals
  ) async rethrows {
    guard let comparison = sides.comparison else { return nil }
    self.comparison = comparison
    current = try await totals(comparison.current, sides.store)
    other = try await totals(comparison.other, sides.otherStore ?? sides.store)
  }

  /// Returns the change of one metric; `nil` if it is zero on both sides.
  func of(unit: String = "", _ metric: (Totals) -> Double) -> Change? {
    Change(metric(current), before: metric(other), in: comparison, unit: unit)
  }
}

/// The change of a metric since the previous period, or its difference from that of a segment.
struct Change {
  /// The CSS class of the mark: `up`, `down` or `flat`.
  var direction: String
  /// For example `+12.5 %`, or `new`.
  var text: String
  /// The text of the tooltip.
  var explanation: String

  /// Compares a metric of both sides. Returns `nil` if it is zero on both.
  init?(_ current: Double, before: Double, in comparison: Comparison, unit: String = "") {
    func amount(_ value: Double) -> String { unit.isEmpty ? grouped(whole(value)) : "\(decimal(value)) \(unit)" }
    self.init(
      current, before: before,
      explanation: "\(comparison.names.current): \(amount(current)). \(comparison.names.other): \(amount(before))")
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
