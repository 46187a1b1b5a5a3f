import Foundation
import Tern

/// A clock that tells the time of a story: it starts in the past and jumps ahead between the steps.
///
/// Real time runs on beneath it, so that waiting for an answer of the collector works as usual.
final class StoryClock: TernClock {
  private let base = SystemClock()
  private let offset: Mutable<(wall: Duration, uptime: Duration)>

  /// Starts the story at a point in time.
  init(at start: Timestamp) {
    offset = Mutable((start.since(SystemClock().wallTime), .zero))
  }

  var wallTime: Timestamp { base.wallTime + offset.value.wall }
  var uptime: Duration { base.uptime + offset.value.uptime }

  /// Lets time pass.
  func advance(by duration: Duration) {
    offset.change { ($0.wall + duration, $0.uptime + duration) }
  }

  /// Jumps to a point in time, if it lies ahead.
  func advance(to time: Timestamp) {
    let distance = time.since(wallTime)
    if distance > .zero { advance(by: distance) }
  }

  func sleep(until deadline: Duration) async {
    // The story may jump at any moment, so look again often.
    while uptime < deadline, !Task.isCancelled {
      try? await Task.sleep(for: min(deadline - uptime, .milliseconds(20)))
    }
  }
}

/// A value behind a lock.
final class Mutable<Value: Sendable>: @unchecked Sendable {
  // Unchecked because the compiler cannot see that `lock` guards `stored`.
  private let lock = NSLock()
  private var stored: Value

  init(_ value: Value) { stored = value }

  var value: Value { lock.withLock { stored } }
  func change(_ body: (Value) -> Value) { lock.withLock { stored = body(stored) } }
}
