import TernEvents
import Testing

@testable import Ingest

/// Tests the time of an event with wrong clocks and slow requests.
@Suite struct EventClockTests {
  private static let year: Int64 = 365 * 86_400_000
  private static let arrived: Int64 = 1_780_000_000_000
  private static let window =
    Timestamp(
      millisecondsSince1970: arrived - 400 * 86_400_000)...Timestamp(
      millisecondsSince1970: arrived + 3 * 86_400_000)

  private func time(_ milliseconds: Int64) -> Timestamp { Timestamp(millisecondsSince1970: milliseconds) }

  /// The documented rule, in numbers that never overflow.
  private func expected(
    sent: Int64, sentUptime: Int64?, event: Int64, uptime: Int64?, isSameBoot: Bool
  ) -> Int64 {
    let (arrived, sent, event) = (Int128(Self.arrived), Int128(sent), Int128(event))
    let isRight = arrived - sent >= -5_000 && arrived - sent <= 90_000
    if isSameBoot, let sentUptime, let uptime, uptime >= 0, uptime <= sentUptime {
      let ran = (isRight ? sent : arrived) - (Int128(sentUptime) - Int128(uptime))
      return Int64(clamping: isRight && abs(ran - event) <= 1_000 ? event : ran)
    }
    let corrected = isRight ? event : event + (arrived - sent)
    let accepted = arrived - 400 * 86_400_000...arrived + 3 * 86_400_000
    return Int64(clamping: accepted.contains(corrected) ? corrected : arrived)
  }

  @Test func `the rule holds at every boundary of every number`() {
    let day: Int64 = 86_400_000
    let skews: [Int64] = [
      0, 1, -1, -4_999, -5_000, -5_001, 89_999, 90_000, 90_001, day, -day, 12 * Self.year, -12 * Self.year,
    ]
    let sents = skews.map { Self.arrived - $0 } + [-(1 << 53), 0, 1 << 53]
    let uptimes: [Int64?] = [nil, .min, -1, 0, 1, 1_000, 1_001, 500 * day, .max]
    let ages: [Int64] = [
      0, 1, -1, 999, -999, 1_000, -1_000, 1_001, -1_001, 5_000, 90_000, -3 * day, -3 * day - 1, -3 * day + 1, 400 * day,
      400 * day + 1, 400 * day - 1,
      12 * Self.year, -12 * Self.year,
    ]
    for sent in sents {
      let events = ages.flatMap { [Self.arrived - $0, sent - $0] }
      for sentUptime in uptimes where sentUptime ?? 0 >= 0 {
        let clock = EventClock(SentStamp(time: time(sent), uptime: sentUptime), arrived: time(Self.arrived))
        for uptime in uptimes {
          for isSameBoot in [false, true] {
            for event in events + [.min, .max, 0] {
              let happened = clock.time(time(event), uptime: uptime, isSameBoot: isSameBoot, window: Self.window)
                .time
              let wanted = expected(
                sent: sent, sentUptime: sentUptime, event: event, uptime: uptime, isSameBoot: isSameBoot)
              guard happened.millisecondsSince1970 != wanted else { continue }
              Issue.record("\(sent) \(sentUptime ?? -9) \(event) \(uptime ?? -9) \(isSameBoot): \(happened)")
              return
            }
          }
        }
      }
    }
  }

  /// A device with a wrong clock and a slow request; only the test knows the true times.
  private struct Journey {
    var booted: Int64
    var happened: Int64
    var built: Int64
    var transit: Int64
    var clockError: Int64

    init(using generator: inout some RandomNumberGenerator) {
      transit = [0, 40, 900, 30_000, 60_000, 90_000].randomElement(using: &generator) ?? 0
      built = EventClockTests.arrived - transit
      booted = built - Int64.random(in: 1...200 * 86_400_000, using: &generator)
      happened = Int64.random(in: booted...built, using: &generator)
      let sizes: [Int64] = [0, 1_000, 3_600_000, 86_400_000, EventClockTests.year, 56 * EventClockTests.year]
      let size = sizes.randomElement(using: &generator) ?? 0
      clockError = Bool.random(using: &generator) ? size : -size
    }

    var clock: EventClock {
      EventClock(
        SentStamp(time: Timestamp(millisecondsSince1970: built + clockError), uptime: built - booted, boot: "b"),
        arrived: Timestamp(millisecondsSince1970: EventClockTests.arrived))
    }
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `neither a wrong clock nor a slow request moves an event by more than the request's duration`(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    for round in 0..<2_000 {
      let journey = Journey(using: &generator)
      let isSameBoot = Bool.random(using: &generator)
      // For an event of the same boot the wall clock does not matter.
      let shown =
        isSameBoot ? Int64.random(in: .min ... .max, using: &generator) : journey.happened + journey.clockError
      let answer = journey.clock.time(
        time(shown), uptime: journey.happened - journey.booted, isSameBoot: isSameBoot, window: Self.window
      ).time
      let error = answer.millisecondsSince1970 - journey.happened
      // A clock that is correct, or nearly so, is trusted; otherwise only the request's duration affects the result.
      let allowed = journey.clock.isRight ? journey.clockError : journey.transit
      guard error != allowed || abs(error) > 90_000 else { continue }
      Issue.record("seed \(seed), round \(round): off by \(error) ms, \(journey)")
      return
    }
  }

