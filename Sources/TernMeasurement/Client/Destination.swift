import Foundation
import TernLog

/// Where hits go, and in which protocol.
struct Destination: Sendable {
  var collector: URL?
  /// Set: hits are translated for a property of Google Analytics 4.
  var ga4: GA4Property?

  var isUsable: Bool { collector?.isUsableCollector == true }

  /// A request for the oldest hits; `nil` when there is nowhere to send them.
  func request(for records: [LogRecord], at time: QueueTime, userAgent: String, timeout: Duration) -> HitRequest? {
    guard let collector else { return nil }
    if let ga4 {
      return HitRequest(records, to: collector, of: ga4, at: time, userAgent: userAgent, timeout: timeout)
    }
    return HitRequest(records, to: collector, at: time, userAgent: userAgent, timeout: timeout)
  }
}
