import TernEvents
import Testing

@testable import Ingest

/// The microseconds by which the device's order of events in a millisecond is kept.
@Suite struct EventOrderTests {
  private let now = testTime.millisecondsSince1970

  /// An event with an identifier of the SDK.
  private func line(_ name: String, wall: Int64, uptime: Int64, time: Int64? = nil, _ more: String = "") -> String {
    var generator = FastGenerator(seed: UInt64(uptime))
    let moment = EventMoment(wallMicroseconds: wall, uptimeMicroseconds: uptime)
    let id = UniqueID.event(at: moment, using: &generator)
    return #"{"id":"\#(id)","type":"event","name":"\#(name)","time":\#(time ?? moment.time.millisecondsSince1970),"#
      + #""uptime":\#(uptime / 1_000),"boot":"b","install":"\#(testInstall)"\#(more)}"#
  }

  private func parse(_ lines: [String], _ header: String?, arrived: Int64? = nil) throws -> [IncomingEvent] {
    let arrived = Timestamp(millisecondsSince1970: arrived ?? now)
    let clock = header.flatMap { SentStamp(header: $0) }.map { EventClock($0, arrived: arrived) }
    let batch = try NativeParser.parse(
      Array(lines.joined(separator: "\n").utf8), received: arrived, clock: clock, key: testKey, app: 1)
    #expect(batch.rejections.isEmpty)
    return batch.events
  }

  private func offsets(_ events: [IncomingEvent]) -> [[Int64]] {
    events.map { [$0.time.millisecondsSince1970 - now, Int64($0.microseconds ?? -1)] }
  }

  @Test func `of a device whose clock is right, the microseconds are those of its clock, in every request`() throws {
    let checkout = line("Checkout", wall: (now - 1_000) * 1_000 + 998, uptime: 9_000_400)
    let purchase = line("Purchase", wall: (now - 1_000) * 1_000 + 999, uptime: 9_000_401)
    // The requests round the difference of the two clocks differently.
    #expect(try offsets(parse([purchase], "time=\(now - 900); uptime=9100; boot=b")) == [[-1_000, 999]])
    #expect(try offsets(parse([checkout], "time=\(now - 899); uptime=9100; boot=b")) == [[-1_000, 998]])
    #expect(try offsets(parse([checkout, purchase], nil)) == [[-1_000, 998], [-1_000, 999]])
  }

  @Test func `of a device whose clock is wrong, they are those of its uptime`() throws {
    let shown = now - 3_600_000
    let lines = [
      line("Checkout", wall: shown * 1_000 + 999, uptime: 9_000_400),
      line("Purchase", wall: (shown + 1) * 1_000, uptime: 9_000_401),
    ]
    #expect(try offsets(parse(lines, "time=\(shown + 100); uptime=9100; boot=b")) == [[-100, 400], [-100, 401]])
  }

  @Test func `an event that counts at its arrival has none, nor has one whose identifier tells another time`() throws {
    #expect(
      try offsets(parse([line("A", wall: (now + 86_400_000) * 1_000 + 5, uptime: 1_000)], nil)) == [[0, -1]],
      "in the future")
    #expect(
      try offsets(
        parse(
          [line("A", wall: (now - 901 * 86_400_000) * 1_000 + 5, uptime: 9_200_000)],
          "time=\(now - 900 * 86_400_000); uptime=9; boot=b")
      ).first?.last == 5)
    #expect(try offsets(parse([line("A", wall: now * 1_000 + 5, uptime: 1_000, time: now - 7)], nil)) == [[-7, -1]])
  }

  @Test func `events without them have no order within a millisecond`() throws {
    let lines = (1...3).map {
      #"{"id":"\#(uuid($0))","type":"event","name":"A","time":\#(now),"install":"\#(testInstall)"}"#
    }
    #expect(try offsets(parse(lines, nil)) == [[0, -1], [0, -1], [0, -1]])
  }
}
