/// A report that was asked for in a way that cannot be answered.
public struct ReportError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kinds of mistake.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The stable name of the code, as the REST API shows it.
    public let description: String
    /// No report has this name.
    public static let unknownReport = Code(description: "unknown_report")
    /// No output format has this name.
    public static let unknownFormat = Code(description: "unknown_format")
    /// A date is not of the form `YYYY-MM-DD`, or does not exist.
    public static let invalidDate = Code(description: "invalid_date")
    /// The range ends before it begins, or is too long.
    public static let invalidRange = Code(description: "invalid_range")
    /// A number is not one, or out of bounds.
    public static let invalidNumber = Code(description: "invalid_number")
    /// The report is about one event, and none was named.
    public static let missingEvent = Code(description: "missing_event")
    /// The report is about one error, and none was named.
    public static let missingError = Code(description: "missing_error")
    /// No fault or occurrence has this number, or it is another app's.
    public static let unknownError = Code(description: "unknown_error")
    /// No view has this number, or it is another app's.
    public static let unknownView = Code(description: "unknown_view")
    /// The app's time zone is not known on this machine.
    public static let unknownTimeZone = Code(description: "unknown_time_zone")
  }

  /// What kind of mistake this is.
  public var code: Code
  /// The reason and what to do, in one line.
  public var message: String

  /// Creates an error.
  public init(code: Code, message: String) {
    self.code = code
    self.message = message
  }

  /// Whether the report is about something that does not exist, so that the address is wrong rather than the question.
  public var isAboutNothing: Bool { [.unknownReport, .unknownView, .unknownError].contains(code) }

  /// The message.
  public var description: String { message }
}
