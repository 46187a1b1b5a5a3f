import TernEvents
import TernTestSupport
import Testing

@testable import TernLog

/// Runs random operations on a log and on a plain list as the oracle.
@Suite struct `A log and a plain list` {
  private struct Model {
    /// Waiting events by lane, oldest first.
    var waiting: [Lane: [Int]] = [.normal: [], .critical: []]
    var claims: [(claim: LogClaim, numbers: [(Int, Lane)])] = []

    mutating func giveBack(_ returned: [(Int, Lane)]) {
      for (number, lane) in returned { waiting[lane, default: []].append(number) }
      for lane in Lane.allCases { waiting[lane, default: []].sort() }
    }

    /// Events belong to four identities, a few at a time.
    static func identity(_ number: Int) -> UInt32 { UInt32(number / 5 % 4) }

    /// Removes the events of one identity, including claimed ones; returns their number.
    mutating func erase(_ identity: UInt32) -> Int {
      let before = count
      for lane in Lane.allCases { waiting[lane, default: []].removeAll { Self.identity($0) == identity } }
      for index in claims.indices { claims[index].numbers.removeAll { Self.identity($0.0) == identity } }
      return before - count
    }

    private var count: Int {
      waiting.values.reduce(0) { $0 + $1.count } + claims.reduce(0) { $0 + $1.numbers.count }
    }

    mutating func take(_ count: Int) -> [(Int, Lane)] {
      var taken: [(Int, Lane)] = []
      for lane in [Lane.critical, .normal] {
        let part = waiting[lane, default: []].prefix(count - taken.count)
        waiting[lane, default: []].removeFirst(part.count)
        taken += part.map { ($0, lane) }
      }
      return taken
    }
  }

  @Test(arguments: 0..<40) func `agree after any sequence of operations`(seed: UInt64) throws {
    var generator = FastGenerator(seed: seed)
    let fixture = LogFixture()
    fixture.configuration.segmentBytes = (1 << 10) << Int(generator.next() % 4)
    var log = try fixture.open()
    var model = Model()
    var number = 0
    var erased = 0
    for step in 0..<250 {
      switch generator.next() % 21 {
      case 0..<9:
        for _ in 0...generator.next() % 12 {
          let lane: Lane = generator.next() % 4 == 0 ? .critical : .normal
          fixture.append(
            log, number, lane: lane, bytes: Int(generator.next() % 500), identity: Model.identity(number))
          model.waiting[lane, default: []].append(number)
          number += 1
        }
      case 9..<13:
        let count = Int(generator.next() % 20) + 1
        let isBlocked = log.counts.isClaimLimitReached
        // Whole segments, so it may be fewer.
        let claim = log.claim(count)
        let taken = model.take(claim?.records.count ?? 0)
        #expect(claim?.numbers ?? [] == taken.map(\.0), "seed \(seed), step \(step)")
        #expect(taken.count <= count && claim?.isGenuine ?? true, "seed \(seed), step \(step)")
        let isAnyLeft = model.waiting.values.contains { !$0.isEmpty }
        #expect(claim != nil || isBlocked || !isAnyLeft, "seed \(seed), step \(step)")
        if let claim { model.claims.append((claim, taken)) }
      case 13..<18:
        guard !model.claims.isEmpty else { continue }
        let index = Int(generator.next() % UInt64(model.claims.count))
        settle(&model, log, index, &generator)
      case 18:
        // A clean restart or a kill: settled events stay settled after both.
        if generator.next() % 2 == 0 { log.close() } else { fixture.memory?.killProcess() }
        log = try fixture.open()
        for (_, numbers) in model.claims { model.giveBack(numbers) }
        model.claims = []
      case 19:
        let identity = UInt32(generator.next() % 4)
        erased += model.erase(identity)
        #expect(log.erase(.identity(identity)), "seed \(seed), step \(step)")
      default:
        log.synchronize()
      }
      #expect(log.counts.waiting == model.waiting.values.reduce(0) { $0 + $1.count }, "seed \(seed), step \(step)")
      #expect(log.counts.claimed == model.claims.reduce(0) { $0 + $1.numbers.count }, "seed \(seed), step \(step)")
      #expect(log.counts.balances, "seed \(seed), step \(step)")
    }
    #expect(log.counts.dropped[.erased, default: 0] == erased, "seed \(seed)")
    #expect(Set(log.counts.dropped.keys).isSubset(of: [.rejected, .erased]))
  }

  private func settle(_ model: inout Model, _ log: EventLog, _ index: Int, _ generator: inout FastGenerator) {
    let (claim, numbers) = model.claims.remove(at: index)
    switch generator.next() % 4 {
    case 0, 1: log.settle(claim.id, .delivered)
    case 2:
      log.settle(claim.id, .returned)
      model.giveBack(numbers)
    default:
      var delivered: Set<UniqueID> = []
      var dropped: [UniqueID: DropReason] = [:]
      var returned: [(Int, Lane)] = []
      for (number, lane) in numbers {
        switch generator.next() % 3 {
        case 0: delivered.insert(LogFixture.id(number))
        case 1: dropped[LogFixture.id(number)] = .rejected
        default: returned.append((number, lane))
        }
      }
      log.settle(claim.id, .partly(delivered: delivered, dropped: dropped))
      model.giveBack(returned)
    }
  }

  @Test(arguments: 0..<40) func `a tight limit is always kept, and every event is accounted for`(
    seed: UInt64
  ) throws {
    var generator = FastGenerator(seed: seed)
    let fixture = LogFixture()
    fixture.configuration.maximumBytes = 24 << 10
    let log = try fixture.open()
    var limit = 24 << 10
    var claims: [LogClaim] = []
    var appended = 0
    var delivered = 0
    for step in 0..<600 {
      switch generator.next() % 16 {
      case 0..<11:
        fixture.append(
          log, appended, lane: generator.next() % 3 == 0 ? .critical : .normal, bytes: Int(generator.next() % 1500))
        appended += 1
      case 11, 12:
        if claims.count < 3, let claim = log.claim(Int(generator.next() % 12) + 1) { claims.append(claim) }
      case 13, 14:
        guard let claim = claims.popLast() else { continue }
        let isDelivered = generator.next() % 2 == 0
        log.settle(claim.id, isDelivered ? .delivered : .returned)
        if isDelivered { delivered += claim.records.count }
      default:
        limit = (24 << 10) + Int(generator.next() % (40 << 10))
        log.setMaximumBytes(limit)
      }
      let counts = log.counts
      let drops = counts.dropped.values.reduce(0, +)
      #expect(appended == counts.waiting + counts.claimed + delivered + drops, "seed \(seed), step \(step)")
      #expect(appended == counts.tracked && delivered == counts.delivered, "seed \(seed), step \(step)")
      let heldBack = counts.claimed > 0
      #expect(heldBack || counts.bytes <= limit, "seed \(seed), step \(step)")
      #expect(heldBack || (fixture.memory?.totalBytes ?? 0) <= limit, "seed \(seed), step \(step)")
      let waiting = log.counts.waiting
      if step == 599 {
        claims.forEach { log.settle($0.id, .returned) }
        #expect(log.drain().count >= waiting)
      }
    }
  }
}
