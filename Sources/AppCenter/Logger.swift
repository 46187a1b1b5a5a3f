// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals

public import Foundation

/// The level of a log message; those of at least the current level are written.
#if canImport(ObjectiveC)
  @objc(MSACLogLevel)
#endif
public enum LogLevel: UInt, Sendable {
  /// Every step.
  case verbose = 2
  /// Debugging help.
  case debug = 3
  /// Changes.
  case info = 4
  /// Corrected values and possible mistakes.
  case warning = 5
  /// Failures.
  case error = 6
  /// Misuse that can never work.
  case assert = 7
  /// Returns nothing.
  case none = 99
}

/// Makes the text of a log message, only when it is needed.
public typealias LogMessageProvider = () -> String?

/// Receives a log message: its text, level, tag, file, function and line.
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
    AppCenterCore.shared.logger.write(level, tag ?? "", text, file: file, function: function, line: line)
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
    AppCenterCore.shared.logger.write(level, tag ?? "", text, file: nil, function: nil, line: 0)
  }
}
