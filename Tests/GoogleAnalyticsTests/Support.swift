import Foundation
import GoogleAnalytics
import Tern
import TernBase
import TernEvents
import TernMeasurement
import TernTestSupport

/// A logger that keeps its messages.
final class RecordingLogger: NSObject, GAILogger {
  private let lines = Locked<[(level: GAILogLevel, text: String)]>([])
  private let level = Locked(GAILogLevel.verbose)

  var logLevel: GAILogLevel {
    get { level.withLock { $0 } }
    set { level.withLock { $0 = newValue } }
  }

  func verbose(_ message: String!) { append(.verbose, message) }
  func info(_ message: String!) { append(.info, message) }
  func warning(_ message: String!) { append(.warning, message) }
  func error(_ message: String!) { append(.error, message) }

  private func append(_ level: GAILogLevel, _ text: String) { lines.withLock { $0.append((level, text)) } }

  func lines(_ level: GAILogLevel) -> [String] { lines.withLock { $0.filter { $0.level == level }.map(\.text) } }
}

extension MeasurementWorld {
  /// Creates an instance on these files, like a launch of the app.
  func launch(logger: (any GAILogger)? = nil) -> GAI {
    GAI(
      directory: URL(fileURLWithPath: "/queue"), collector: URL(string: "http://collector.test"), appName: "Test App",
      environment: environment(), callback: { body in Task { body() } }, logger: logger ?? RecordingLogger(),
      // A busy machine must not affect if a report is sent in time.
      exceptionTimeout: .seconds(3_600))
  }
}

extension GAI {
  /// Sends all waiting hits and waits until it is done.
  func sendEverything() async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      engine.dispatchAll { _ in continuation.resume() }
    }
  }

  /// Sends one request and returns its result.
  func dispatchOnce() async -> GAIDispatchResult {
    await withCheckedContinuation { continuation in
      dispatch(completionHandler: { continuation.resume(returning: $0) })
    }
  }

  func quit() async { await engine.shutdown() }
}
