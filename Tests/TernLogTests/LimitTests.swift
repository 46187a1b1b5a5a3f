import TernEvents
import TernTestSupport
import Testing

@testable import TernLog

@Suite struct `The limits of a log` {
  private func makeFixture(bytes: Int, _ world: World = .memory) -> LogFixture {
    let fixture = LogFixture(world)
    fixture.configuration = EventLog.Configuration(directory: fixture.directory, maximumBytes: bytes)
    return fixture
  }

  @Test(arguments: World.allCases)
  func `the smallest log keeps the newest events and stays within its limit`(world: World) throws {
    let fixture = makeFixture(bytes: 1, world)
    let log = try fixture.open()
    for number in 0..<500 {
      #expect(fixture.append(log, number, bytes: 400) != .dropped(.queueFull))
      #expect(log.counts.bytes <= 24 << 10)
    }
    #expect(fixture.bytesOnDisk <= 24 << 10)
    let kept = log.counts.waiting
    #expect(kept >= 38, "of the 52 that would fit without headers")
    #expect(log.counts.dropped == [.queueFull: 500 - kept])
    #expect(log.drain() == Array(500 - kept..<500))
  }

  @Test func `a full log evicts one segment at a time`() throws {
    let fixture = makeFixture(bytes: 64 << 10)
    let log = try fixture.open()
    for number in 0..<400 { fixture.append(log, number, bytes: 400) }
    for number in 400..<600 {
      let before = log.counts.waiting
      fixture.append(log, number, bytes: 400)
      #expect(log.counts.waiting > before - 4096 / (400 + RecordHeader.size))
    }
  }

  @Test func `evicted events stay away after a restart`() throws {
    let fixture = makeFixture(bytes: 24 << 10)
    let log = try fixture.open()
    for number in 0..<300 { fixture.append(log, number) }
    let counts = log.counts
    log.close()
    let reopened = try fixture.open()
    #expect(reopened.counts.waiting == counts.waiting)
    #expect(reopened.counts.dropped == counts.dropped)
    #expect(reopened.drain() == Array(300 - counts.waiting..<300))
  }

  @Test func `evicted events stay away after a kill`() throws {
    let fixture = makeFixture(bytes: 24 << 10)
    let log = try fixture.open()
    for number in 0..<300 { fixture.append(log, number) }
    let waiting = log.counts.waiting
    fixture.memory?.killProcess()
    #expect(try fixture.open().drain() == Array(300 - waiting..<300))
    withExtendedLifetime(log) {}
  }

  @Test func `normal events are evicted before critical ones, and refused when only critical ones are left`() throws {
    let fixture = makeFixture(bytes: 24 << 10)
    let log = try fixture.open()
    for number in 0..<20 { fixture.append(log, number, bytes: 400) }
    for number in 100..<200 { fixture.append(log, number, lane: .critical, bytes: 400) }
    #expect(log.counts.waitingCritical == log.counts.waiting, "no normal event is left")
    let kept = log.counts.waiting
    // What the last evicted segment left free is less than a segment.
    let outcomes = (0..<4).map { _ in fixture.append(log, 30, bytes: 400) }
    #expect(outcomes.last == .dropped(.queueFull) && log.counts.waitingCritical == kept)
    let refused = outcomes.count { $0 == .dropped(.queueFull) }
    #expect(log.drain().prefix(kept) == Array(200 - kept..<200)[...], "the oldest critical events are evicted")
    #expect(log.counts.dropped == [.queueFull: 120 - kept + refused])
  }

  @Test func `an event in an open claim is never evicted`() throws {
    let fixture = makeFixture(bytes: 24 << 10)
    let log = try fixture.open()
    for number in 0..<10 { fixture.append(log, number, bytes: 400) }
    let claim = try #require(log.claim(10))
    for number in 10..<300 { fixture.append(log, number, bytes: 400) }
    #expect(log.counts.claimed == 10)
    #expect(log.counts.bytes <= 24 << 10)
    log.settle(claim.id, .returned)
    let found = log.drain()
    #expect(Array(found.prefix(10)) == Array(0..<10))
    #expect(found.last == 299)
  }

