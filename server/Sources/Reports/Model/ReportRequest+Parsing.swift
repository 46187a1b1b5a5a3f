package import TernEvents
import Warehouse

extension ReportRequest {
  /// Parses a request from the text parameters of the command line, the REST API and the pages.
  ///
  /// - Parameters:
  ///   - name: The report's name.
  ///   - subject: The app or view.
  ///   - given: `from` and `to` (`YYYY-MM-DD`), or `days` (a number of days ending with `to`); the default is the last 30
  ///     days ending today. `limit` is the maximum number of rows per list. The report's own parameters have their own
  ///     names. `filters` and `segment` choose rows, and `compare` what the page is compared with. Other parameters and empty values are ignored, except where a
  ///     parameter is any text.
  ///   - now: The time of the request.
  ///   - reports: The available reports.
  package init(
    _ name: String, of subject: ReportSubject, parameters given: [String: String], now: Timestamp,
    reports: ReportRegistry = .standard
  ) throws(ReportError) {
    let isView = if case .view = subject { true } else { false }
    let report = try reports.report(named: name, ofView: isView)
    let zone = subject.zone
    var parameters: [ReportParameter: String] = [:]
    for parameter in report.parameters { parameters[parameter] = try Self.value(of: parameter, given) }
    if parameters.isEmpty, let missing = report.missingParameter { throw missing }
    let given = given.filter { !$0.value.isEmpty }
    self.init(
      report, of: subject, days: try Self.days(given, today: zone.day(of: now)), parameters: parameters,
      limit: try Self.number("limit", given, 1...Self.maximumLimit), zone: zone, now: now)
    let segment = try Self.number("segment", given, 1...Int.max)
    comparison = given["compare"].flatMap { ReportComparison($0) }
    filter = ReportFilter(json: given["filters"] ?? "", segment: segment.map { Int64($0) })
  }

  private static func value(
    of parameter: ReportParameter, _ given: [String: String]
  ) throws(ReportError) -> String? {
    guard let text = given[parameter.name] else { return nil }
    switch parameter.kind {
    // An event's name may be empty, so presence is what counts.
    case .text: return text
    case .choice(let words):
      if text.isEmpty { return nil }
      guard words.contains(text) else {
        throw ReportError(
          .invalidChoice,
          "\"\(visible(text))\" is not a valid \(parameter.name). Use \(words.joined(separator: ", ")).")
      }
      return text
    case .number:
      if text.isEmpty { return nil }
      guard let number = Int64(text), number > 0 else {
        throw ReportError(
          .invalidNumber, "\"\(visible(text))\" is not a valid \(parameter.name). Use a number from a report.")
      }
      return String(number)
    }
  }

  private static func days(_ given: [String: String], today: Day) throws(ReportError) -> ClosedRange<Day> {
    let length = try number("days", given, 1...Self.maximumDays) ?? Self.defaultDays
    let first = try date("from", given)
    let last = try date("to", given) ?? today
    let start = first ?? last.advanced(by: 1 - length)
    guard start <= last else {
      throw ReportError(
        .invalidRange, "The start (\(start)) is after the end (\(last)). Choose a start on or before the end.")
    }
    guard start.distance(to: last) < maximumDays else {
      throw ReportError(
        .invalidRange,
        "The range from \(start) to \(last) has \(start.distance(to: last) + 1) days. "
          + "Choose at most \(maximumDays).")
    }
    return start...last
  }

  private static func date(_ name: String, _ given: [String: String]) throws(ReportError) -> Day? {
    guard let text = given[name] else { return nil }
    guard let day = Day(text) else {
      throw ReportError(.invalidDate, "\"\(visible(text))\" is not a valid date for \(name). Write it as YYYY-MM-DD.")
    }
    return day
  }

  private static func number(
    _ name: String, _ given: [String: String], _ range: ClosedRange<Int>
  ) throws(ReportError) -> Int? {
    guard let text = given[name] else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw ReportError(
        .invalidNumber,
        "\"\(visible(text))\" is not a valid number for \(name). "
          + "Choose one from \(range.lowerBound) to \(range.upperBound).")
    }
    return number
  }
}
