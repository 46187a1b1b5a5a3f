import Ingest
import Questions
import QuestionsTestSupport
import TernBase
import TernEvents
import Testing
import Warehouse

/// Funnels of people whose clocks are wrong and whose requests overtake each other, against the same people with nothing between
/// device and server. A failure names the seed.
@Suite struct DeviceOrderTests {
  private static let start: Int64 = 1_790_000_000_000
  private static let key = DuplicateHashKey(1, 2)

  /// One event as it happened: microseconds after the start.
  private struct Happened {
    var moment: Int64
    var name: String
    var version: String
    var install: Int
  }

  /// A device that is on all the time. Its clock is wrong until it is set right, which may have been before its first event.
  private struct Device {
    var install: String
    var boot: String
    /// In milliseconds.
    var error: Int64
    var setRightAt: Int64

    /// The wall time at a moment, in microseconds.
    func wall(_ moment: Int64) -> Int64 { (start + (moment < setRightAt ? error : 0)) * 1_000 + moment }
    func uptime(_ moment: Int64) -> Int64 { 5_000_000_123 + moment }
  }

  private struct Request {
    var device: Int
    var sent: Int64
    var latency: Int64
    var events: [Happened]
  }

  private func devices(_ random: inout RandomRows) -> [Device] {
    (0..<3).map { number in
      let wrong = [-3_600_000, 7_200_000, -800 * 86_400_000, 900 * 86_400_000].randomElement(using: &random.generator)
      let isWrong = random.chance(60)
      return Device(
        install: "00000000-0000-4000-8000-00000000000\(number)", boot: "boot-\(number)",
        error: isWrong ? Int64(wrong ?? 0) : Int64.random(in: -60_000...900, using: &random.generator),
        setRightAt: isWrong && random.chance(40) ? Int64.random(in: 0..<4_000_000, using: &random.generator) : .max)
    }
  }

  /// Events of people, most of them within a few milliseconds.
  private func happened(_ devices: [Device], _ random: inout RandomRows) -> [Happened] {
    var moments = [Int64](repeating: 0, count: 3)
    var versions = ["1.0", "1.0", "1.0"]
    return (0..<60).map { _ in
      let install = Int.random(in: 0..<3, using: &random.generator)
      moments[install] += Int64.random(in: 1...(random.chance(85) ? 400 : 2_000_000), using: &random.generator)
      // Which of a clock's milliseconds is which of another one's isn't known more exactly than by one.
      if devices[install].setRightAt != .max { moments[install] += 2_000 }
      if random.chance(6) { versions[install] = "2.0" }
      return Happened(
        moment: moments[install], name: ["A", "B", "C"].randomElement(using: &random.generator) ?? "A",
        version: versions[install], install: install)
    }
  }

  /// The requests in the order of their arrival.
  private func requests(_ events: [Happened], _ devices: [Device], _ random: inout RandomRows) -> [Request] {
    var requests: [Request] = []
    for device in 0..<3 {
      var waiting = events.filter { $0.install == device }
      while let last = waiting.last {
        // A critical event goes alone, before those that wait.
        let isCritical = random.chance(30)
        let count = isCritical ? 1 : min(waiting.count, Int.random(in: 1...9, using: &random.generator))
        let sent = isCritical ? waiting.suffix(1) : waiting.prefix(count)
        if isCritical { waiting.removeLast() } else { waiting.removeFirst(count) }
        requests.append(
          Request(
            device: device, sent: last.moment + Int64.random(in: 0...3_000_000, using: &random.generator),
            // Requests of a wrong clock arrive before those of the right one: the server couldn't relate them otherwise.
            latency: devices[device].setRightAt == .max ? Int64.random(in: 0...4_000, using: &random.generator) : 2_000,
            events: Array(sent)))
      }
    }
    return requests.sorted { $0.sent / 1_000 + $0.latency < $1.sent / 1_000 + $1.latency }
  }

