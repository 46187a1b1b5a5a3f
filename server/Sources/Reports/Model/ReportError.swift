/// A request for a report that cannot be answered.
public struct ReportError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kinds of error.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The stable name of the code in the REST API.
    public let description: String
    /// No report has this name.
    public static let unknownReport = Code(description: "unknown_report")
    /// No output format has this name.
    public static let unknownFormat = Code(description: "unknown_format")
    /// A date is not of the form `YYYY-MM-DD`, or does not exist.
    public static let invalidDate = Code(description: "invalid_date")
    /// The range ends before it begins, or is too long.
    public static let invalidRange = Code(description: "invalid_range")
    /// A number is malformed or out of bounds.
    public static let invalidNumber = Code(description: "invalid_number")
    /// A parameter is none of the words that it can be.
    public static let invalidChoice = Code(description: "invalid_choice")
    /// The report needs an event, but the request names none.
    public static let missingEvent = Code(description: "missing_event")
    /// The report needs an error, but the request names none.
    public static let missingError = Code(description: "missing_error")
    /// The app has no event with this name.
    public static let unknownEvent = Code(description: "unknown_event")
    /// The app has no error with this number.
    public static let unknownError = Code(description: "unknown_error")
    /// The app has no view with this number.
    public static let unknownView = Code(description: "unknown_view")
  }

  /// The kind of error.
  public var code: Code
  /// The reason and the remedy, on one line.
  public var message: String
  /// The report that helps to correct the request, for a link on the error page.
  public var remedy: String?

  /// Creates an error.
  public init(code: Code, message: String, remedy: String? = nil) {
    self.code = code
    self.message = message
    self.remedy = remedy
  }

  /// True if the subject of the report does not exist: the address is wrong, not the request.
  public var isNotFound: Bool { [.unknownReport, .unknownView, .unknownEvent, .unknownError].contains(code) }

  /// The message.
  public var description: String { message }
}
