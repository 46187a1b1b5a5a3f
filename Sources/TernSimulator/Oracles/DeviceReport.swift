import TernBase
package import TernEvents

/// A promise that the client broke.
package struct Violation: Sendable, Hashable, CustomStringConvertible {
  /// The name of the rule.
  package let rule: String
  /// The observation that contradicts the rule.
  package let detail: String
  /// The time since the beginning of the device's life.
  package let time: Duration

  package var description: String { "\(rule): \(detail) (at \(time.clockText))" }
}

/// The result of one device's life.
package struct DeviceReport: Sendable {
  package let seed: UInt64
  package var violation: Violation?
  package var digest = Digest()
  package var statistics = Statistics()
}

/// Statistics of one or more devices.
package struct Statistics: Sendable, Hashable {
  package var days = 0.0
  package var launches = 0
  package var kills = 0
  /// Kills within a call.
  package var killsInCalls = 0
  package var events = 0
  package var requests = 0
  /// Requests without an acknowledgement.
  package var retries = 0
  package var bytesSent = 0
  package var reported = 0
  /// Events that reached the collector repeatedly and were deduplicated.
  package var duplicates = 0
  package var erasures = 0
  /// Receipts that reported an outcome.
  package var receipts = 0
  /// Drop counts that were lost in kills.
  package var forgotten = 0
  package var dropped: [DropReason: Int] = [:]
  /// The longest time from recording to the collector.
  package var worstDelay: Duration = .zero
  /// The longest duration of the final, healthy phase.
  package var worstDrain: Duration = .zero
  /// The highest ratio of wasted to queued bytes in an outage.
  package var worstOutage = 0.0
  package var outages = 0

  package init() {}

  package mutating func add(_ other: Statistics) {
    days += other.days
    launches += other.launches
    kills += other.kills
    killsInCalls += other.killsInCalls
    events += other.events
    requests += other.requests
    retries += other.retries
    bytesSent += other.bytesSent
    reported += other.reported
    duplicates += other.duplicates
    erasures += other.erasures
    receipts += other.receipts
    forgotten += other.forgotten
    for (reason, count) in other.dropped { dropped[reason, default: 0] += count }
    worstDelay = max(worstDelay, other.worstDelay)
    worstDrain = max(worstDrain, other.worstDrain)
    worstOutage = max(worstOutage, other.worstOutage)
    outages += other.outages
  }
}

extension Duration {
  /// The number of days and the time of day, in milliseconds.
  package var clockText: String {
    let milliseconds = wholeMilliseconds
    let seconds = milliseconds / 1000
    func padded(_ number: Int64, _ digits: Int) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(digits - text.count, 0)) + text
    }
    return "day \(seconds / 86_400) \(padded(seconds / 3600 % 24, 2)):\(padded(seconds / 60 % 60, 2)):"
      + "\(padded(seconds % 60, 2)).\(padded(milliseconds % 1000, 3))"
  }
}
