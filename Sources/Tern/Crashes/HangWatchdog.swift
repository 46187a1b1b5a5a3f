import Dispatch
import Foundation
import TernBase
import TernEvents

/// Watches the main thread from a thread of its own until it is stopped.
final class HangWatchdog: Sendable {
  private let clock: any TernClock
  private let detector = Locked(HangDetector())
  /// The time of an answer that the next tick will handle.
  private let answeredAt = Locked<Duration?>(nil)
  private let ping: @Sendable (@escaping @Sendable () -> Void) -> Void
  private let began: @Sendable () -> Void
  private let ended: @Sendable (Duration) -> Void
  private let stopped = DispatchSemaphore(value: 0)

  /// Creates a watchdog that watches once it is started.
  ///
  /// - Parameters:
  ///   - ping: Calls its argument on the main thread.
  ///   - began: Called on the watchdog's thread when a hang begins.
  ///   - ended: Called on the watchdog's thread with the duration when it ends.
  init(
    clock: any TernClock, ping: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
    began: @escaping @Sendable () -> Void, ended: @escaping @Sendable (Duration) -> Void
  ) {
    self.clock = clock
    self.ping = ping
    self.began = began
    self.ended = ended
  }

  /// Handles an answer since the last call, and looks at the time.
  func tick() {
    let now = clock.uptime
    if let time = answeredAt.withLock({ $0.take() }) { perform(detector.withLock { $0.handle(.answered, at: time) }) }
    perform(detector.withLock { $0.handle(.tick, at: now) })
  }

  private func perform(_ action: HangDetector.Action?) {
    switch action {
    case nil: break
    case .ping: ping { [weak self] in self?.answer() }
    case .begin: began()
    case .end(let duration): ended(duration)
    }
  }

  private func answer() {
    answeredAt.withLock { $0 = clock.uptime }
  }

  /// Ticks on a new thread until `stop()`.
  ///
  /// Not a queue: an app that hangs may have blocked the threads of all queues.
  func start() {
    let thread = Thread { [self] in
      let interval = DispatchTimeInterval.milliseconds(Int(HangDetector.interval.wholeMilliseconds))
      repeat { tick() } while stopped.wait(timeout: .now() + interval) == .timedOut
    }
    thread.name = "tern.hangs"
    thread.stackSize = 256 << 10
    thread.start()
  }

  func stop() { stopped.signal() }
}
