/// A request for a report that cannot be answered.
package struct ReportError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kinds of error, by their names in the REST API.
  package enum Code: String, Sendable {
    /// No report has this name.
    case unknownReport = "unknown_report"
    /// No output format has this name.
    case unknownFormat = "unknown_format"
    /// A date is not of the form `YYYY-MM-DD`, or does not exist.
    case invalidDate = "invalid_date"
    /// The range ends before it begins, or is too long.
    case invalidRange = "invalid_range"
    /// A number is malformed or out of bounds.
    case invalidNumber = "invalid_number"
    /// A parameter is none of the words that it can be.
    case invalidChoice = "invalid_choice"
    /// The report needs an event, but the request names none.
    case missingEvent = "missing_event"
    /// The report needs an error, but the request names none.
    case missingError = "missing_error"
    /// The app has no event with this name.
    case unknownEvent = "unknown_event"
    /// The app has no error with this number.
    case unknownError = "unknown_error"
    /// The app has no view with this number.
    case unknownView = "unknown_view"
  }

  /// The kind of error.
  package var code: Code
  /// The reason and the remedy, on one line.
  package var message: String
  /// The report that helps to correct the request, for a link on the error page.
  package var remedy: String?

  package init(_ code: Code, _ message: String, remedy: String? = nil) {
    self.code = code
    self.message = message
    self.remedy = remedy
  }

  /// True if the subject of the report does not exist: the address is wrong, not the request.
  package var isNotFound: Bool { [.unknownReport, .unknownView, .unknownEvent, .unknownError].contains(code) }

  /// The message.
  package var description: String { message }
}
