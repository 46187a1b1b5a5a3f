import Foundation
import TernBase
import TernEvents
import TernTestSupport
import Testing

@testable import TernLog

/// The code paths of a full log and of an adoption, with every single operation failing.
@Suite struct `A full log on a failing disk` {
  /// The log's answers, and its content when the process died.
  private struct Account {
    var stored = 0
    var refused = 0
    var delivered: Set<Int> = []
    var left: [Lane: [Int]] = [:]
    var counts = LogCounts()
  }

  private static let faults: [InMemoryFileSystem.Fault] = [
    .fail(errno: EIO), .fail(errno: ENOSPC), .fail(errno: EMFILE), .tear(bytes: 4), .tear(bytes: 100),
    .tearAndFail(bytes: 12, errno: EIO),
  ]

  /// Eviction, growing, shrinking with and without open claims, partial settling, spares, a log's end and its adoption.
  private func run(_ fixture: LogFixture) -> Account {
    var account = Account()
    var maybe = try? fixture.open()
    func append(_ log: EventLog, _ numbers: Range<Int>, criticalEach: Int) {
      for number in numbers {
        let lane: Lane = number % criticalEach == 0 ? .critical : .normal
        if case .stored = fixture.append(log, number, lane: lane, bytes: 300) {
          account.stored += 1
        } else {
          account.refused += 1
        }
      }
    }
    func deliver(_ log: EventLog, _ events: Int) {
      guard let claim = log.claim(events) else { return }
      // Every third event is returned, so that the others leave the segment before it.
      let delivered = claim.records.enumerated().filter { $0.offset % 3 != 0 }.map(\.element.id)
      log.settle(claim.id, .partly(delivered: Set(delivered), dropped: [:]))
      account.delivered.formUnion(delivered.map { Int($0.low) })
    }
    if let log = maybe {
      append(log, 0..<90, criticalEach: 5)
      deliver(log, 30)
      log.setMaximumBytes(48 << 10)
      append(log, 90..<150, criticalEach: 7)
      let held = log.claim(40)
      log.setMaximumBytes(24 << 10)
      append(log, 150..<160, criticalEach: 3)
      if let held { log.settle(held.id, .returned) }
      deliver(log, 20)
      log.close()
    }
    maybe = try? fixture.open()
    guard let log = maybe else { return account }
    append(log, 160..<200, criticalEach: 4)
    deliver(log, 10)
    // So that claims may hold the whole log.
    log.setMaximumBytes(10 << 20)
    // Twice, as one failure makes one attempt incomplete.
    for _ in 0..<2 {
      while let claim = log.claim(1000) {
        for record in claim.records { account.left[record.lane, default: []].append(Int(record.id.low)) }
      }
    }
    account.counts = log.counts
    fixture.memory?.killProcess()
    return account
  }

  private func makeFixture() -> LogFixture {
    let fixture = LogFixture()
    fixture.configuration.maximumBytes = 24 << 10
    return fixture
  }

  @Test func `takes each of those paths`() throws {
    let fixture = makeFixture()
    let kinds = Locked<Set<String>>([])
    fixture.memory?.setScript { operation in
      kinds.withLock { kinds in
        _ = kinds.insert(operation.kind.rawValue)
        if operation.path.contains("spare-") { kinds.insert("spare") }
      }
      return nil
    }
    let account = run(fixture)
    let expected: Set = ["write", "read", "rename", "truncate", "spare", "open"]
    #expect(kinds.withLock { $0 }.isSuperset(of: expected))
    #expect(account.stored > 150)
    #expect(account.counts.dropped[.queueFull, default: 0] > 50)
  }

