/// When something that the disk refused is tried again: after a pause that doubles, and sooner when there is a reason.
package struct StorageBackoff: Sendable, Hashable {
  /// Why it may be tried now.
  package enum Trigger: Int, Sendable, Comparable, CaseIterable {
    /// Time alone.
    case time
    /// An event was recorded: the app is in use, and has something to lose.
    case event
    /// The app came, went, or was told that its files can be read now.
    case lifecycle
    /// Somebody waits for the answer.
    case asked

    package static func < (left: Trigger, right: Trigger) -> Bool { left.rawValue < right.rawValue }
  }

  /// The pause after the first failure.
  package static let first = Duration.seconds(1)
  /// The longest pause: a disk that stays full must not cost a battery.
  package static let longest = Duration.seconds(600)
  /// How long a failure stands against events.
  package static let afterEvent = Duration.seconds(10)
  /// How long it stands against coming and going, which systems tell in bursts.
  package static let afterLifecycle = Duration.seconds(1)

  private var failures = 0
  /// When it was tried last, by uptime.
  private var lastTry: Duration

  /// Begins with a failure.
  package init(failedAt uptime: Duration) { lastTry = uptime }

  /// The uptime from which on time alone is a reason.
  package var due: Duration { lastTry + pause }

  /// The uptime from which on an event is a reason.
  package var dueForEvent: Duration { lastTry + min(pause, Self.afterEvent) }

  private var pause: Duration { min(Self.first * (1 << min(failures, 20)), Self.longest) }

  /// Whether to try now.
  package func isDue(_ trigger: Trigger, at uptime: Duration) -> Bool {
    switch trigger {
    case .time: uptime >= due
    case .event: uptime >= dueForEvent
    case .lifecycle: uptime >= lastTry + Self.afterLifecycle
    case .asked: true
    }
  }

  /// Takes in that it failed again.
  package mutating func failed(at uptime: Duration) {
    failures = min(failures + 1, 20)
    lastTry = uptime
  }
}
