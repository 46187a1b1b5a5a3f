import Ingest
import TernEvents
import Warehouse

extension FuzzTarget {
  /// Bodies of Tern's own protocol, with the headers that describe the device's clocks and its ledger.
  static var native: FuzzTarget {
    let check = BatchCheck(nativeBatches)
    return FuzzTarget(changes: 40, mutator: .json(names: NativeVocabulary.names, values: NativeVocabulary.values)) {
      check.add($0)
    } finish: {
      check.finish()
    }
  }

  /// Parses a request as the collector does.
  static func nativeBatches(_ input: UnsafeRawBufferPointer, _ received: Timestamp) -> [IncomingBatch] {
    let request = RequestText(input)
    let clock = request.header("Tern-Sent").flatMap { SentStamp(header: $0) }.map {
      EventClock($0, arrived: received)
    }
    do throws(IngestError) {
      var batch = try NativeParser.parse(
        request.body, received: received, clock: clock, key: key, app: StoredViews.app.rawValue)
      batch.ledger = request.header("Tern-Ledger").flatMap { DeviceLedger(header: $0) }?
        .answered(stored: batch.events.count, rejected: batch.rejections.count)
      return [batch]
    } catch {
      return []
    }
  }
}

/// The members of native events.
enum NativeVocabulary {
  static let names =
    """
    id type name time user boot uptime install session device app properties context osName osVersion model locale \
    country timeZoneOffset sdkName sdkVersion version build appVersion appBuild date exception message stackTrace frames \
    innerExceptions className methodName fileName lineNumber attachment part parts error contentType data
    """.split(separator: " ").map(String.init)

  static let values =
    [
      "event", "screen", "session_start", "drops", "handled_error", "crash", "attachment", "queue_full", "Home", "Play",
      "",
      "a\\u0000b", "\\ud800", "UUID",
    ].map { "\"\($0)\"" } + ["{}", "[]", "null", "true", "[[[[", "{\"date\":0}", "1770030000000", "1770033600000"]
}
