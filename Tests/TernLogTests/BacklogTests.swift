import Foundation
import TernBase
import TernEvents
import TernTestSupport
import Testing

@testable import CrashHelper
@testable import TernLog

/// The cost of operations with a large and a small backlog, in file system calls: the same on every machine.
@Suite struct `A million waiting events` {
  /// A log with the given number of waiting events, made of copies of one full segment.
  ///
  /// The log tolerates repeated identifiers, and the copies share their memory.
  private func backlog(events: Int) throws -> LogFixture {
    let template = LogFixture()
    template.configuration.segmentBytes = 256 << 10
    let writer = try template.open()
    let path = { (number: Int) in
      "/queue/log-0/" + SegmentName(number: UInt64(number), lane: .normal).text
    }
    var number = 0
    while template.memory?.contents(of: path(2)) == nil {
      template.append(writer, number, bytes: 16)
      number += 1
    }
    writer.close()
    let perSegment = number - 1
    let segment = try #require(template.memory?.contents(of: path(1)))
    let fixture = LogFixture()
    fixture.configuration.segmentBytes = 256 << 10
    fixture.configuration.maximumBytes = 1 << 30
    try fixture.open().close()
    for copy in 0..<(events + perSegment - 1) / perSegment {
      fixture.memory?.setContents(of: path(copy + 1), to: segment)
    }
    return fixture
  }

  /// The number of file system calls that `body` makes.
  private func cost(_ fixture: LogFixture, _ body: () -> Void) -> Int {
    let before = fixture.memory?.operationCount ?? 0
    body()
    return (fixture.memory?.operationCount ?? 0) - before
  }

  private struct Costs: Equatable {
    var appending = 0
    var claiming = 0
    var settling = 0
    var returning = 0
    var counting = 0
    var synchronizing = 0
  }

  /// The work of a day at the head and the tail of the queue.
  private func work(_ fixture: LogFixture) throws -> Costs {
    // The segments are those of an earlier boot: they need no flush.
    fixture.configuration.bootID = UniqueID(high: 1, low: 1)
    let log = try fixture.open()
    var costs = Costs()
    costs.appending = cost(fixture) { for number in 0..<500 { fixture.append(log, number, bytes: 16) } }
    for round in 0..<20 {
      var claim: LogClaim?
      costs.claiming += cost(fixture) { claim = log.claim(50) }
      guard let claim else { continue }
      #expect(claim.records.count == 50)
      if round % 4 == 0 {
        costs.returning += cost(fixture) { log.settle(claim.id, .returned) }
      } else {
        costs.settling += cost(fixture) { log.settle(claim.id, .delivered) }
      }
    }
    costs.counting = cost(fixture) { for _ in 0..<10 { _ = log.counts } }
    costs.synchronizing = cost(fixture) { log.synchronize() }
    return costs
  }

  @Test func `make appends, claims and settlements no more expensive than ten thousand do`() throws {
    let few = try backlog(events: 10_000)
    let many = try backlog(events: environmentNumber("TERN_BACKLOG") ?? 1_000_000)
    let fewCosts = try work(few)
    let manyCosts = try work(many)
    #expect(manyCosts == fewCosts)
    // One write each, and occasionally a new file; a claim checks the directory, opens and reads.
    #expect(manyCosts.appending <= 510)
    #expect(manyCosts.claiming <= 20 * 4)
    #expect(manyCosts.settling <= 15 * 5 && manyCosts.returning == 0)
    #expect(manyCosts.counting <= 2)
  }

  @Test func `take three calls to open and a few numbers in memory per segment`() throws {
    let fixture = try backlog(events: 200_000)
    let segments = fixture.memory?.paths.filter { $0.hasSuffix(".seg") }.count ?? 0
    #expect(segments > 50)
    var log: EventLog?
    let calls = cost(fixture) { log = try? fixture.open() }
    #expect(calls <= 3 * segments + 12)
    let index = log?.state.withLock { state in
      state.lanes.reduce(0) { $0 + $1.segments.indices.count }
    }
    #expect(index == segments)
    #expect(MemoryLayout<Segment>.stride <= 256)
  }

  #if os(Linux)
    @Test func `take little memory in a real process`() throws {
      let directory = try TemporaryDirectory()
      let events = environmentNumber("TERN_BACKLOG") ?? 200_000
      let fixture = try backlog(events: events)
      let name = SegmentName(number: 1, lane: .normal).text
      let segment = try #require(fixture.memory?.contents(of: "/queue/log-0/" + name))
      let home = directory.path + "/queue/log-0"
      try SystemFileSystem().makeDirectory(home)
      try Data(segment).write(to: URL(fileURLWithPath: home + "/" + name))
      let count = fixture.memory?.paths.filter { $0.hasSuffix(".seg") }.count ?? 0
      // Hard links suffice, as the helper only reads; a million events would fill some disks.
      for number in 2...count {
        let copy = home + "/" + SegmentName(number: UInt64(number), lane: .normal).text
        try FileManager.default.linkItem(atPath: home + "/" + name, toPath: copy)
      }
      var options = Options()
      options.directory = directory.path + "/queue"
      options.maximumBytes = 1 << 30
      options.events = 1
      let helper = try HelperProcess(options)
      let said = helper.read { $0.last?.kind == .finished }
      let resident = said.filter { $0.kind == .resident }.map { Int($0.number) }
      try #require(resident.count == 2)
      #expect(said.contains { $0.kind == .opened && $0.number >= UInt32(events) })
      let growth = (resident[1] - resident[0]) << 10
      #expect(growth < 8 << 20, "\(growth) bytes for \(count * segment.count) bytes of segments")
    }
  #endif

  @Test func `in a full log are evicted with a few calls per segment, at any limit`() throws {
    for maximum in [256 << 10, 8 << 20] {
      let fixture = LogFixture()
      fixture.configuration.maximumBytes = maximum
      fixture.configuration.segmentBytes = 16 << 10
      let log = try fixture.open()
      var number = 0
      while log.counts.dropped.isEmpty {
        fixture.append(log, number, bytes: 400)
        number += 1
      }
      let calls = cost(fixture) { for _ in 0..<1000 { fixture.append(log, bytes: 400) } }
      // A write for the event, and a little for each segment that starts or ends.
      #expect(calls <= 1000 + 1000 / 34 * 8 + 20, "\(maximum): \(calls)")
    }
  }
}
