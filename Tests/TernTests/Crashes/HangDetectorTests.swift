import TernBase
import TernTestSupport
import Testing

@testable import Tern

@Suite struct `The detection of hangs` {
  private var detector = HangDetector()

  /// Ticks as the watchdog does, up to a time; returns the actions with their times.
  private mutating func tick(
    from start: Duration, to end: Duration, isAnswered: Bool
  ) -> [(action: HangDetector.Action, time: Duration)] {
    var actions: [(action: HangDetector.Action, time: Duration)] = []
    var now = start
    while now <= end {
      if let action = detector.handle(.tick, at: now) {
        actions.append((action, now))
        if action == .ping, isAnswered, let next = detector.handle(.answered, at: now) { actions.append((next, now)) }
      }
      now += HangDetector.interval
    }
    return actions
  }

  @Test mutating func `asks again after each answer and finds nothing while there are answers`() {
    let actions = tick(from: .zero, to: .seconds(10), isAnswered: true)
    #expect(actions.count == 21 && actions.allSatisfy { $0.action == .ping })
  }

  @Test mutating func `begins one hang after 2 s without an answer, and ends it with the answer`() {
    _ = tick(from: .zero, to: .seconds(1), isAnswered: true)
    let actions = tick(from: .seconds(1.5), to: .seconds(9), isAnswered: false)
    #expect(actions.map(\.action) == [.ping, .begin] && actions.map(\.time) == [.seconds(1.5), .seconds(3.5)])
    #expect(detector.handle(.answered, at: .milliseconds(9200)) == .end(.milliseconds(7700)))
    #expect(tick(from: .seconds(9.5), to: .seconds(12), isAnswered: true).allSatisfy { $0.action == .ping })
  }

  @Test mutating func `finds nothing if the answer comes within 2 s`() {
    _ = tick(from: .zero, to: .zero, isAnswered: true)
    #expect(tick(from: .seconds(0.5), to: .seconds(2), isAnswered: false).map(\.action) == [.ping])
    #expect(detector.handle(.answered, at: .seconds(2.4)) == nil)
    #expect(detector.handle(.tick, at: .seconds(2.5)) == .ping)
  }

  @Test mutating func `waits for a first answer, because the main thread may run no loop`() {
    #expect(tick(from: .zero, to: .seconds(60), isAnswered: false).map(\.action) == [.ping])
    #expect(detector.handle(.answered, at: .seconds(61)) == nil)
    #expect(tick(from: .seconds(61), to: .seconds(64), isAnswered: false).map(\.action) == [.ping, .begin])
  }

  @Test mutating func `takes a pause of the process or the device for no hang`() {
    _ = tick(from: .zero, to: .zero, isAnswered: true)
    #expect(detector.handle(.tick, at: .seconds(1)) == .ping)
    #expect(detector.handle(.tick, at: .seconds(3600)) == nil, "the main thread had no time to answer")
    #expect(detector.handle(.tick, at: .seconds(3601)) == nil)
    #expect(detector.handle(.tick, at: .seconds(3602)) == .begin, "now it had")
  }
}

@Suite struct `The watchdog of the main thread` {
  private struct Log {
    var pings: [@Sendable () -> Void] = []
    var notes: [String] = []
  }

  @Test func `tells the beginning and the end of a hang once, on its own thread`() {
    let clock = TestClock()
    let log = Locked(Log())
    let watchdog = HangWatchdog(
      clock: clock, ping: { answer in log.withLock { $0.pings.append(answer) } },
      began: { log.withLock { $0.notes.append("began") } },
      ended: { duration in log.withLock { $0.notes.append("ended \(duration)") } })
    func tick(_ count: Int) {
      for _ in 0..<count {
        clock.advance(by: HangDetector.interval)
        watchdog.tick()
      }
    }
    func answer() { for answer in log.withLock({ state in state.pings.take() }) { answer() } }
    tick(1)
    answer()
    tick(10)
    #expect(log.withLock { $0.notes } == ["began"])
    answer()
    #expect(log.withLock { $0.notes } == ["began"], "the main thread itself does no work")
    tick(1)
    #expect(log.withLock { $0.notes } == ["began", "ended \(Duration.seconds(4.5))"])
    answer()
    tick(3)
    #expect(log.withLock { $0.notes }.count == 2)
  }
}

extension Array {
  /// Removes and returns all elements.
  fileprivate mutating func take() -> Self {
    defer { self = [] }
    return self
  }
}
