public import TernEvents
public import Warehouse

extension ReportRequest {
  /// Reads a request from text parameters, as the command line, the REST API and the pages receive them.
  ///
  /// - Parameters:
  ///   - name: The report's name.
  ///   - app: The app.
  ///   - timeZone: The app's time zone.
  ///   - parameters: `from` and `to` (`YYYY-MM-DD`), or `days` (a number of days that end with `to`); the default is
  ///     the last 30 days ending today. `event` names the event of the event report, `group` and
  ///     `occurrence` the numbers of what the error report is about. `limit` is the most rows of each
  ///     list. Empty values count as absent; other parameters are ignored.
  ///   - now: The time of the request.
  public init(
    name: String, app: AppID, timeZone: String, parameters: [String: String], now: Timestamp
  ) throws(ReportError) {
    let name = try ReportName(parsing: name)
    let zone = try ReportZone(timeZone)
    let today = zone.day(of: now)
    let given = parameters.filter { !$0.value.isEmpty }
    // An event's name may be the empty text, so presence decides.
    let event = parameters["event"]
    if name == .event, event == nil {
      throw ReportError(
        code: .missingEvent, message: "The report \"event\" needs an event: add --event NAME (or event= in an address)."
      )
    }
    let group = name == .error ? try Self.row("group", given) : nil
    let occurrence = name == .error ? try Self.row("occurrence", given) : nil
    if name == .error, group == nil, occurrence == nil {
      throw ReportError(
        code: .missingError,
        message:
          "The report \"error\" needs a fault or an occurrence: add --group NUMBER or --occurrence NUMBER; "
          + "the reports \"errors\" and \"error\" list them.")
    }
    self.init(
      name: name, app: app, days: try Self.days(given, today: today), event: name == .event ? event : nil,
      group: group, occurrence: occurrence,
      limit: try Self.number("limit", given, 1...Self.maximumLimit), zone: zone, today: today)
  }

  static func days(_ given: [String: String], today: Day) throws(ReportError) -> ClosedRange<Day> {
    let length = try number("days", given, 1...Self.maximumDays) ?? Self.defaultDays
    let first = try date("from", given)
    // Without an end, a range that begins in the future would read as reversed; say so as such.
    let last = try date("to", given) ?? today
    let start = first ?? last.advanced(by: 1 - length)
    guard start <= last else {
      throw ReportError(
        code: .invalidRange, message: "The range begins on \(start), after it ends on \(last). Exchange from and to.")
    }
    guard start.distance(to: last) < maximumDays else {
      throw ReportError(
        code: .invalidRange,
        message: "The range \(start) to \(last) has \(start.distance(to: last) + 1) days; \(maximumDays) are possible.")
    }
    return start...last
  }

  private static func date(_ name: String, _ given: [String: String]) throws(ReportError) -> Day? {
    guard let text = given[name] else { return nil }
    guard let day = Day(text) else {
      throw ReportError(
        code: .invalidDate, message: "\"\(visible(text))\" is not a date for \(name). Write it as YYYY-MM-DD.")
    }
    return day
  }

  private static func row(_ name: String, _ given: [String: String]) throws(ReportError) -> Int64? {
    guard let text = given[name] else { return nil }
    guard let number = Int64(text), number > 0 else {
      throw ReportError(
        code: .invalidNumber, message: "\"\(visible(text))\" is not a number for \(name). Reports list the numbers.")
    }
    return number
  }

  static func number(
    _ name: String, _ given: [String: String], _ range: ClosedRange<Int>
  ) throws(ReportError) -> Int? {
    guard let text = given[name] else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw ReportError(
        code: .invalidNumber,
        message:
          "\"\(visible(text))\" is not a number for \(name). Give one from \(range.lowerBound) to \(range.upperBound).")
    }
    return number
  }
}
