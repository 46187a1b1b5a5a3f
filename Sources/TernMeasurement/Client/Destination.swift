import Foundation
import TernLog

/// Where hits go, and in which protocol.
struct Destination: Sendable {
  var collector: URL?

  var isUsable: Bool { collector?.isUsableCollector == true }

  /// The most hits that one request carries, beside what the machine allows.
  func request(for records: [LogRecord], at time: QueueTime, userAgent: String, timeout: Duration) -> HitRequest? {
    guard let collector else { return nil }
    return HitRequest(records, to: collector, at: time, userAgent: userAgent, timeout: timeout)
  }
}
