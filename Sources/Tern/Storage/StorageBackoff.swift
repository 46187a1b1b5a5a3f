/// The schedule on which something that the disk refused is tried again: pauses that double, cut short by a reason.
package struct StorageBackoff: Sendable, Hashable {
  /// The reasons for an attempt, the weakest first.
  package enum Trigger: Int, Sendable, Comparable, CaseIterable {
    /// A timer or an unrelated message.
    case timer
    /// An event was recorded: the app is in use and has something to lose.
    case event
    /// The app came or went, or its protected files became readable.
    case lifecycle
    /// A caller waits for the result.
    case request

    package static func < (left: Trigger, right: Trigger) -> Bool { left.rawValue < right.rawValue }
  }

  /// The pause after the first failure.
  package static let first = Duration.seconds(1)
  /// The longest pause: a disk that stays full must not drain a battery.
  package static let longest = Duration.seconds(600)
  /// The pause between attempts triggered by events.
  package static let afterEvent = Duration.seconds(10)
  /// The pause between attempts triggered by the lifecycle, whose notifications come in bursts.
  package static let afterLifecycle = Duration.seconds(1)

  private var failures = 0
  /// The uptime of the last attempt.
  private var lastTry: Duration

  /// Begins with a failure.
  package init(failedAt uptime: Duration) { lastTry = uptime }

  /// The uptime from which the timer is a reason.
  package var due: Duration { lastTry + pause }

  /// The uptime from which an event is a reason.
  package var dueForEvent: Duration { lastTry + min(pause, Self.afterEvent) }

  private var pause: Duration { min(Self.first * (1 << min(failures, 20)), Self.longest) }

  /// Returns true if it is time for an attempt.
  package func isDue(_ trigger: Trigger, at uptime: Duration) -> Bool {
    switch trigger {
    case .timer: uptime >= due
    case .event: uptime >= dueForEvent
    case .lifecycle: uptime >= lastTry + Self.afterLifecycle
    case .request: true
    }
  }

  /// Records another failure.
  package mutating func failed(at uptime: Duration) {
    failures = min(failures + 1, 20)
    lastTry = uptime
  }
}
