import Foundation
import Tern
import TernBase

/// A clock for stories: it starts in the past and jumps ahead between steps.
///
/// Real time adds to it, so that waiting for the collector works as usual.
final class StoryClock: TernClock {
  private let base = SystemClock()
  private let offset: Mutable<(wall: Duration, uptime: Duration)>

  /// Creates a clock that starts at a given time.
  init(at start: Timestamp) {
    offset = Mutable((start.since(SystemClock().wallTime), .zero))
  }

  var wallTime: Timestamp { base.wallTime + offset.value.wall }
  var uptime: Duration { base.uptime + offset.value.uptime }

  /// Advances the clock.
  func advance(by duration: Duration) {
    offset.change { ($0.wall + duration, $0.uptime + duration) }
  }

  /// Jumps ahead to a time.
  func advance(to time: Timestamp) {
    let distance = time.since(wallTime)
    if distance > .zero { advance(by: distance) }
  }

  func sleep(until deadline: Duration) async {
    // The story may jump at any moment, so check often.
    while uptime < deadline, !Task.isCancelled {
      try? await Task.sleep(for: min(deadline - uptime, .milliseconds(20)))
    }
  }
}

/// A value guarded by a lock.
final class Mutable<Value: Sendable>: @unchecked Sendable {
  // `@unchecked`: the compiler cannot see that `lock` guards `stored`.
  private let lock = NSLock()
  private var stored: Value

  init(_ value: Value) { stored = value }

  var value: Value { lock.withLock { stored } }
  func change(_ body: (Value) -> Value) { lock.withLock { stored = body(stored) } }
}
