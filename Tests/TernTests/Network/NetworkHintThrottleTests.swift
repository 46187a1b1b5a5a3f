import TernEvents
import TernTestSupport
import Testing

@testable import Tern

@Suite struct `The network hint throttle` {
  private let start: Duration = .seconds(100)

  @Test func `merges related changes into one hint`() {
    var pacer = NetworkHintThrottle()
    #expect(pacer.changed(at: start) == start + NetworkHintThrottle.settlingTime)
    #expect(pacer.changed(at: start + .milliseconds(1)) == nil)
    #expect(pacer.changed(at: start + .milliseconds(99)) == nil)
    pacer.hinted(at: start + NetworkHintThrottle.settlingTime)
    #expect(pacer.changed(at: start + .milliseconds(101)) != nil)
  }

  @Test func `passes on a link that flaps for an hour less and less often`() {
    var pacer = NetworkHintThrottle()
    var hints: [Duration] = []
    var due: Duration?
    for step in 0..<36_000 {
      let now = start + .milliseconds(100) * step
      if let deadline = due, deadline <= now {
        pacer.hinted(at: now)
        hints.append(now)
        due = nil
      }
      if let deadline = pacer.changed(at: now) { due = deadline }
    }
    let gaps = zip(hints.dropFirst(), hints).map { $0 - $1 }
    #expect(gaps.prefix(6) == [.seconds(1), .seconds(2), .seconds(4), .seconds(8), .seconds(16), .seconds(32)])
    #expect(gaps.dropFirst(6).allSatisfy { $0 == NetworkHintThrottle.longestInterval })
    #expect(hints.count < 70)
  }

  @Test func `passes on the next change immediately after a quiet period`() {
    var pacer = NetworkHintThrottle()
    var now = start
    for _ in 0..<10 {
      now = pacer.changed(at: now) ?? now
      pacer.hinted(at: now)
    }
    now += NetworkHintThrottle.longestInterval
    #expect(pacer.changed(at: now) == now + NetworkHintThrottle.settlingTime)
    pacer.hinted(at: now + NetworkHintThrottle.settlingTime)
    #expect(
      pacer.changed(at: now + .seconds(1)) == now + NetworkHintThrottle.settlingTime + NetworkHintThrottle.firstInterval
    )
  }
}
