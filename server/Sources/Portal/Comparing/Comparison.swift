package import Reports
package import Warehouse

/// The other side of a page's figures: the previous period, or a segment over the same days.
///
/// The previous period has as many days and ends where the page's days begin, so a week is compared with the same weekdays.
/// While the last day is not over, it is left out on both sides: a day that has just begun has fewer events than a whole
/// one, and would look like a drop every morning. Headings, changes and charts all have this one period.
struct Comparison {
  /// The days of the page.
  let days: ClosedRange<Day>
  /// The segment on the other side; `nil` for the previous period.
  let segment: SavedSegment?
  /// The days of both sides whose figures make changes; `nil` if none of the page's days is over.
  let settled: (current: ClosedRange<Day>, other: ClosedRange<Day>)?

  init(_ days: ClosedRange<Day>, today: Day, with segment: SavedSegment? = nil) {
    (self.days, self.segment) = (days, segment)
    if segment != nil {
      settled = (days, days)
    } else if days.lowerBound < today {
      let current = days.lowerBound...min(days.upperBound, today.advanced(by: -1))
      settled = (current, current.advanced(by: -days.count))
    } else {
      settled = nil
    }
  }

  /// The days of the other side. A page of today alone has no changes, and its chart shows the day before.
  var otherDays: ClosedRange<Day> { settled?.other ?? days.before }

  /// True if changes leave days out.
  var isOpen: Bool { settled.map { $0.current != days } ?? true }

  /// The other side in words, for example `28 Apr – 3 May 2026` or the name of a segment.
  var name: String { segment.map { shown($0.name) } ?? otherDays.text }

  /// The other side beside the page's days; `nil` if nothing is compared.
  var against: TemplateValues? {
    settled.map { _ in ["lead": isOpen ? "without today, compared with" : "compared with", "side": name] }
  }

  /// The heading of a column with the other side's figures.
  var heading: String { segment == nil ? "Previous period" : name }

  /// One sentence that says what the other side is.
  var about: String { segment == nil ? "The previous period is \(name)." : "\(name) is a segment." }
}

extension Comparison {
  /// Compares the rows of a page; with the previous period if the page asks for nothing else.
  init(_ request: ReportRequest, segments: [SavedSegment]) {
    var chosen: SavedSegment?
    if case .segment(let number) = request.comparison, request.isFilterable {
      chosen = segments.first { $0.id == number }
    }
    self.init(request.days, today: request.today, with: chosen)
  }

  /// The request for the other side over some days.
  func other(_ request: ReportRequest, over days: ClosedRange<Day>) -> ReportRequest {
    var request = request
    request.days = days
    if let segment { request.filter.segment = segment.id }
    return request
  }
}

extension ClosedRange<Day> {
  /// As many days, directly before.
  var before: ClosedRange<Day> { advanced(by: -count) }

  /// The same number of days, later by a number of days.
  func advanced(by days: Int) -> ClosedRange<Day> { lowerBound.advanced(by: days)...upperBound.advanced(by: days) }
}

extension ReportRequest {
  /// The request for the rows of the segment with which a page is compared; `nil` for others.
  package func compared(_ segments: [SavedSegment]) -> ReportRequest? {
    let comparison = Comparison(self, segments: segments)
    return comparison.segment.map { _ in comparison.other(self, over: days) }
  }
}
