import Foundation
import TernEvents
import TernTestSupport
import Testing

@testable import TernLog

@Suite struct `A device that loses power` {
  private func makeFixture(_ durability: Durability, segmentBytes: Int = 2 << 10) -> LogFixture {
    let fixture = LogFixture()
    fixture.configuration.durability = durability
    fixture.configuration.segmentBytes = segmentBytes
    return fixture
  }

  /// Events belong to five identities, a few at a time.
  private func identity(_ number: Int) -> UInt32 { UInt32(number / 7 % 5) }

  private func found(_ log: EventLog) -> [Int] {
    guard let claim = log.claim(maximumEvents: 10_000, maximumBytes: .max) else { return [] }
    #expect(claim.isGenuine)
    log.settle(claim.id, .returned)
    return claim.numbers
  }

  @Test(arguments: 0..<10 as Range<UInt64>, [Durability.onBackgroundAndCritical, .everyBatch])
  func `has no erased events, neither its own nor those of dead processes`(seed: UInt64, durability: Durability) throws
  {
    let fixture = makeFixture(durability)
    let first = try fixture.open()
    let second = try fixture.open()
    for number in 0..<20 { fixture.append(number < 10 ? first : second, number) }
    first.synchronize()
    second.synchronize()
    second.close()
    first.erase()
    fixture.memory?.losePower(seed: seed)
    #expect(found(try fixture.open()).isEmpty)
  }

  @Test(arguments: 0..<60) func `has every event stored before a flush returned`(seed: UInt64) throws {
    var generator = FastGenerator(seed: seed)
    let fixture = makeFixture(.onBackgroundAndCritical, segmentBytes: (1 << 10) << Int(generator.next() % 4))
    var logs = [try fixture.open()]
    var number = 0
    var owed: Set<Int> = []
    var unflushed: Set<Int> = []
    var mayReturn: Set<Int> = []
    for step in 0..<120 {
      let log = logs[logs.count - 1]
      switch generator.next() % 10 {
      case 0..<5:
        for _ in 0...generator.next() % 8 {
          let lane: Lane = generator.next() % 4 == 0 ? .critical : .normal
          fixture.append(log, number, lane: lane, bytes: Int(generator.next() % 400), identity: identity(number))
          unflushed.insert(number)
          number += 1
        }
      case 5, 6:
        guard let claim = log.claim(Int(generator.next() % 20) + 1) else { continue }
        log.settle(claim.id, .delivered)
        mayReturn.formUnion(claim.numbers)
        owed.subtract(claim.numbers)
        unflushed.subtract(claim.numbers)
      case 7:
        log.synchronize()
        owed.formUnion(unflushed)
        unflushed = []
      case 8:
        guard generator.next() % 3 == 0 else { continue }
        let identity = UInt32(generator.next() % 5)
        // On the medium when it returns, independent of earlier flushes.
        #expect(log.erase(.identity(identity)))
        owed = owed.filter { self.identity($0) != identity }
        unflushed = unflushed.filter { self.identity($0) != identity }
        mayReturn = mayReturn.filter { self.identity($0) != identity }
      default:
        guard generator.next() % 3 == 0 else { continue }
        fixture.memory?.losePower(seed: generator.next())
        logs.append(try fixture.open())
        let numbers = found(logs[logs.count - 1])
        let place: Comment = "seed \(seed), step \(step)"
        #expect(Set(numbers).count == numbers.count, place)
        #expect(owed.subtracting(numbers).count == 0, "\(owed.subtracting(numbers).sorted().prefix(9)), \(place)")
        let back = Set(numbers).subtracting(owed).subtracting(unflushed).subtracting(mayReturn)
        #expect(back.count == 0, "\(back.sorted().prefix(9)), \(place)")
        // The surviving events are on the medium.
        owed = Set(numbers)
        unflushed = []
      }
    }
  }

  @Test(arguments: 0..<20) func `has every event that was handed out if each batch is flushed`(seed: UInt64) throws {
    let fixture = makeFixture(.everyBatch)
    let log = try fixture.open()
    for number in 0..<40 { fixture.append(log, number) }
    let claim = try #require(log.claim(10))
    for number in 40..<60 { fixture.append(log, number) }
    fixture.memory?.losePower(seed: seed)
    let again = try fixture.open()
    #expect(Set(found(again)).isSuperset(of: 0..<40), "the events of the batch, and those that waited behind it")
    #expect(claim.records.count == 10)
    withExtendedLifetime(log) {}
  }

  @Test(arguments: 0..<20)
  func `has the events of earlier processes that were handed out, even those of adopted logs`(seed: UInt64) throws {
    let fixture = makeFixture(.everyBatch)
    let (first, second) = (try fixture.open(), try fixture.open())
    for number in 0..<40 { fixture.append(number < 25 ? first : second, number) }
    // Their bytes are in the kernel only.
    fixture.memory?.killProcess()
    let log = try fixture.open()
    #expect(log.claim(3) != nil)
    fixture.memory?.losePower(seed: seed)
    #expect(Set(found(try fixture.open())) == Set(0..<40))
    withExtendedLifetime((first, second, log)) {}
  }

  @Test(arguments: 0..<20) func `has the events of files that were restored before a flush`(seed: UInt64) throws {
    let fixture = makeFixture(.onBackgroundAndCritical, segmentBytes: 64 << 10)
    let log = try fixture.open()
    for number in 0..<20 { fixture.append(log, number) }
    log.synchronize()
    let path = try #require(fixture.memory?.paths.first { $0.hasSuffix(".seg") })
    try fixture.fileSystem.remove(path)
    fixture.clock.advance(by: .seconds(2))
    // Finds that the file is gone, and restores it.
    #expect(log.erase(.identity(1000)))
    log.synchronize()
    fixture.memory?.losePower(seed: seed)
    #expect(Set(found(try fixture.open())) == Set(0..<20))
    withExtendedLifetime(log) {}
  }

  @Test(arguments: 0..<30) func `erases nothing else because of a torn list of erasures`(seed: UInt64) throws {
    let fixture = makeFixture(.onBackgroundAndCritical)
    let log = try fixture.open()
    for number in 0..<40 { fixture.append(log, number, identity: identity(number)) }
    log.synchronize()
    // The first file of identity 3 cannot be removed, and power is lost during the erasure.
    fixture.memory?.setScript { operation in
      let isFlushOfNames = operation.kind == .synchronize && operation.path.hasSuffix("log-0")
      return isFlushOfNames || [.remove, .truncate].contains(operation.kind) ? .fail(errno: EIO) : nil
    }
    #expect(!log.erase(.identity(3)))
    fixture.memory?.setScript(nil)
    fixture.memory?.losePower(seed: seed)
    let numbers = Set(found(try fixture.open()))
    #expect(numbers.isSuperset(of: (0..<40).filter { identity($0) != 3 }))
    withExtendedLifetime(log) {}
  }

  @Test func `may have no events, without a crash, if nothing is ever flushed`() throws {
    var least = Int.max
    for seed in 0..<40 {
      let fixture = makeFixture(.never)
      let log = try fixture.open()
      for number in 0..<60 { fixture.append(log, number) }
      log.synchronize()
      _ = log.claim(5)
      fixture.memory?.losePower(seed: UInt64(seed))
      let again = try fixture.open()
      let numbers = found(again)
      #expect(numbers == numbers.sorted())
      least = min(least, numbers.count)
      fixture.append(again, 100)
      #expect(found(again).last == 100)
      withExtendedLifetime(log) {}
    }
    #expect(least == 0)
  }
}
