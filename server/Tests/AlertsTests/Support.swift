import Foundation
import TernBase
import TernEvents
import Warehouse

@testable import Alerts
@testable import AppCatalog
@testable import Outgoing
@testable import TernCommand

/// A directory that is removed at the end.
final class TemporaryDirectory: Sendable {
  let path = FileManager.default.temporaryDirectory.path + "/tern-alerts-\(UUID().uuidString)"

  deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// A receiver of messages, and what it got.
final class Receiver: Sendable {
  private let state = Locked<[OutgoingMessage]>([])

  var messages: [OutgoingMessage] { state.withLock { $0 } }

  /// The messages without repeats, in the order in which they first came.
  var distinct: [OutgoingMessage] {
    var seen: Set<UniqueID> = []
    return messages.filter { seen.insert($0.id).inserted }
  }

  func take(_ message: OutgoingMessage) { state.withLock { $0.append(message) } }
}

/// A mutable value that closures share.
final class Box<Value: Sendable>: Sendable {
  private let state: Locked<Value>

  init(_ value: Value) { state = Locked(value) }

  var value: Value {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }

  func change<Result>(_ body: (inout Value) -> Result) -> Result { state.withLock { body(&$0) } }
}

let question = AlertQuestion(page: "explore", query: "metric=events", period: .hour)

func alert(
  _ condition: AlertCondition, app: AppID? = AppID(1), minimum: Int? = nil, mutedUntil: Timestamp? = nil
) throws -> Alert {
  Alert(
    app: app, name: "Test", condition: condition, minimumUsers: minimum,
    destinations: [try Destination("webhook:https://example.org/")], mutedUntil: mutedUntil)
}

func time(_ seconds: Int64) -> Timestamp { Timestamp(millisecondsSince1970: seconds * 1_000) }

/// Returns a time as in `2026-10-25T01:30:00Z`.
func time(_ text: String) -> Timestamp {
  time(Int64((try? Date(text, strategy: .iso8601))?.timeIntervalSince1970 ?? 0))
}
