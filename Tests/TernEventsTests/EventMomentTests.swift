import TernEvents
import TernTestSupport
import Testing

/// The microseconds that decide on the order of events.
@Suite struct EventMomentTests {
  private static let start: Int64 = 1_767_225_600_000

  @Test func `events of a clock that stands still follow each other by a microsecond`() {
    let clock = TestClock()
    var moments = EventMoments()
    let uptimes = (0..<2_500).map { _ in moments.next(clock) }
    #expect(uptimes.map(\.wallMicroseconds) == (0..<2_500).map { Self.start * 1_000 + $0 })
    #expect(uptimes.map(\.uptimeMicroseconds) == (0..<2_500).map { 1_000_000_000 + $0 })
    #expect(uptimes[2_499].time.millisecondsSince1970 == Self.start + 2)
  }

  @Test func `a wall clock that is set back by more than a second is believed, the uptime goes on`() {
    let clock = TestClock()
    var moments = EventMoments()
    _ = moments.next(clock)
    // By less, as time servers do.
    clock.setWallTime(Timestamp(millisecondsSince1970: Self.start - 900))
    #expect(
      moments.next(clock)
        == EventMoment(wallMicroseconds: Self.start * 1_000 + 1, uptimeMicroseconds: 1_000_000_001))
    clock.setWallTime(Timestamp(millisecondsSince1970: Self.start - 1_001))
    #expect(
      moments.next(clock)
        == EventMoment(wallMicroseconds: (Self.start - 1_001) * 1_000, uptimeMicroseconds: 1_000_000_002))
    clock.advance(by: .milliseconds(5))
    #expect(
      moments.next(clock)
        == EventMoment(wallMicroseconds: (Self.start - 996) * 1_000, uptimeMicroseconds: 1_000_005_000))
  }

  @Test(arguments: [0, 1, 999, 1_000, 1_001, Self.start * 1_000 + 123, 281_474_976_710_655_999])
  func `an identifier has the microseconds of both clocks`(wall: Int64) {
    var generator = FastGenerator(seed: UInt64(wall))
    for uptime: Int64 in [0, 7, 999, 1_000_456] {
      let moment = EventMoment(wallMicroseconds: wall, uptimeMicroseconds: uptime)
      let id = UniqueID.event(at: moment, using: &generator)
      #expect(id.description.dropFirst(14).first == "8" && "89ab".contains(id.description.dropFirst(19).first ?? "-"))
      let found = id.microseconds(at: moment.time)
      #expect(found?.wall == Int(wall % 1_000) && found?.uptime == Int(uptime % 1_000))
      #expect(id.microseconds(at: moment.time + .milliseconds(1)) == nil, "a crash is reported later")
      #expect(UniqueID.event(at: moment, using: &generator) != id)
    }
  }

  @Test func `identifiers of other kinds have none, and no clock stops an event`() {
    var generator = FastGenerator(seed: 1)
    let time = Timestamp(millisecondsSince1970: Self.start)
    for _ in 0..<200 {
      #expect(UniqueID.timeOrdered(at: time, using: &generator).microseconds(at: time) == nil)
      #expect(UniqueID.random(using: &generator).microseconds(at: time) == nil)
    }
    let edges: [Int64] = [.min, .min + 1, -1_001, -1, .max - 1, .max]
    for wall in edges {
      for uptime in edges {
        let moment = EventMoment(wallMicroseconds: wall, uptimeMicroseconds: uptime)
        #expect(UniqueID(UniqueID.event(at: moment, using: &generator).description) != nil)
      }
    }
    let clock = TestClock(wallTime: Timestamp(millisecondsSince1970: .max), uptime: .seconds(Int64.max))
    var moments = EventMoments()
    for _ in 0..<3 { _ = moments.next(clock) }
  }
}
