import TernEvents
import TernTestSupport
import Testing

@testable import TernLog

@Suite struct `Critical events of a full log` {
  private static let payloadBytes = 400
  private static let recordBytes = payloadBytes + RecordHeader.size

  private func openFullLog(kibibytes: Int) throws -> (LogFixture, EventLog) {
    let fixture = LogFixture()
    fixture.configuration.maximumBytes = kibibytes << 10
    let log = try fixture.open()
    while log.counts.dropped.isEmpty { fixture.append(log, bytes: Self.payloadBytes) }
    return (fixture, log)
  }

  /// The number of critical events that must always fit: three eighths of the log.
  private func capacity(kibibytes: Int) -> Int { (kibibytes << 10) * 3 / 8 / Self.recordBytes }

  @Test(arguments: [24, 25, 30, 32, 48, 64, 100, 128, 256, 512, 1024, 10 << 10])
  func `outlast normal ones that stay in flight`(kibibytes: Int) throws {
    let (fixture, log) = try openFullLog(kibibytes: kibibytes)
    var claims: [LogClaim] = []
    while let claim = log.claim(500) { claims.append(claim) }
    #expect(log.counts.isClaimLimitReached)
    let count = capacity(kibibytes: kibibytes)
    for number in 1...count {
      fixture.append(log, lane: .critical, bytes: Self.payloadBytes)
      fixture.append(log, bytes: Self.payloadBytes)
      #expect(log.counts.waitingCritical == number)
    }
    #expect(log.counts.bytes <= kibibytes << 10)
    for claim in claims { log.settle(claim.id, .returned) }
    #expect(log.claim(count)?.records.count { $0.lane == .critical } ?? 0 > 0)
    #expect(log.counts.waitingCritical + log.counts.claimed >= count)
  }

  @Test(arguments: [24, 25, 32, 64, 100, 256, 512])
  func `outlast normal ones that are sent repeatedly`(kibibytes: Int) throws {
    let (fixture, log) = try openFullLog(kibibytes: kibibytes)
    var generator = FastGenerator(seed: UInt64(kibibytes))
    var claims: [LogClaim] = []
    let count = capacity(kibibytes: kibibytes)
    for number in 0..<count * 100 {
      fixture.append(log, lane: number % 100 == 0 ? .critical : .normal, bytes: Self.payloadBytes)
      if claims.count < 3, let claim = log.claim(500) { claims.append(claim) }
      if !claims.isEmpty, generator.next() % 50 == 0 {
        log.settle(claims.remove(at: Int(generator.next() % UInt64(claims.count))).id, .returned)
      }
    }
    for claim in claims { log.settle(claim.id, .returned) }
    #expect(log.counts.waitingCritical == count)
    #expect(log.counts.dropped.keys.map(\.description) == [DropReason.queueFull.description])
  }

  @Test func `can be claimed even if one event exceeds the size limit of claims`() throws {
    let fixture = LogFixture()
    fixture.configuration.maximumBytes = 24 << 10
    let log = try fixture.open()
    fixture.append(log, 1, bytes: 20 << 10)
    let claim = try #require(log.claim(10))
    #expect(claim.numbers == [1])
    fixture.append(log, 2)
    #expect(log.counts.isClaimLimitReached && log.claim(10) == nil)
    log.settle(claim.id, .delivered)
    #expect(!log.counts.isClaimLimitReached && log.claim(10)?.numbers == [2])
  }
}
