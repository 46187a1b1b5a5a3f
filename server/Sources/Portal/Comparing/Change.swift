import Reports
import Warehouse

/// The change of a figure since the previous period, or its difference from that of a segment.
struct Change {
  /// The CSS class of the mark: `up`, `down` or `flat`.
  var direction: String
  /// For example `+12.5 %`, or `none before`.
  var text: String
  /// The figures that were compared, for example `943 before`.
  var note: String

  /// Compares two amounts. Returns `nil` if both are zero.
  ///
  /// - Parameter none: What to say of another side without any: there is no percentage of nothing.
  init?(_ current: Double, before: Double, note: String, none: String = "none before") {
    guard current > 0 || before > 0 else { return nil }
    self.note = note
    guard before > 0 else {
      direction = "up"
      text = none
      return
    }
    let part = (current - before) / before
    // A change that rounds to 0.0 % counts as none.
    direction = abs(part) < 0.0005 ? "flat" : part > 0 ? "up" : "down"
    let amount = abs(part) >= 10 ? "\(grouped(whole(abs(part) * 100))) %" : percentage(abs(part))
    text = (direction == "up" ? "+" : direction == "down" ? "−" : "") + amount
  }

  /// Compares two shares, in percentage points: a percentage of a percentage is easily misread.
  init(shares current: Double, before: Double, note: String = "") {
    let tenths = whole((current - before) * 1_000)
    direction = tenths == 0 ? "flat" : tenths > 0 ? "up" : "down"
    text =
      (tenths > 0 ? "+" : tenths < 0 ? "−" : "") + "\(abs(tenths) / 10).\(abs(tenths) % 10) pp"
    self.note = note
  }

  /// The difference of two shares in words; a dash if one is missing.
  static func text(_ current: Double?, before: Double?) -> String {
    guard let current, let before else { return "–" }
    return Change(shares: current, before: before).text
  }

  var values: TemplateValues { ["direction": direction, "text": text, "note": note] }
}

extension Comparison {
  /// The two figures of a change in words.
  func note(_ current: String, _ other: String) -> String {
    if let segment { return "\(other) for \(shown(segment.name))" }
    return isOpen ? "\(current) without today, \(other) before" : "\(other) before"
  }

  /// The change of an amount; `nil` if it is zero on both sides.
  ///
  /// - Parameter texts: Both amounts in words.
  func change(_ current: Double, _ other: Double, _ texts: (current: String, other: String)) -> Change? {
    if other > 0 { return Change(current, before: other, note: note(texts.current, texts.other)) }
    return Change(
      current, before: other, note: isOpen ? "\(texts.current) without today" : "",
      none: segment.map { "none for \(shown($0.name))" } ?? "none before")
  }
}

/// The figures of both sides of a comparison.
struct Changes<Figures> {
  let comparison: Comparison
  let current: Figures
  let other: Figures

  /// Returns the change of one figure; `nil` if it is zero on both sides.
  func of(_ text: (Double) -> String = { grouped(whole($0)) }, _ figure: (Figures) -> Double) -> Change? {
    let (current, other) = (figure(current), figure(other))
    return comparison.change(current, other, (text(current), text(other)))
  }
}

extension ReportVisit {
  /// Returns the visit with stores that make some reads at once.
  ///
  /// - Parameters:
  ///   - changes: The reads of a period for ``changes(_:)``.
  ///   - lines: The reads of a period for the lines of ``overlay``.
  func preparing(
    _ reads: [MetricsRead], changes: (ClosedRange<Day>) -> [MetricsRead], lines: (ClosedRange<Day>) -> [MetricsRead]
  ) async throws -> ReportVisit {
    let settled = shell.comparison?.settled
    let own = reads + (settled.map { changes($0.current) } ?? [])
    let others = (settled.map { changes($0.other) } ?? []) + (overlay.map { lines($0.request.days) } ?? [])
    var visit = self
    visit.store = try await store.preparing(own + (otherStore == nil ? others : []), app: request.app)
    visit.otherStore = try await otherStore.asyncMap { try await $0.preparing(others, app: request.app) }
    return visit
  }

  /// Reads the figures of both sides of the page's comparison; `nil` if there is nothing to compare yet.
  func changes<Figures>(
    _ read: (ReportRequest, any MetricsStore) async throws -> Figures
  ) async rethrows -> Changes<Figures>? {
    guard let comparison = shell.comparison, let settled = comparison.settled else { return nil }
    var current = request
    current.days = settled.current
    return Changes(
      comparison: comparison, current: try await read(current, store),
      other: try await read(comparison.other(request, over: settled.other), otherStore ?? store))
  }

  /// The rows that charts also show, as dashed lines; `nil` unless the page asks for them.
  var overlay: (name: String, request: ReportRequest, store: any MetricsStore)? {
    guard request.comparison != nil, let comparison = shell.comparison else { return nil }
    return (comparison.name, comparison.other(request, over: comparison.otherDays), otherStore ?? store)
  }
}

extension ReportRequest {
  /// The number of days that a sparkline shows: without today, which would look like a drop.
  var settledDays: Int { days.upperBound == today && length > 2 ? length - 1 : length }
}
