import Tern
import TernTestSupport

extension TernClient {
  /// Waits until the status satisfies the condition, and returns it.
  @discardableResult
  func waitForStatus(where isWanted: (Status) -> Bool) async -> Status {
    for await status in statusUpdates where isWanted(status) { return status }
    return status
  }

  /// Waits until nothing is left to send, including the drop reports caused by the last deliveries. The collector must
  /// accept everything.
  ///
  /// The status alone may be read between a delivery and its report. A flush is handled after both.
  func emptied() async {
    repeat { await waitForStatus { $0.queued == 0 && $0.inFlight == 0 } } while await flush() != .nothingToSend
  }
}

extension Array where Element == ReceivedEvent {
  /// The names of the developer's own events.
  var names: [String] { filter { $0.type == "event" }.map(\.name) }

  func all(_ type: String) -> [ReceivedEvent] { filter { $0.type == type } }
}

extension FlushOutcome {
  var error: DeliveryError? {
    if case .failed(let error) = self { error } else { nil }
  }
}
