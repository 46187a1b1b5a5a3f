/// The schedule of retries after the disk refused something: doubling pauses that a trigger can cut short.
package struct StorageBackoff: Sendable, Hashable {
  /// A reason for an attempt, from weakest to strongest.
  package enum Trigger: Int, Sendable, Comparable, CaseIterable {
    /// A timer or an unrelated message.
    case timer
    /// An event was recorded.
    case event
    /// The app entered or left the foreground, or its protected files became readable.
    case lifecycle
    /// A caller is waiting for the result.
    case request

    package static func < (left: Trigger, right: Trigger) -> Bool { left.rawValue < right.rawValue }
  }

  /// The pause after the first failure.
  package static let first = Duration.seconds(1)
  /// The longest pause, so that a disk that stays full does not drain the battery.
  package static let longest = Duration.seconds(600)
  /// The minimum pause between attempts triggered by events.
  package static let afterEvent = Duration.seconds(10)
  /// The minimum pause between attempts triggered by the lifecycle, whose notifications come in bursts.
  package static let afterLifecycle = Duration.seconds(1)

  private var failures = 0
  /// The uptime of the last attempt.
  private var lastTry: Duration

  /// Creates the schedule after a first failure.
  package init(failedAt uptime: Duration) { lastTry = uptime }

  /// The uptime from which the timer triggers an attempt.
  package var due: Duration { lastTry + pause }

  /// The uptime from which an event triggers an attempt.
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
