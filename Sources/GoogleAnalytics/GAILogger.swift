// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals

public import Foundation
import TernBase
import TernEvents
import TernMeasurement

/// Receives log messages; called from any thread.
#if canImport(ObjectiveC)
  @objc(GAILogger)
#endif
public protocol GAILogger: NSObjectProtocol {
  /// The most detailed level to log.
  var logLevel: GAILogLevel { get set }
  /// Logs a detail.
  func verbose(_ message: String!)
  /// Logs a normal step.
  func info(_ message: String!)
  /// Logs a problem that the developer should fix.
  func warning(_ message: String!)
  /// Logs a failure.
  func error(_ message: String!)
}

/// Writes to standard error.
final class StandardLogger: NSObject, GAILogger, Sendable {
  private let level = Locked(GAILogLevel.warning)
  private let write: @Sendable (String) -> Void

  init(write: @escaping @Sendable (String) -> Void = { FileHandle.standardError.write(Data(($0 + "\n").utf8)) }) {
    self.write = write
  }

  var logLevel: GAILogLevel {
    get { level.withLock { $0 } }
    set { level.withLock { $0 = newValue } }
  }

  func verbose(_ message: String!) { log(.verbose, "VERBOSE", message) }
  func info(_ message: String!) { log(.info, "INFO", message) }
  func warning(_ message: String!) { log(.warning, "WARNING", message) }
  func error(_ message: String!) { log(.error, "ERROR", message) }

  private func log(_ level: GAILogLevel, _ name: String, _ message: String?) {
    guard level.rawValue <= logLevel.rawValue else { return }
    write("\(name): \(kGAIProduct) \(kGAIVersion): \(message ?? "")")
  }
}

/// Forwards messages to the app's current logger.
final class LogRelay: Sendable {
  private let current: Locked<any GAILogger>

  init(_ logger: any GAILogger) { current = Locked(logger) }

  var logger: any GAILogger {
    get { current.withLock { $0 } }
    set { current.withLock { $0 = newValue } }
  }

  func log(_ level: MeasurementLogLevel, _ message: String) {
    let logger = logger
    switch level {
    case .error: logger.error(message)
    case .warning: logger.warning(message)
    case .info: logger.info(message)
    case .verbose: logger.verbose(message)
    }
  }
}