  @Test func `an event is refused if open claims leave no room for it`() throws {
    let fixture = makeFixture(bytes: 24 << 10)
    let log = try fixture.open()
    fixture.append(log, 1, bytes: 20 << 10)
    let claim = try #require(log.claim(1000))
    #expect(fixture.append(log, 2, lane: .critical, bytes: 4 << 10) == .dropped(.queueFull))
    log.settle(claim.id, .delivered)
    #expect(
      fixture.append(log, 3, lane: .critical, bytes: 4 << 10)
        == .stored(waiting: 1, waitingCritical: 1, dropped: log.counts.droppedTotal))
  }

  @Test(arguments: World.allCases)
  func `a lower limit takes effect immediately and keeps the newest events`(world: World) throws {
    let fixture = makeFixture(bytes: 10 << 20, world)
    let log = try fixture.open()
    for number in 0..<2000 { fixture.append(log, number, bytes: 400) }
    log.setMaximumBytes(300 << 10)
    #expect(log.counts.bytes <= 300 << 10)
    #expect(log.counts.waiting > 500, "at worst one segment below the limit")
    log.setMaximumBytes(0)
    #expect(log.counts.bytes <= 24 << 10)
    #expect(fixture.bytesOnDisk <= 24 << 10)
    let kept = log.counts.waiting
    log.setMaximumBytes(1 << 20)
    for number in 2000..<3000 { fixture.append(log, number, bytes: 400) }
    #expect(log.counts.waiting == kept + 1000)
    #expect(log.counts.dropped == [.queueFull: 2000 - kept])
    #expect(log.drain() == Array(2000 - kept..<3000))
  }

  @Test func `a lower limit at launch takes effect too, and still holds after open claims`() throws {
    let fixture = makeFixture(bytes: 10 << 20)
    var log = try fixture.open()
    for number in 0..<500 { fixture.append(log, number, bytes: 400) }
    let claim = try #require(log.claim(200))
    log.setMaximumBytes(24 << 10)
    #expect(log.counts.claimed == claim.records.count && log.counts.waiting == 0)
    log.settle(claim.id, .returned)
    #expect(log.counts.bytes <= 24 << 10)
    log.setMaximumBytes(10 << 20)
    for number in 500..<1000 { fixture.append(log, number, bytes: 400) }
    log.close()
    fixture.configuration = EventLog.Configuration(directory: fixture.directory, maximumBytes: 24 << 10)
    log = try fixture.open()
    #expect(log.counts.bytes <= 24 << 10)
    let kept = log.counts.waiting
    #expect(log.drain() == Array(1000 - kept..<1000))
  }

  @Test func `an event that could never fit is too large`() throws {
    let fixture = makeFixture(bytes: 24 << 10)
    let log = try fixture.open()
    fixture.append(log, 1)
    #expect(fixture.append(log, 2, bytes: 30 << 10) == .dropped(.tooLarge))
    #expect(fixture.append(log, 3, bytes: 20 << 10) != .dropped(.tooLarge))
    #expect(log.counts.bytes <= 24 << 10)
  }

  @Test func `events expire after 25 days, at launch and while claiming`() throws {
    let fixture = makeFixture(bytes: 1 << 20)
    var log = try fixture.open()
    for number in 0..<3 { fixture.append(log, number) }
    fixture.clock.advance(by: .seconds(24 * 86_400))
    fixture.append(log, 3)
    log.close()
    log = try fixture.open()
    #expect(log.counts.waiting == 4)
    fixture.clock.advance(by: .seconds(86_400))
    let claim = try #require(log.claim(1))
    #expect(claim.numbers == [0], "exactly 25 days is not older than 25 days")
    fixture.clock.advance(by: .milliseconds(1))
    log.settle(claim.id, .returned)
    #expect(log.claim(5)?.numbers == [3])
    #expect(log.counts.dropped == [.expired: 3])
    log.close()
    fixture.clock.advance(by: .seconds(26 * 86_400))
    log = try fixture.open()
    #expect(log.counts.waiting == 0)
    #expect(log.counts.dropped == [.expired: 4])
  }

  @Test func `an event from the future does not expire, and a clock set forward in the same boot expires none`()
    throws
  {
    let fixture = makeFixture(bytes: 1 << 20)
    fixture.configuration.bootID = UniqueID(high: 1, low: 2)
    let log = try fixture.open()
    fixture.append(log, 1)
    fixture.clock.setWallTime(to: 0)
    fixture.append(log, 2)
    fixture.clock.setWallTime(to: 2_500_000_000_000)
    #expect(log.claim(5)?.numbers == [1, 2])
  }

  @Test func `a whole backlog can expire at once`() throws {
    let fixture = makeFixture(bytes: 10 << 20)
    let log = try fixture.open()
    for number in 0..<3000 { fixture.append(log, number) }
    fixture.clock.advance(by: .seconds(26 * 86_400))
    fixture.append(log, 3000)
    #expect(log.claim(10)?.numbers == [3000])
    #expect(log.counts.dropped == [.expired: 3000])
  }
}
