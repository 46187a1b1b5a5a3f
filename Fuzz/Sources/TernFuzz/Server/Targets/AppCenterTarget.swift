import Ingest
import TernEvents
import Warehouse

extension FuzzTarget {
  /// Bodies of App Center's protocol, with the header that names the install.
  static var appCenter: FuzzTarget {
    let check = BatchCheck { input, received in
      let request = RequestText(input)
      do throws(IngestError) {
        let read = try AppCenterParser.parse(
          request.body, install: request.header("Install-ID"), received: received, key: key,
          app: StoredViews.app.rawValue)
        return [read.batch]
      } catch {
        return []
      }
    }
    let names = NativeVocabulary.names + AppCenterVocabulary.names
    return FuzzTarget(changes: 20, mutator: .json(names: names, values: AppCenterVocabulary.values)) {
      check.add($0)
    } finish: {
      check.finish()
    }
  }
}

/// The members of App Center's logs.
enum AppCenterVocabulary {
  static let names =
    """
    logs timestamp sid userId typedProperties value carrierCountry binaries threads errorThreadId exceptionType \
    exceptionReason osExceptionType osExceptionCode osExceptionAddress errorId fileName startAddress endAddress path \
    architecture appLaunchTimestamp processName fatal code address services
    """.split(separator: " ").map(String.init)

  static let values =
    [
      "event", "page", "startSession", "startService", "handledError", "managedError", "appleError", "errorAttachment",
      "string", "long", "double", "boolean", "dateTime", "2026-02-02T11:00:00.000Z", "2026-02-02T11:00:00Z",
      "1970-01-01",
      "+292278994-08-17T07:12:55.807Z", "9999-12-31T23:59:60.999999999+14:00", "",
    ].map { "\"\($0)\"" } + ["{}", "[]", "null", "true", "]}", "[[[["]
}
