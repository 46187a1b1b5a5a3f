import TernBase
import TernEvents
import TernTestSupport
import Testing

@testable import TernLog

/// A log under a changing limit, compared with lists of the events that may be evicted.
@Suite struct `A log under a changing limit and a plain list` {
  private struct Model {
    /// Waiting events by lane, oldest first, with their sizes.
    var waiting: [Lane: [(number: Int, bytes: Int)]] = [.normal: [], .critical: []]
    var claims: [(claim: LogClaim, events: [(number: Int, bytes: Int, lane: Lane)])] = []
    var evicted = 0
    var refused = 0

    func count(_ lane: Lane) -> Int { waiting[lane, default: []].count }
    func bytes(_ lane: Lane) -> Int { waiting[lane, default: []].reduce(0) { $0 + $1.bytes } }
    var claimedBytes: Int { claims.reduce(0) { $0 + $1.events.reduce(0) { $0 + $1.bytes } } }

    mutating func giveBack(_ events: [(number: Int, bytes: Int, lane: Lane)]) {
      for event in events { waiting[event.lane, default: []].append((event.number, event.bytes)) }
      for lane in Lane.allCases { waiting[lane, default: []].sort { $0.number < $1.number } }
    }

    /// Evicts the oldest of each lane until the counts match the log's.
    ///
    /// While claims are open it need not be the oldest: a segment of which a part is claimed stays.
    mutating func evict(to log: EventLog, _ place: Comment) {
      let counts = log.counts
      if !claims.isEmpty {
        let found = log.presentNumbers
        for lane in Lane.allCases {
          let before = count(lane)
          waiting[lane, default: []].removeAll { !found.contains($0.number) }
          evicted += before - count(lane)
        }
        return
      }
      let left: [Lane: Int] = [
        .critical: counts.waitingCritical, .normal: counts.waiting - counts.waitingCritical,
      ]
      for lane in Lane.allCases {
        let surplus = count(lane) - left[lane, default: 0]
        #expect(surplus >= 0, "more events than there can be, \(place)")
        waiting[lane, default: []].removeFirst(max(surplus, 0))
        evicted += max(surplus, 0)
        if lane == .critical, surplus > 0 {
          #expect(count(.normal) == 0, "a critical event was evicted before a normal one, \(place)")
        }
      }
    }
  }

  private static let recordBytes = RecordHeader.size

  /// Claims return exactly the events that the model allows, in the same order.
  @Test(arguments: 0..<24) func `agree on evictions, on refusals and on every byte`(seed: UInt64) throws {
    var generator = FastGenerator(seed: seed)
    let fixture = LogFixture()
    var limit = 24 << 10
    fixture.configuration.maximumBytes = limit
    fixture.configuration.segmentBytes = (1 << 10) << Int(generator.next() % 5)
    var log = try fixture.open()
    var model = Model()
    var number = 0
    for step in 0..<400 {
      let place: Comment = "seed \(seed), step \(step)"
      switch generator.next() % 20 {
      case 0..<12:
        // Occasionally many critical events, until they alone fill the log.
        let lane: Lane = (step / 100) % 2 == 1 || generator.next() % 4 == 0 ? .critical : .normal
        let bytes = Int(generator.next() % 1200)
        append(&model, log, fixture, (number, bytes + Self.recordBytes, lane), place)
        number += 1
      case 12, 13:
        guard model.claims.count < 3, let claim = log.claim(Int(generator.next() % 15) + 1) else { continue }
        take(&model, claim, place)
      case 14, 15, 16:
        guard !model.claims.isEmpty else { continue }
        let (claim, events) = model.claims.remove(at: Int(generator.next() % UInt64(model.claims.count)))
        let isReturned = generator.next() % 2 == 0
        if isReturned { model.giveBack(events) }
        log.settle(claim.id, isReturned ? .returned : .delivered)
        model.evict(to: log, place)
      case 17:
        guard generator.next() % 3 == 0 else { continue }
        if generator.next() % 2 == 0 { log.close() } else { log.synchronize() }
        log = try restart(&model, log, fixture, limit, place)
      default:
        // Often below the size of the critical events alone.
        limit = generator.next() % 2 == 0 ? 24 << 10 : (24 << 10) + Int(generator.next() % (64 << 10))
        log.setMaximumBytes(limit)
        model.evict(to: log, place)
      }
      check(model, log, fixture, limit, place)
    }
    log.synchronize()
    log = try restart(&model, log, fixture, limit, "seed \(seed), at the end")
    let expected = [Lane.critical, .normal].flatMap { model.waiting[$0, default: []].map(\.number) }
    #expect(log.drain() == expected, "seed \(seed)")
  }

