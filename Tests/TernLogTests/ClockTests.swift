import TernEvents
import TernTestSupport
import Testing

@testable import TernLog

@Suite struct `A wall clock that jumps` {
  private static func days(_ number: Double) -> Duration { .seconds(number * 86_400) }
  private static let years: [Double] = [-50, -9, -1, 1, 9, 70].map { $0 * 365 }

  private func makeFixture() -> LogFixture {
    let fixture = LogFixture()
    fixture.configuration.bootID = UniqueID(high: 1, low: 1)
    return fixture
  }

  private func reboot(_ fixture: LogFixture, after duration: Duration) {
    fixture.configuration.bootID.low += 1
    fixture.clock.reboot(after: duration)
    fixture.clock.advance(by: .seconds(20))
  }

  /// The waiting events, which stay in the log.
  private func waiting(_ log: EventLog) -> [Int] {
    guard let claim = log.claim(1000) else { return [] }
    log.settle(claim.id, .returned)
    return claim.numbers
  }

  @Test(arguments: years) func `while the log is open changes the age of no event`(days: Double) throws {
    let fixture = makeFixture()
    let log = try fixture.open()
    fixture.append(log, 1)
    fixture.clock.jump(by: Self.days(days))
    fixture.append(log, 2)
    #expect(waiting(log) == [1, 2])
    fixture.clock.advance(by: Self.days(25))
    #expect(waiting(log) == [1, 2])
    fixture.append(log, 3)
    fixture.clock.advance(by: .milliseconds(1))
    #expect(waiting(log) == [3])
    #expect(log.counts.dropped == [.expired: 2])
  }

  @Test(arguments: years, [false, true]) func `between two launches of one boot changes the age of no event`(
    days: Double, isKilled: Bool
  ) throws {
    let fixture = makeFixture()
    let log = try fixture.open()
    fixture.append(log, 1)
    if isKilled { fixture.memory?.killProcess() } else { log.close() }
    fixture.clock.jump(by: Self.days(days))
    fixture.clock.advance(by: Self.days(24))
    let second = try fixture.open()
    #expect(second.counts.waiting == 1)
    fixture.clock.advance(by: Self.days(1.1))
    #expect(waiting(second) == [])
    withExtendedLifetime(log) {}
  }

  @Test(arguments: years, [false, true]) func `while the device is off costs no young event and keeps no event forever`(
    days: Double, isKilled: Bool
  ) throws {
    let fixture = makeFixture()
    var logs = [try fixture.open()]
    fixture.append(logs[0], 1)
    fixture.clock.advance(by: Self.days(10))
    fixture.append(logs[0], 2)
    if isKilled { fixture.memory?.killProcess() } else { logs[0].close() }
    fixture.clock.jump(by: Self.days(days))
    reboot(fixture, after: Self.days(3))
    logs.append(try fixture.open())
    #expect(waiting(logs[1]) == [1, 2])
    // The clock is corrected, which tells the log nothing.
    fixture.clock.jump(by: Self.days(-days))
    #expect(waiting(logs[1]) == [1, 2])
    fixture.clock.advance(by: Self.days(15.1))
    #expect(waiting(logs[1]) == [2], "ten days before, fifteen after")
    fixture.clock.advance(by: Self.days(10))
    #expect(waiting(logs[1]) == [])
    withExtendedLifetime(logs) {}
  }

  @Test func `from its factory setting to the present loses no event over the next boot`() throws {
    let fixture = makeFixture()
    fixture.clock.setWallTime(to: 1000)
    let log = try fixture.open()
    fixture.append(log, 1)
    fixture.clock.advance(by: Self.days(1))
    fixture.clock.setWallTime(to: 1_800_000_000_000)
    fixture.append(log, 2)
    fixture.memory?.killProcess()
    reboot(fixture, after: Self.days(2))
    let second = try fixture.open()
    #expect(waiting(second) == [1, 2])
    // Known since the second event: the days off count, as the clock was right at both ends.
    fixture.clock.advance(by: Self.days(22.5))
    #expect(waiting(second) == [2])
    withExtendedLifetime(log) {}
  }

  @Test func `by a plausible number of days counts, since no clock can distinguish them from real ones`() throws {
    let fixture = makeFixture()
    let log = try fixture.open()
    fixture.append(log, 1)
    fixture.clock.advance(by: Self.days(10))
    log.close()
    reboot(fixture, after: Self.days(10))
    let second = try fixture.open()
    fixture.append(second, 2)
    #expect(waiting(second) == [1, 2])
    fixture.clock.advance(by: Self.days(5.1))
    #expect(waiting(second) == [2])
  }

