/// The reports there are; the raw value is the name in commands and addresses.
public enum ReportName: String, Sendable, CaseIterable {
  /// Events, sessions and active users per day.
  case overview
  /// Every event name with its count.
  case events
  /// One event: its series and its properties.
  case event
  /// Handled errors and crashes, by fault.
  case errors
  /// One fault, or one occurrence of it.
  case error
  /// Every screen with its views.
  case screens
  /// App versions.
  case versions
  /// Device models and operating systems.
  case devices
  /// Countries.
  case countries
  /// The latest rows as they arrive.
  case live
  /// What clients dropped and the server refused, by reason.
  case losses

  /// Finds a report by its name; throws ``ReportError`` that lists the valid names.
  public init(parsing name: String) throws(ReportError) {
    guard let report = ReportName(rawValue: name) else {
      let names = ReportName.allCases.map(\.rawValue).joined(separator: ", ")
      throw ReportError(
        code: .unknownReport, message: "There is no report \"\(visible(name))\". Choose one of: \(names).")
    }
    self = report
  }
}