  @Test func `boot identifiers ignore the case of their letters`() {
    let clock = EventClock(SentStamp(time: time(0), uptime: 1, boot: "Ab-9[@"), arrived: time(0))
    for (boot, isSame) in [
      ("Ab-9[@", true), ("aB-9[@", true), ("Ab-9{@", false), ("Ab-9[`", false), ("Ab-9[", false), ("", false),
      ("Ab-9[@ ", false),
    ] {
      #expect(Array(boot.utf8).withUnsafeBytes { clock.isSameBoot($0) } == isSame, "\(boot)")
    }
    let silent = EventClock(SentStamp(time: time(0)), arrived: time(0))
    #expect(!silent.isSameBoot(UnsafeRawBufferPointer(start: nil, count: 0)))
  }
}

/// Tests the events of requests with `Tern-Sent`.
@Suite struct SentRequestTests {
  private let year: Int64 = 365 * 86_400_000

  private func line(_ number: Int, at milliseconds: Int64, _ more: String = "") -> String {
    #"{"id":"\#(uuid(number))","type":"event","name":"A","time":\#(milliseconds),"install":"\#(testInstall)"\#(more)}"#
  }

  private func parse(_ text: String, _ header: String, arrived: Timestamp = testTime) throws -> IncomingBatch {
    let clock = SentStamp(header: header).map { EventClock($0, arrived: arrived) }
    return try NativeParser.parse(
      Array(text.utf8), received: arrived + .seconds(2), clock: clock, key: testKey, app: 1)
  }

  @Test func `events of a device whose clock is years off are accepted at the right time`() throws {
    for offset in [-56 * year, -year, 4 * year, 30 * year] {
      let shown = testTime.millisecondsSince1970 + offset
      let batch = try parse(
        [
          line(1, at: shown - 60_000, #","uptime":940000,"boot":"B-1""#),
          line(2, at: 5, #","uptime":999000,"boot":"b-1""#),
          line(3, at: shown - 120_000, #","uptime":940000,"boot":"b-2""#), line(4, at: shown - 180_000),
          line(5, at: shown + 50 * year, #","uptime":1000001,"boot":"b-1""#),
          line(6, at: shown - 7_000, #","uptime":"940000","boot":"b-1""#),
          line(7, at: shown - 8_000, #","uptime":9.5,"boot":"b-1""#),
          line(8, at: shown - 9_000, #","uptime":5,"boot":["b-1"]"#),
        ].joined(separator: "\n"), "time=\(shown); uptime=1000000; boot=b-1")
      #expect(batch.rejections.isEmpty, "\(batch.reasons)")
      let ages = batch.events.map { testTime.millisecondsSince1970 - $0.time.millisecondsSince1970 }
      #expect(ages == [60_000, 1_000, 120_000, 180_000, 0, 7_000, 8_000, 9_000], "\(offset)")
      #expect(batch.events[1].duplicateKey?.milliseconds == 5, "the time of the device")
    }
  }

  @Test func `a correct clock is kept, and only uptimes can make an event too old`() throws {
    let now = testTime.millisecondsSince1970
    let sent = "time=\(now - 30_000); uptime=90000000000; boot=b"
    let batch = try parse(
      [
        line(1, at: now - 40_000, #","uptime":89999990000,"boot":"b""#), line(2, at: now - 86_400_000),
        line(3, at: now - 3 * year), line(4, at: now + 3 * year),
        line(5, at: now - 40_000, #","uptime":1,"boot":"b""#), line(6, at: now + 86_400_000),
      ].joined(separator: "\n"), sent)
    #expect(batch.reasons == ["time_too_old"])
    #expect(batch.rejections.map(\.index) == [4])
    #expect(batch.events.map { $0.time.millisecondsSince1970 - now } == [-40_000, -86_400_000, 0, 0, 2_000])
  }

  @Test(arguments: 1...10 as ClosedRange<UInt64>)
  func `a retry has the same keys, whatever its clocks`(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    let times: [Int64] = (0..<20).map { _ in Int64.random(in: .min ... .max, using: &generator) }
    let lines = times.indices.map { line($0 + 1, at: times[$0], #","uptime":\#($0 * 10),"boot":"b""#) }
    let text = lines.joined(separator: "\n")
    let first = try parse(text, "time=0; uptime=1000; boot=b")
    #expect(first.events.count == 20)
    #expect(first.events.map { $0.duplicateKey?.milliseconds } == times)
    for _ in 0..<20 {
      let skew: Int64 = [0, 1_000, year, -year].randomElement(using: &generator) ?? 0
      let arrived = testTime + .seconds(Int.random(in: 0...86_400 * 300, using: &generator))
      let boot = ["b", "c"].randomElement(using: &generator) ?? "b"
      let retry = try parse(
        text, "time=\(arrived.millisecondsSince1970 - skew); uptime=200; boot=\(boot)", arrived: arrived)
      #expect(retry.events.map(\.duplicateKey) == first.events.map(\.duplicateKey), "seed \(seed)")
    }
  }

  @Test func `the device's clock is used if the header is missing or unreadable`() throws {
    let now = testTime.millisecondsSince1970
    let text = [line(1, at: now - 5_000, #","uptime":1,"boot":"b""#), line(2, at: now - 2 * year)]
      .joined(separator: "\n")
    for header in ["", "uptime=100; boot=b", "time=soon; uptime=100; boot=b", "time=\(now + year); uptime=x; boot=b"] {
      let batch = try parse(text, header)
      #expect(batch.events.map { $0.time.millisecondsSince1970 } == [now - 5_000], "\(header)")
      #expect(batch.reasons == ["time_too_old"])
    }
  }
}
