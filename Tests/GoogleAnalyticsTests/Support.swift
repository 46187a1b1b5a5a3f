import Foundation
import GoogleAnalytics
import Tern
import TernEvents
import TernMeasurement
import TernTestSupport

/// Keeps the lines that it is given.
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
  /// An instance on this world's files, as a launch of the app makes it.
  func launch(logger: (any GAILogger)? = nil) -> GAI {
    GAI(
      directory: URL(fileURLWithPath: "/queue"), collector: URL(string: "http://collector.test"), appName: "Test App",
      environment: environment(), callback: { body in Task { body() } }, logger: logger ?? RecordingLogger(),
      // A busy machine must not decide whether a report goes out in time.
      patience: .seconds(60))
  }
}

extension GAI {
  /// Sends everything and waits for the end.
  func sendEverything() async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      engine.dispatchAll { _ in continuation.resume() }
    }
  }

  /// Sends one request and says what came of it.
  func dispatchOnce() async -> GAIDispatchResult {
    await withCheckedContinuation { continuation in
      dispatch(completionHandler: { continuation.resume(returning: $0) })
    }
  }

  func quit() async { await engine.shutdown() }
}