  @Test(arguments: faults)
  func `keeps its counts and events, whichever operation fails`(fault: InMemoryFileSystem.Fault) throws {
    let faultless = makeFixture()
    _ = run(faultless)
    let operations = try #require(faultless.memory?.operationCount)
    let stride = environmentNumber("TERN_EVERY_FAULT") == nil ? 13 : 1
    for failing in Swift.stride(from: 1 + operations % stride, through: operations, by: stride) {
      let fixture = makeFixture()
      fixture.memory?.setScript { $0.number == failing ? fault : nil }
      let account = run(fixture)
      let place: Comment = "operation \(failing), \(fault)"
      fixture.memory?.setScript(nil)
      let log = try fixture.open()
      var found: [Lane: [Int]] = [:]
      while let claim = log.claim(1000) {
        #expect(claim.isGenuine, place)
        for record in claim.records { found[record.lane, default: []].append(Int(record.id.low)) }
        log.settle(claim.id, .delivered)
      }
      for lane in Lane.allCases {
        let numbers = found[lane, default: []]
        #expect(numbers == Array(Set(numbers)).sorted(), place)
        #expect(Set(account.left[lane, default: []]).subtracting(numbers).isEmpty, "lost, \(place)")
      }
      // The counts are those of the dead process; events that could not be voided come back.
      let known = Set(account.left.values.joined()).union(found.values.joined()).union(account.delivered)
      let drops = max(account.counts.dropped.values.reduce(0, +), log.counts.dropped.values.reduce(0, +))
      #expect(known.count + drops >= account.stored + account.refused, place)
      #expect(log.counts.bytes <= 24 << 10, place)
      fixture.memory?.killProcess()
    }
  }

  @Test func `is adopted without losing or repeating an event, whichever operation fails`() throws {
    let template = LogFixture()
    let first = try template.open()
    let second = try template.open()
    for number in 0..<4 { template.append(first, number) }
    for number in 4..<8 { template.append(second, number, lane: number % 2 == 0 ? .critical : .normal) }
    first.count(.disabled, 2)
    second.count(.disabled, 3)
    first.close()
    second.close()
    let memory = try #require(template.memory)
    for fault in Self.faults {
      for failing in 1...60 {
        let world = memory.copy()
        world.setScript { $0.number == failing ? fault : nil }
        let broken = try? EventLog(template.configuration, fileSystem: world, clock: template.clock)
        _ = broken?.claim(2)
        world.killProcess()
        world.setScript(nil)
        let log = try EventLog(template.configuration, fileSystem: world, clock: template.clock)
        #expect(log.drain().sorted() == Array(0..<8), "\(fault) at operation \(failing)")
        let counted = log.counts.dropped[.disabled, default: 0]
        #expect((5...8).contains(counted), "\(fault) at operation \(failing): \(counted)")
        withExtendedLifetime(broken) {}
      }
    }
  }

  @Test(arguments: faults)
  func `loses no event if opening fails at any operation`(
    fault: InMemoryFileSystem.Fault
  ) throws {
    let template = LogFixture()
    template.configuration.segmentBytes = 1 << 10
    var first = try template.open()
    for number in 0..<40 { template.append(first, number, lane: number % 3 == 0 ? .critical : .normal) }
    let claim = try #require(first.claim(12))
    first.settle(claim.id, .delivered)
    first.count(.disabled, 7)
    first.close()
    first = try template.open()
    let expected = try #require(first.claim(100)?.numbers)
    template.memory?.killProcess()
    let memory = try #require(template.memory)
    let operations = { () -> Int in
      let world = memory.copy()
      _ = try? EventLog(template.configuration, fileSystem: world, clock: template.clock)
      return world.operationCount
    }()
    for failing in 1...operations {
      let world = memory.copy()
      world.setScript { $0.number == failing ? fault : nil }
      let log = EventLog(unopened: template.configuration, fileSystem: world, clock: template.clock)
      try? log.open()
      world.setScript(nil)
      let place: Comment = "\(fault) at operation \(failing)"
      // A failed opening is repeated; segments that could not be read are read again after a second.
      try log.open()
      template.clock.advance(by: .seconds(1))
      let outcome = log.append(
        LogFixture.payload(100), id: LogFixture.id(100), time: template.clock.wallTime,
        uptimeMilliseconds: template.clock.uptime.wholeMilliseconds, lane: .normal,
        context: LogFixture.context(7))
      if case .dropped = outcome { Issue.record("not stored, \(place)") }
      log.count(.disabled, 1)
      log.synchronize()
      world.killProcess()
      let again = try EventLog(template.configuration, fileSystem: world, clock: template.clock)
      let found = try #require(again.claim(100)?.numbers)
      #expect(found == expected + [100], place)
      #expect(again.counts.dropped == [.disabled: 8], place)
      world.killProcess()
    }
  }
}
