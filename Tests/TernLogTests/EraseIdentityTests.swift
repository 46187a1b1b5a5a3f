import Foundation
import TernBase
import TernEvents
import TernTestSupport
import Testing

@testable import TernLog

@Suite struct `Erasing one identity`: ErasingTests {
  @Test(arguments: World.allCases)
  func `removes all events of that identity, in both lanes, and no others`(world: World) throws {
    let fixture = LogFixture(world)
    fixture.configuration.segmentBytes = 2 << 10
    var log = try fixture.open()
    append(fixture, log, 0..<100)
    let gone = (0..<100).filter { identity($0) == 3 }
    #expect(log.erase(.identity(3)))
    #expect(log.counts.waiting == 100 - gone.count)
    #expect(log.counts.dropped == [.erased: gone.count])
    if fixture.memory != nil { #expect(onDisk(fixture, 0..<100) == (0..<100).filter { identity($0) != 3 }) }
    append(fixture, log, 100..<110)
    let expected = (0..<100).filter { identity($0) != 3 } + Array(100..<110)
    log.close()
    log = try fixture.open()
    #expect(log.counts.dropped == [.erased: gone.count])
    #expect(log.drain().sorted() == expected, "later events stay, even those of the same epoch")
  }

  @Test func `removes them from open claims for good, however the claim is settled`() throws {
    for settlement in [BatchResolution.delivered, .returned, .partly(delivered: [LogFixture.id(1)], dropped: [:])] {
      let fixture = LogFixture()
      let log = try fixture.open()
      for number in 0..<12 { fixture.append(log, number, identity: identity(number)) }
      let claim = try #require(log.claim(8))
      log.erase(.identity(3))
      #expect(log.counts.claimed == 5 && log.counts.waiting == 3)
      #expect(log.counts.dropped == [.erased: 4])
      log.settle(claim.id, settlement)
      #expect(log.counts.dropped == [.erased: 4])
      let rest: [Int] =
        switch settlement {
        case .delivered: [8, 10, 11]
        case .returned: [1, 2, 4, 5, 7, 8, 10, 11]
        case .partly: [2, 4, 5, 7, 8, 10, 11]
        }
      fixture.memory?.killProcess()
      #expect(try fixture.open().drain() == rest)
    }
  }

  @Test func `erases events of dead processes, but not of living ones`() throws {
    let fixture = LogFixture()
    let living = try fixture.open()
    let dead = try fixture.open()
    let log = try fixture.open()
    fixture.append(living, 3, identity: 3)
    append(fixture, dead, 10..<20)
    append(fixture, log, 20..<30)
    dead.close()
    #expect(log.erase(.identity(3)))
    #expect(log.drain().sorted() == (10..<30).filter { identity($0) != 3 })
    #expect(living.drain() == [3])
  }

  @Test func `waits for a missing directory, and no event is handed out meanwhile`() throws {
    let fixture = LogFixture()
    let first = try fixture.open()
    append(fixture, first, 0..<9)
    first.close()
    fixture.memory?.setScript { $0.kind == .makeDirectory ? .fail(errno: EIO) : nil }
    let log = fixture.unopened()
    #expect(throws: LogError.self) { try log.open() }
    #expect(!log.erase(.identity(3)))
    fixture.memory?.setScript(nil)
    try log.open()
    fixture.append(log, 12, identity: 3)
    #expect(log.drain().sorted() == [1, 2, 4, 5, 7, 8, 12])
    #expect(log.counts.dropped == [.erased: 3])
    #expect(log.erase(.identity(3)))
    #expect(onDisk(fixture, 0..<9).filter { identity($0) == 3 } == [])
  }

  @Test func `on a read-only disk hands out no affected event, but cannot be saved`() throws {
    let fixture = LogFixture()
    let first = try fixture.open()
    append(fixture, first, 0..<12)
    fixture.memory?.setReadOnly(true)
    #expect(!first.erase(.identity(3)))
    #expect(first.drain().sorted() == (0..<12).filter { identity($0) != 3 })
    #expect(first.counts.dropped == [.erased: 4])
    fixture.memory?.killProcess()
    fixture.memory?.setReadOnly(false)
    let log = try fixture.open()
    #expect(log.counts.waiting == 12, "the erasure could not be saved")
    #expect(log.erase(.identity(3)))
    #expect(log.drain().sorted() == (0..<12).filter { identity($0) != 3 })
    withExtendedLifetime(first) {}
  }

  @Test(arguments: [
    InMemoryFileSystem.Fault.fail(errno: EIO), .fail(errno: ENOSPC), .tear(bytes: 4), .tear(bytes: 70),
    .tearAndFail(bytes: 30, errno: EIO),
  ])
  func `may fail at any operation: other events stay, and no erased event is ever handed out`(
    fault: InMemoryFileSystem.Fault
  ) throws {
    let faultless = LogFixture()
    let (log, isComplete, operations) = try erase(faultless, fault: nil)
    #expect(isComplete)
    let expected = log.drain()
    #expect(expected.count > 20 && expected.allSatisfy { identity($0) != 3 })
    for failing in 1...operations {
      let fixture = LogFixture()
      let place: Comment = "\(fault) at operation \(failing)"
      let (log, isComplete, _) = try erase(fixture) { $0 == failing ? fault : nil }
      if isComplete { #expect(onDisk(fixture, 0..<40).allSatisfy { identity($0) != 3 }, place) }
      // Appended later, so not affected by the open erasure.
      fixture.append(log, 42, identity: 3)
      let left = try #require(log.claim(100))
      #expect(left.numbers == expected + [42] && left.isGenuine, place)
      #expect(log.counts.dropped[.damaged] == nil, place)
      fixture.memory?.killProcess()
      let again = try fixture.open()
      let found = again.drain()
      #expect(found.filter { $0 == 42 || identity($0) != 3 } == expected + [42], place)
      #expect(again.counts.dropped[.damaged] == nil, place)
      #expect(!isComplete || found == expected + [42], place)
      fixture.memory?.killProcess()
    }
  }

  @Test func `is completed by the next launch, wherever the process dies`() throws {
    let faultless = LogFixture()
    let (log, _, operations) = try erase(faultless, fault: nil)
    let expected = log.drain()
    var returned = 0
    for dying in 1...operations {
      for torn in [nil, 6, 80] {
        let fixture = LogFixture()
        let place: Comment = "dies at operation \(dying), \(torn ?? 0) bytes of it done"
        let (dead, _, _) = try erase(fixture) { operation in
          if operation == dying, let torn { return .tearAndFail(bytes: torn, errno: EIO) }
          return operation >= dying ? .fail(errno: EIO) : nil
        }
        fixture.memory?.killProcess()
        let again = try fixture.open()
        let found = again.drain()
        #expect(found.filter { identity($0) != 3 } == expected, place)
        #expect(again.counts.dropped[.damaged] == nil, place)
        if found.contains(where: { identity($0) == 3 }) {
          // Died before the erasure was saved, so all events are still there.
          returned += 1
          #expect(found.filter { identity($0) == 3 }.count == log.counts.dropped[.erased], place)
        } else {
          #expect(onDisk(fixture, 0..<40).allSatisfy { identity($0) != 3 }, place)
        }
        fixture.memory?.killProcess()
        withExtendedLifetime(dead) {}
      }
    }
    #expect(returned > 0 && returned < operations)
  }

  @Test func `that cannot finish spares later events, even if all its segments are gone`() throws {
    let fixture = LogFixture()
    let first = try fixture.open()
    for number in 0..<5 { fixture.append(first, number, identity: 3) }
    fixture.memory?.setScript { operation in
      operation.kind == .remove && operation.path.hasSuffix("erasing") ? .fail(errno: EIO) : nil
    }
    first.erase(.identity(3))
    #expect(fixture.memory?.paths.contains { $0.hasSuffix("erasing") } == true)
    fixture.memory?.killProcess()
    let log = try fixture.open()
    fixture.append(log, 7, identity: 3)
    #expect(log.drain() == [7])
    fixture.memory?.setScript(nil)
    log.close()
    withExtendedLifetime(first) {}
  }

  @Test func `works while threads append, claim and settle`() async throws {
    let fixture = LogFixture(.disk)
    fixture.configuration.segmentBytes = 4 << 10
    let log = try fixture.open()
    let (time, uptime) = (fixture.clock.wallTime, fixture.clock.uptime.wholeMilliseconds)
    let append = { @Sendable (numbers: Range<Int>, identity: UInt32) in
      for number in numbers {
        _ = log.append(
          LogFixture.payload(number), id: LogFixture.id(number), time: time, uptimeMilliseconds: uptime,
          lane: number % 5 == 0 ? .critical : .normal, context: LogFixture.context(identity))
      }
    }
    append(0..<300, 3)
    let delivered = await withTaskGroup(of: [Int].self) { group in
      for thread in 1...2 {
        group.addTask {
          append(thread * 1000..<thread * 1000 + 400, UInt32(10 + thread))
          return []
        }
      }
      group.addTask {
        var numbers: [Int] = []
        for round in 0..<60 {
          guard let claim = log.claim(15) else { continue }
          log.settle(claim.id, round % 3 == 0 ? .returned : .delivered)
          if round % 3 != 0 { numbers += claim.numbers }
        }
        return numbers
      }
      group.addTask {
        for _ in 0..<10 { _ = log.erase(.identity(3)) }
        return []
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
    // The test, unlike the log, may record an event as both claimed and erased if both happen at once.
    let rest = log.drain()
    #expect(rest.allSatisfy { $0 >= 1000 })
    let kept = Set(delivered + rest).filter { $0 >= 1000 }
    #expect(kept == Set(1000..<1400).union(2000..<2400))
    #expect(rest.count == Set(rest).count && Set(delivered.filter { $0 >= 1000 }).isDisjoint(with: rest))
  }

  @Test func `has no effect on a log without its events, and costs appends nothing`() throws {
    let fixture = LogFixture()
    let log = try fixture.open()
    #expect(log.erase(.identity(3)))
    for number in 0..<10 { fixture.append(log, number, identity: 4) }
    #expect(log.erase(.identity(3)))
    let before = fixture.memory?.operationCount ?? 0
    for number in 10..<20 { fixture.append(log, number, identity: 3) }
    #expect((fixture.memory?.operationCount ?? 0) - before <= 11, "one new segment, and a write for each event")
    #expect(log.drain() == Array(0..<20))
  }
}
