import Foundation
import TernBase
import TernEvents
import TernTestSupport
import Testing

@testable import TernLog

@Suite struct `The search for single events` {
  private func ids(_ numbers: [Int]) -> Set<UniqueID> { Set(numbers.map { LogFixture.id($0) }) }

  @Test func `reads the backlog only once, however much is evicted`() throws {
    let fixture = LogFixture()
    fixture.configuration.maximumBytes = 64 << 10
    let log = try fixture.open()
    var number = 0
    while log.counts.droppedTotal == 0 {
      fixture.append(log, number)
      number += 1
    }
    let asked = ids([number / 2, number - 1])
    #expect(log.remaining(of: asked) == Remaining(found: asked))
    let reads = Locked(0)
    for step in 0..<50 {
      fixture.append(log, number + step)
      fixture.memory?.setScript { operation in
        if operation.kind == .read || operation.kind == .open { reads.withLock { $0 += 1 } }
        return nil
      }
      #expect(log.remaining(of: asked) == Remaining(found: asked))
      fixture.memory?.setScript(nil)
    }
    #expect(log.counts.droppedTotal > 40)
    #expect(reads.withLock { $0 } == 0)
  }

  /// The truth is the result of a claim of everything.
  @Test(arguments: 0..<12 as Range<UInt64>)
  func `always agrees with the content of the log`(seed: UInt64) throws {
    var generator = FastGenerator(seed: seed)
    let fixture = LogFixture()
    fixture.configuration.maximumBytes = 24 << 10
    fixture.configuration.segmentBytes = 2 << 10
    let log = try fixture.open()
    var number = 0
    var asked: Set<UniqueID> = []
    var claims: [LogClaim] = []
    for _ in 0..<150 {
      switch Int.random(in: 0..<10, using: &generator) {
      case 0..<5:
        for _ in 0..<Int.random(in: 1...12, using: &generator) {
          let lane: Lane = generator.next() % 4 == 0 ? .critical : .normal
          fixture.append(
            log, number, lane: lane, bytes: Int.random(in: 50...400, using: &generator), identity: UInt32(number % 3))
          if generator.next() % 5 == 0 { asked.insert(LogFixture.id(number)) }
          number += 1
        }
      case 5, 6:
        if let claim = log.claim(Int.random(in: 1...20, using: &generator)) { claims.append(claim) }
      case 7:
        if let claim = claims.popLast() {
          let half = Set(claim.records.map(\.id).filter { $0.low % 2 == 0 })
          log.settle(
            claim.id,
            [.delivered, .returned, .partly(delivered: half, dropped: [:])].randomElement(using: &generator)
              ?? .returned)
        }
      case 8 where generator.next() % 4 == 0: log.erase(.identity(1))
      default: break
      }
      let remaining = log.remaining(of: asked).found
      // The truth comes from a copy of the files, which differs only in that no claim is open.
      let copy = try #require(fixture.memory?.copy())
      var roomy = fixture.configuration
      roomy.maximumBytes = 10 << 20
      let other = try EventLog(roomy, fileSystem: copy, clock: fixture.clock)
      let truth = Set(other.claim(maximumEvents: .max, maximumBytes: .max)?.records.map(\.id) ?? [])
      #expect(remaining == asked.intersection(truth), "seed \(seed)")
      asked = remaining
    }
  }
}
