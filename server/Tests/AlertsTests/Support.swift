import Foundation
import TernBase
import TernEvents
import Warehouse

@testable import Alerts
@testable import AppCatalog
@testable import Outgoing
@testable import TernServer

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

/// One look at all alerts, and one at the messages that wait.
///
/// - Parameters:
///   - crash: The place at which the process ends: 0 before the state is stored, 1 after it, 2 after sending; others none.
///   - failing: True if a receiver is away every third time.
func look(
  _ catalog: Catalog, at now: Timestamp, _ receiver: Receiver, seed: UInt64, crash: Int, failing: Bool,
  observe: @escaping AlertEvaluator.Observe
) async throws {
  let generator = Box(FastGenerator(seed: seed))
  let evaluator = AlertEvaluator(
    catalog: catalog, observe: { try await crash == 0 ? .nothingNew : observe($0, $1, $2) },
    newID: { time in generator.change { UniqueID.timeOrdered(at: time, using: &$0) } }, portal: { nil })
  for stored in try catalog.alerts() { try await evaluator.evaluate(stored, now: now) }
  guard crash > 1 else { return }
  let delivery = AlertDelivery(catalog: catalog) { message, _ throws(OutgoingError) in
    if failing, generator.change({ Int.random(in: 0..<3, using: &$0) }) == 0 {
      throw OutgoingError(.connection, "away")
    }
    receiver.take(message)
    // The process ends before it can store that.
    if crash == 2 { throw OutgoingError(.cancelled, "killed") }
    return "ok"
  }
  try await delivery.deliverDue(now: { now })
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
