// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals

public import Foundation

/// How much is written to the log; a message is written when its level is at least the one that is set.
#if canImport(ObjectiveC)
  @objc(MSACLogLevel)
#endif
public enum LogLevel: UInt, Sendable {
  /// Every step.
  case verbose = 2
  /// What helps to find a fault.
  case debug = 3
  /// What changed.
  case info = 4
  /// What was corrected.
  case warning = 5
  /// What was not done.
  case error = 6
  /// A use that can never work.
  case assert = 7
  /// Nothing.
  case none = 99
}

/// Makes the text of a log message; called only by those who want to read it.
public typealias LogMessageProvider = () -> String?

/// Takes a log message: its text, level, tag, file, function and line.
public typealias LogHandler = (
  LogMessageProvider?, LogLevel, String?, UnsafePointer<CChar>?, UnsafePointer<CChar>?, UInt32
) -> Void

/// Writes to the SDK's log.
#if canImport(ObjectiveC)
  @objc(MSACLogger)
#endif
public class Logger: NSObject {
  /// Writes a message.
  public class func logMessage(
    _ messageProvider: LogMessageProvider!, level: LogLevel, tag: String!, file: UnsafePointer<CChar>!,
    function: UnsafePointer<CChar>!, line: UInt32
  ) {
    let text = messageProvider?() ?? ""
    AppCenterCore.shared.logBook.write(level, tag ?? "", text, file: file, function: function, line: line)
  }
}

/// Writes to the SDK's log, for wrapper SDKs.
#if canImport(ObjectiveC)
  @objc(MSACWrapperLogger)
#endif
public class WrapperLogger: NSObject {
  /// Writes a message.
  public class func msacWrapperLog(_ message: LogMessageProvider!, tag: String!, level: LogLevel) {
    let text = message?() ?? ""
    AppCenterCore.shared.logBook.write(level, tag ?? "", text, file: nil, function: nil, line: 0)
  }
}