  private func append(
    _ model: inout Model, _ log: EventLog, _ fixture: LogFixture, _ event: (number: Int, bytes: Int, lane: Lane),
    _ place: Comment
  ) {
    let before = log.counts
    let wasAlive = model.bytes(.normal) + model.bytes(.critical) + model.claimedBytes
    let limits = log.state.withLock { (limit: $0.maximumBytes, segment: $0.segmentLimit) }
    let outcome = fixture.append(
      log, event.number, lane: event.lane, bytes: event.bytes - Self.recordBytes)
    if case .stored = outcome {
      model.waiting[event.lane, default: []].append((event.number, event.bytes))
      // No event is evicted while there is room: each file has a header, and the space of one file may be used twice.
      let headers = (wasAlive / limits.segment * 2 + 6) * LogFixture.headerBytes
      if wasAlive + event.bytes + headers + 3 * (limits.segment + 1264) < limits.limit {
        #expect(log.counts.dropped == before.dropped, "there was room, \(place)")
      }
      model.evict(to: log, place)
      if event.lane == .normal {
        #expect(log.counts.waitingCritical == before.waitingCritical, "for a normal event, \(place)")
      }
      return
    }
    #expect(outcome == .dropped(.queueFull), place)
    #expect(log.counts.waiting == before.waiting, "evicted without making room, \(place)")
    // Only if the events that may be evicted would not make room.
    #expect(!model.claims.isEmpty || event.lane == .normal && model.bytes(.critical) > 0, place)
    if model.claims.isEmpty {
      #expect(
        model.bytes(.normal) < event.bytes + limits.segment + LogFixture.headerBytes,
        "normal ones could be evicted, \(place)")
    }
    model.refused += 1
  }

  private func take(_ model: inout Model, _ claim: LogClaim, _ place: Comment) {
    var events: [(number: Int, bytes: Int, lane: Lane)] = []
    for lane in [Lane.critical, .normal] {
      let count = claim.records.count { $0.lane == lane }
      let part = model.waiting[lane, default: []].prefix(count)
      model.waiting[lane, default: []].removeFirst(part.count)
      events += part.map { ($0.number, $0.bytes, lane) }
    }
    #expect(claim.numbers == events.map(\.number), place)
    #expect(claim.isGenuine, place)
    model.claims.append((claim, events))
  }

  private func check(_ model: Model, _ log: EventLog, _ fixture: LogFixture, _ limit: Int, _ place: Comment) {
    let counts = log.counts
    #expect(counts.waiting == model.count(.normal) + model.count(.critical), place)
    #expect(counts.waitingCritical == model.count(.critical), place)
    #expect(counts.claimed == model.claims.reduce(0) { $0 + $1.events.count }, "never from a claim, \(place)")
    #expect(counts.dropped.values.reduce(0, +) == model.evicted + model.refused, place)
    #expect(counts.dropped[.queueFull, default: 0] == model.evicted + model.refused, place)
    #expect(counts.bytes <= limit || !model.claims.isEmpty, place)
    #expect((fixture.memory?.totalBytes ?? 0) <= counts.bytes, "the log's size is correct, \(place)")
  }

  private func restart(
    _ model: inout Model, _ old: EventLog, _ fixture: LogFixture, _ limit: Int, _ place: Comment
  ) throws -> EventLog {
    for (_, events) in model.claims { model.giveBack(events) }
    model.claims = []
    fixture.memory?.killProcess()
    fixture.configuration.maximumBytes = limit
    let log = try fixture.open()
    model.evict(to: log, place)
    check(model, log, fixture, limit, place)
    withExtendedLifetime(old) {}
    return log
  }

  @Test func `agree that a limit below the size of critical events evicts the oldest unclaimed ones`() throws {
    let fixture = LogFixture()
    fixture.configuration.maximumBytes = 256 << 10
    let log = try fixture.open()
    for number in 0..<300 { fixture.append(log, number, lane: .critical, bytes: 400) }
    for number in 300..<400 { fixture.append(log, number, bytes: 400) }
    let claim = try #require(log.claim(100))
    log.setMaximumBytes(24 << 10)
    #expect(log.counts.claimed == claim.records.count)
    #expect(log.counts.waiting == 0, "the claim alone exceeds the limit")
    #expect(fixture.append(log, 400, lane: .critical, bytes: 400) == .dropped(.queueFull))
    log.settle(claim.id, .returned)
    #expect(log.counts.bytes <= 24 << 10)
    let kept = log.counts.waiting
    #expect(log.counts.waitingCritical == kept && kept >= 30)
    #expect(log.counts.dropped == [.queueFull: 401 - kept])
    #expect(log.drain() == claim.numbers.suffix(kept), "the newest of the remaining events")
  }

  @Test func `agree that a higher limit admits events immediately, even while claims are open`() throws {
    let fixture = LogFixture()
    fixture.configuration.maximumBytes = 24 << 10
    let log = try fixture.open()
    var number = 0
    while log.counts.dropped.isEmpty {
      fixture.append(log, number, lane: .critical, bytes: 400)
      number += 1
    }
    let claim = try #require(log.claim(1000))
    let before = log.counts.droppedTotal
    while log.counts.droppedTotal == before {
      fixture.append(log, number, bytes: 400)
      number += 1
    }
    let (waiting, critical) = (log.counts.waiting, log.counts.waitingCritical)
    let dropped = log.counts.droppedTotal
    log.setMaximumBytes(48 << 10)
    for more in 1...10 {
      #expect(
        fixture.append(log, 1000 + more, bytes: 400)
          == .stored(waiting: waiting + more, waitingCritical: critical, dropped: dropped))
    }
    log.setMaximumBytes(24 << 10)
    log.setMaximumBytes(48 << 10)
    #expect(log.counts.claimed == claim.records.count)
    log.settle(claim.id, .returned)
    #expect(log.counts.waiting >= claim.records.count)
  }
}