  @Test func `to 1970 in every boot does not keep events past 25 days of uptime`() throws {
    let fixture = makeFixture()
    var logs = [try fixture.open()]
    fixture.append(logs[0], 1)
    var boots = 0
    while boots < 40 {
      fixture.clock.advance(by: Self.days(2))
      logs[boots].close()
      fixture.clock.setWallTime(to: 0)
      reboot(fixture, after: .zero)
      boots += 1
      logs.append(try fixture.open())
      if logs[boots].counts.waiting == 0 { break }
    }
    #expect(boots == 13)
    #expect(logs[boots].counts.dropped == [.expired: 1])
  }

  @Test func `does not imply that a device was off for years; waiting events get at most 25 more days`() throws {
    let fixture = makeFixture()
    let log = try fixture.open()
    fixture.append(log, 1)
    fixture.clock.advance(by: Self.days(5))
    log.close()
    reboot(fixture, after: Self.days(400))
    let second = try fixture.open()
    #expect(waiting(second) == [1])
    fixture.clock.advance(by: Self.days(20.1))
    #expect(waiting(second) == [])
  }

  @Test func `costs no young event, even if any byte of the age clock's file is damaged`() throws {
    let fixture = makeFixture()
    let first = try fixture.open()
    fixture.append(first, 1)
    first.close()
    reboot(fixture, after: Self.days(3))
    let second = try fixture.open()
    fixture.append(second, 2)
    second.close()
    let memory = try #require(fixture.memory)
    let path = "/queue/log-0/clock"
    let bytes = try #require(memory.contents(of: path))
    for offset in 0...bytes.count {
      var damaged = bytes
      if offset < bytes.count { damaged[offset] ^= 1 << (offset % 8) } else { damaged = [] }
      let world = memory.copy()
      world.setContents(of: path, to: damaged)
      let log = try EventLog(fixture.configuration, fileSystem: world, clock: fixture.clock)
      #expect(waiting(log) == [1, 2], "offset \(offset)")
      let written = world.contents(of: path)?.withUnsafeBytes { AgeClock($0) }
      #expect(written?.boots.count == 2, "saved again, offset \(offset)")
      log.close()
    }
  }

  @Test func `has full effect on a log that does not know its boot`() throws {
    let fixture = LogFixture()
    let log = try fixture.open()
    fixture.append(log, 1)
    fixture.clock.jump(by: Self.days(-1000))
    #expect(waiting(log) == [1])
    fixture.clock.jump(by: Self.days(1000 + 25.1))
    #expect(waiting(log) == [])
  }

  /// A device whose true time is known only to the test.
  @Test(arguments: 0..<40) func `by years, at any time, drops no event younger than 25 days and keeps none forever`(
    seed: UInt64
  ) throws {
    var generator = FastGenerator(seed: seed)
    let fixture = makeFixture()
    var logs = [try fixture.open()]
    var now = (real: 0.0, up: 0.0, ahead: 0.0)
    var events: [Int: (real: Double, up: Double)] = [:]
    var number = 0
    for step in 0..<150 {
      let log = logs[logs.count - 1]
      switch generator.next() % 8 {
      case 0, 1, 2:
        fixture.append(log, number, lane: number % 4 == 0 ? .critical : .normal)
        events[number] = (now.real, now.up)
        number += 1
      case 3, 4:
        let days = Double(generator.next() % 50) / 10
        fixture.clock.advance(by: Self.days(days))
        now.real += days
        now.up += days
      case 5:
        // By years, and half of the time back to the true time.
        let ahead = generator.next() % 2 == 0 ? 0 : Double(generator.next() % 100) * 365 - 50 * 365
        fixture.clock.jump(by: Self.days(ahead - now.ahead))
        now.ahead = ahead
      default:
        if generator.next() % 2 == 0 { fixture.memory?.killProcess() } else { log.close() }
        if generator.next() % 2 == 0 {
          let off = Double(generator.next() % 40)
          reboot(fixture, after: Self.days(off))
          now.real += off
        }
        logs.append(try fixture.open())
      }
      let found = Set(waiting(logs[logs.count - 1]))
      for (number, event) in events {
        if found.contains(number) {
          #expect(now.up - event.up <= 25, "eternal: event \(number), seed \(seed), step \(step)")
        } else {
          #expect(now.real - event.real > 25 - 0.001, "lost: event \(number), seed \(seed), step \(step)")
          events[number] = nil
        }
      }
      #expect(found.isSubset(of: events.keys), "back again, seed \(seed), step \(step)")
    }
    #expect(logs[logs.count - 1].counts.dropped[.expired, default: 0] == number - events.count)
  }
}
