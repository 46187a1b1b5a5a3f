import Logging
import TernBase

/// Records log messages for tests of the operator's log.
struct LogRecorder: LogHandler {
  private let lines = Locked<[String]>([])
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.warning

  /// All messages so far, with their metadata.
  var messages: [String] { lines.withLock { $0 } }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    lines.withLock { $0.append("\(event.level): \(event.message) \(event.metadata ?? [:])") }
  }
}
