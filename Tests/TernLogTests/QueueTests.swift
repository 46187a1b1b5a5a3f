import TernBase
import TernEvents
import TernTestSupport
import Testing

@testable import TernLog

@Suite struct `A queue of events` {
  @Test(arguments: World.allCases)
  func `hands out appended events in order and unchanged`(world: World) throws {
    let fixture = LogFixture(world)
    let log = try fixture.open()
    #expect(fixture.append(log, 1) == .stored(waiting: 1, waitingCritical: 0, dropped: log.counts.droppedTotal))
    #expect(
      fixture.append(log, 2, bytes: 0) == .stored(waiting: 2, waitingCritical: 0, dropped: log.counts.droppedTotal))
    let claim = try #require(log.claim(10))
    #expect(claim.numbers == [1, 2])
    let record = claim.records[0]
    #expect(Array(record.payload) == LogFixture.payload(1))
    #expect(record.time == fixture.clock.wallTime)
    #expect(record.uptime == .seconds(1000))
    #expect(record.context == LogFixture.context(7))
    #expect(record.lane == .normal)
    #expect(claim.records[1].payload == [])
  }

  @Test(arguments: World.allCases)
  func `hands out critical events first`(world: World) throws {
    let fixture = LogFixture(world)
    let log = try fixture.open()
    fixture.append(log, 1)
    #expect(
      fixture.append(log, 2, lane: .critical)
        == .stored(waiting: 2, waitingCritical: 1, dropped: log.counts.droppedTotal))
    fixture.append(log, 3)
    fixture.append(log, 4, lane: .critical)
    #expect(log.claim(3)?.numbers == [2, 4], "the segment of the others does not fit")
    #expect(log.claim(3)?.numbers == [1, 3])
  }

  @Test(arguments: World.allCases)
  func `gives each event to at most one open claim`(world: World) throws {
    let fixture = LogFixture(world)
    fixture.configuration.segmentEvents = 4
    let log = try fixture.open()
    for number in 0..<10 { fixture.append(log, number) }
    #expect(log.claim(4)?.numbers == [0, 1, 2, 3])
    #expect(log.claim(4)?.numbers == [4, 5, 6, 7])
    #expect(log.counts.waiting == 2)
    #expect(log.counts.claimed == 8)
    #expect(log.claim(4)?.numbers == [8, 9])
    #expect(log.claim(4) == nil)
  }

  @Test(arguments: World.allCases)
  func `holds back the rest of a segment while a part of it is claimed`(world: World) throws {
    let fixture = LogFixture(world)
    let log = try fixture.open()
    for number in 0..<6 { fixture.append(log, number) }
    let first = try #require(log.claim(4))
    fixture.append(log, 6)
    fixture.append(log, 7, lane: .critical)
    #expect(first.numbers == [0, 1, 2, 3] && log.counts.claimed == 4 && log.counts.waiting == 4)
    let critical = try #require(log.claim(1))
    #expect(critical.numbers == [7], "the other lane is not affected")
    #expect(log.counts.isClaimLimitReached && log.claim(4) == nil, "events stay in order")
    log.settle(first.id, .delivered)
    #expect(!log.counts.isClaimLimitReached && log.claim(1)?.numbers == [4])
    log.close()
    #expect(try fixture.open().drain() == [7, 4, 5, 6], "and so after a restart")
  }

  @Test(arguments: World.allCases)
  func `puts returned events back in their place`(world: World) throws {
    let fixture = LogFixture(world)
    fixture.configuration.segmentEvents = 2
    let log = try fixture.open()
    for number in 0..<6 { fixture.append(log, number) }
    let first = try #require(log.claim(2))
    let second = try #require(log.claim(2))
    log.settle(second.id, .delivered)
    log.settle(first.id, .returned)
    #expect(log.counts.waiting == 4)
    #expect(log.drain() == [0, 1, 4, 5])
  }

  @Test(arguments: World.allCases)
  func `settles a batch partially, by id`(world: World) throws {
    let fixture = LogFixture(world)
    let log = try fixture.open()
    for number in 0..<6 { fixture.append(log, number) }
    let claim = try #require(log.claim(6))
    log.settle(
      claim.id,
      .partly(
        delivered: [LogFixture.id(0), LogFixture.id(3), LogFixture.id(99)], dropped: [LogFixture.id(4): .rejected]))
    #expect(log.counts.dropped == [.rejected: 1])
    #expect(log.claim(9)?.numbers == [1, 2, 5])
    log.close()
    #expect(try fixture.open().drain() == [1, 2, 5], "and so after a restart")
  }

  @Test(arguments: World.allCases)
  func `settles a claim only once`(world: World) throws {
    let fixture = LogFixture(world)
    let log = try fixture.open()
    fixture.append(log, 1)
    let claim = try #require(log.claim(1))
    log.settle(claim.id, .returned)
    log.settle(claim.id, .delivered)
    #expect(log.drain() == [1])
  }

  @Test(arguments: World.allCases)
  func `has no settled events after a restart, and open claims are released`(world: World) throws {
    let fixture = LogFixture(world)
    fixture.configuration.segmentEvents = 100
    var log = try fixture.open()
    for number in 0..<2000 { fixture.append(log, number, lane: number % 7 == 0 ? .critical : .normal) }
    let delivered = try #require(log.claim(maximumEvents: 300, maximumBytes: .max))
    let open = try #require(log.claim(200))
    let later = try #require(log.claim(200))
    log.settle(later.id, .delivered)
    log.settle(delivered.id, .delivered)
    log.close()
    log = try fixture.open()
    #expect(log.counts.waiting == 2000 - delivered.records.count - 200)
    #expect(log.counts.claimed == 0)
    let rest = log.drain()
    #expect(Set(rest) == Set(0..<2000).subtracting(delivered.numbers).subtracting(later.numbers))
    #expect(Array(rest.prefix(200)) == open.numbers)
  }

  @Test func `limits a batch by bytes, but never to zero events`() throws {
    let fixture = LogFixture()
    let log = try fixture.open()
    for number in 0..<5 { fixture.append(log, number, bytes: 1000) }
    let bytes = 1000 + RecordHeader.size
    for (maximum, expected) in [(3 * bytes - 1, [0, 1]), (10, [2]), (2 * bytes, [3, 4])] {
      let claim = try #require(log.claim(maximumEvents: 10, maximumBytes: maximum))
      #expect(claim.numbers == expected)
      log.settle(claim.id, .delivered)
    }
  }

  @Test func `removes a settled segment from the disk`() throws {
    let fixture = LogFixture()
    let log = try fixture.open()
    for number in 0..<2000 { fixture.append(log, number) }
    #expect(log.counts.bytes > 4 * 64 << 10)
    #expect(log.drain(batch: 500).count == 2000)
    #expect(log.counts.bytes == DropLedger.fileBytes)
    log.close()
    #expect(fixture.bytesOnDisk == DropLedger.fileBytes, "only the counts stay")
  }

  @Test func `empties and reuses the files of settled segments`() throws {
    let fixture = LogFixture()
    fixture.configuration.segmentBytes = 1 << 10
    let log = try fixture.open()
    for number in 0..<12 { fixture.append(log, number) }
    _ = log.drain()
    let spares = { fixture.memory?.paths.filter { $0.contains("spare-") } ?? [] }
    #expect(spares().count == 2)
    #expect(spares().allSatisfy { fixture.memory?.contents(of: $0) == [] })
    for number in 12..<17 { fixture.append(log, number) }
    #expect(spares().count == 1)
    log.close()
    let reopened = try fixture.open()
    #expect(reopened.drain() == Array(12..<17))
    for number in 17..<200 { fixture.append(reopened, number) }
    #expect(spares().isEmpty)
    #expect(reopened.drain() == Array(17..<200))
    #expect(spares().count == 8, "no more than are useful")
    reopened.erase()
    #expect(spares().isEmpty)
  }

  @Test func `puts a record larger than a segment into its own segment`() throws {
    let fixture = LogFixture()
    let log = try fixture.open()
    fixture.append(log, 1)
    fixture.append(log, 2, bytes: 64 << 10)
    fixture.append(log, 3)
    #expect(fixture.append(log, 4, bytes: (64 << 10) + 1) == .dropped(.tooLarge))
    #expect(log.drain(batch: 1) == [1, 2, 3])
    #expect(log.counts.dropped == [.tooLarge: 1])
  }

  @Test func `stores nothing after closing`() throws {
    let fixture = LogFixture()
    let log = try fixture.open()
    fixture.append(log, 1)
    log.close()
    log.close()
    #expect(fixture.append(log, 2) == .dropped(.storageFailed))
    #expect(log.claim(1) == nil)
    #expect(try fixture.open().drain() == [1])
  }

  @Test func `accepts events from threads while others claim and settle`() async throws {
    let fixture = LogFixture(.disk)
    let log = try fixture.open()
    let (time, uptime) = (fixture.clock.wallTime, fixture.clock.uptime.wholeMilliseconds)
    let delivered = await withTaskGroup(of: [Int].self) { group in
      for thread in 0..<4 {
        group.addTask {
          for number in 0..<500 {
            let number = thread * 500 + number
            _ = log.append(
              LogFixture.payload(number), id: LogFixture.id(number), time: time, uptimeMilliseconds: uptime,
              lane: number % 5 == 0 ? .critical : .normal, context: LogFixture.context(0))
          }
          return []
        }
      }
      for _ in 0..<2 {
        group.addTask {
          var numbers: [Int] = []
          for round in 0..<100 {
            guard let claim = log.claim(20) else { continue }
            log.settle(claim.id, round % 3 == 0 ? .returned : .delivered)
            if round % 3 != 0 { numbers += claim.numbers }
          }
          return numbers
        }
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
    #expect((delivered + log.drain()).sorted() == Array(0..<2000))
    #expect(log.counts.waiting == 0)
  }
}
