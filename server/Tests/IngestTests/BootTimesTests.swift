import TernEvents
import Testing

@testable import Ingest

/// Requests of devices with wrong clocks, which take different times to arrive.
@Suite struct BootTimesTests {
  private static let start: Int64 = 1_780_000_000_000

  private func time(_ milliseconds: Int64) -> Timestamp { Timestamp(millisecondsSince1970: milliseconds) }

  /// The times of events of one boot, each given by its uptime, in a request of a device whose clock is an hour slow.
  private func times(
    _ uptimes: [Int64], sent: Int64, latency: Int64, boot: String = "b", app: Int64 = 1, _ boots: inout BootTimes
  ) -> [Int64] {
    let built = Self.start + sent
    let clock = EventClock(
      SentStamp(time: time(built - 3_600_000), uptime: sent, boot: boot), arrived: time(built + latency), app: app,
      &boots)
    let window = time(Self.start - 86_400_000)...time(Self.start + 86_400_000)
    return uptimes.map {
      clock.time(time(0), uptime: $0, isSameBoot: true, window: window).time.millisecondsSince1970 - Self.start
    }
  }

  @Test func `an event that happened earlier stays earlier, however slow its request is`() {
    var boots = BootTimes()
    #expect(times([1_000], sent: 1_000, latency: 40, &boots) == [1_040])
    #expect(times([900], sent: 1_000, latency: 3_040, &boots) == [940])
  }

  @Test(arguments: 1...50 as ClosedRange<UInt64>)
  func `the order of a boot's events doesn't depend on how their requests travel`(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    var boots = BootTimes()
    var stored: [(uptime: Int64, time: Int64)] = []
    var sent: Int64 = 100_000
    // The first request may take up to 5 s longer than the fastest one, which then seems to come from the future.
    var latency: Int64 = 4_000
    for _ in 0..<100 {
      let uptimes = (0..<5).map { _ in Int64.random(in: 0...sent, using: &generator) }
      stored += zip(uptimes, times(uptimes, sent: sent, latency: latency, &boots)).map { ($0, $1) }
      sent += Int64.random(in: 0...60_000, using: &generator)
      latency = Int64.random(in: 0...90_000, using: &generator)
    }
    #expect(Set(stored.map { $0.time - $0.uptime }).count == 1)
  }

  @Test func `a request that does not fit sets the time anew`() {
    var boots = BootTimes()
    #expect(times([1_000], sent: 1_000, latency: 0, &boots) == [1_000])
    // The uptime has stood still for ten minutes: some systems stop it while the device sleeps.
    #expect(times([2_000], sent: 2_000, latency: 600_000, &boots) == [602_000])
    #expect(times([3_000], sent: 3_000, latency: 605_000, &boots) == [603_000])
  }

  @Test func `boots of different apps, and those without a name, have nothing to do with each other`() {
    var boots = BootTimes()
    #expect(times([1_000], sent: 1_000, latency: 0, &boots) == [1_000])
    #expect(times([1_000], sent: 1_000, latency: 9_000, app: 2, &boots) == [10_000])
    #expect(times([1_000], sent: 1_000, latency: 9_000, boot: "c", &boots) == [10_000])
    let stamp = SentStamp(time: time(0), uptime: 5)
    #expect(boots.built(stamp, arrived: time(Self.start), app: 1, isRight: false) == time(Self.start))
  }

  @Test func `of many boots, the latest are remembered`() {
    var boots = BootTimes(capacity: 10)
    for boot in 0..<1_000 {
      #expect(times([1_000], sent: 1_000, latency: 0, boot: "used", &boots) == [1_000])
      #expect(times([1_000], sent: 1_000, latency: 4_000, boot: "\(boot)", &boots) == [5_000])
    }
    #expect(times([1_000], sent: 1_000, latency: 9_000, boot: "used", &boots) == [1_000])
    #expect(times([1_000], sent: 1_000, latency: 0, boot: "1", &boots) == [1_000], "forgotten")
    #expect(times([1_000], sent: 1_000, latency: 0, boot: "999", &boots) == [5_000], "remembered")
  }
}