  private func stored(_ requests: [Request], _ devices: [Device], _ random: inout RandomRows) throws -> [QuestionRow] {
    var (boots, rows, generator) = (BootTimes(), [QuestionRow](), random.generator)
    for request in requests {
      let device = devices[request.device]
      let stamp = SentStamp(
        time: Timestamp(millisecondsSince1970: device.wall(request.sent) / 1_000),
        uptime: device.uptime(request.sent) / 1_000, boot: device.boot)
      let arrived = Timestamp(millisecondsSince1970: Self.start + request.sent / 1_000 + request.latency)
      let lines = request.events.map { event in
        let moment = EventMoment(
          wallMicroseconds: device.wall(event.moment), uptimeMicroseconds: device.uptime(event.moment))
        return #"{"id":"\#(UniqueID.event(at: moment, using: &generator))","type":"event","name":"\#(event.name)","#
          + #""time":\#(moment.time.millisecondsSince1970),"uptime":\#(moment.uptime.wholeMilliseconds),"#
          + #""boot":"\#(device.boot)","install":"\#(device.install)","app":{"version":"\#(event.version)"}}"#
      }
      let batch = try NativeParser.parse(
        Array(lines.joined(separator: "\n").utf8), received: arrived,
        clock: EventClock(stamp, arrived: arrived, app: 1, &boots), key: Self.key, app: 1)
      #expect(batch.rejections.isEmpty)
      for event in batch.events {
        var row = QuestionRow(
          id: Int64(rows.count) + 1, time: event.time.millisecondsSince1970, kind: .event, name: event.name,
          install: batch.installs[event.install])
        row.microseconds = event.microseconds
        row.facts[.version] = batch.devices[event.device].appVersion
        rows.append(row)
      }
    }
    return rows
  }

  private func truth(_ events: [Happened], _ devices: [Device]) -> [QuestionRow] {
    events.enumerated().map { index, event in
      var row = QuestionRow(
        id: Int64(index) + 1, time: Self.start + event.moment / 1_000, kind: .event, name: event.name,
        install: devices[event.install].install)
      row.microseconds = Int(event.moment % 1_000)
      row.facts[.version] = event.version
      return row
    }
  }

  @Test(arguments: RandomRows.seeds(200))
  func `funnels find what happened on the devices, whatever their clocks show and however requests travel`(seed: Int)
    throws
  {
    var random = RandomRows(seed: UInt64(seed), first: Day(year: 2026, month: 9, day: 1))
    let devices = devices(&random)
    let events = happened(devices, &random)
    let rows = try stored(requests(events, devices, &random), devices, &random)
    let calendar = try #require(QuestionCalendar("UTC"))
    let today = calendar.day(of: Self.start + 86_400_000)
    func names(_ rows: [QuestionRow]) -> [String: [String?]] {
      Dictionary(grouping: rows.sorted(by: QuestionRow.isEarlier), by: \.install).mapValues { $0.map(\.name) }
    }
    #expect(names(rows) == names(truth(events, devices)), "seed \(seed)")
    let (evaluator, expected) = (
      NaiveEvaluator(rows, calendar: calendar, today: today),
      NaiveEvaluator(truth(events, devices), calendar: calendar, today: today)
    )
    for step in FunnelBreakdownStep.allCases {
      let question = FunnelQuestion(
        scope: QuestionScope(range: .dates(today.advanced(by: -3), today), person: .install),
        steps: ["A", "B", "C"].map { Selector(.event($0)) },
        order: [.ordered, .strict].randomElement(using: &random.generator) ?? .ordered, breakdown: .version,
        breakdownStep: step)
      func persons(_ answer: FunnelAnswer) -> [String] {
        answer.groups.map { "\($0.value?.text ?? "-") \($0.steps.map(\.persons))" }
      }
      #expect(persons(evaluator.answer(question)) == persons(expected.answer(question)), "seed \(seed), \(question)")
    }
  }
}
