import Logging
import NIOConcurrencyHelpers

/// Keeps what was logged, for tests about what the operator gets to read.
struct LogRecorder: LogHandler {
  private let lines = NIOLockedValueBox<[String]>([])
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.warning

  /// Every message so far, with its metadata.
  var messages: [String] { lines.withLockedValue { $0 } }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    lines.withLockedValue { $0.append("\(event.level): \(event.message) \(event.metadata ?? [:])") }
  }
}
