import Testing

@testable import Threads

/// The order of jobs.
@Suite struct FairQueueTests {
  @Test func `among owners who have used nothing, the first to come is the first`() {
    var queue = FairQueue<Owner, Int>(FairQueueLimits(runningPerOwner: 1))
    for number in 0..<40 { _ = queue.add(number, owners: number % 3 == 0 ? [] : [.client("\(number)")]) }
    #expect((0..<40).map { _ in queue.next(at: .zero)?.job } == Array(0..<40))
    #expect(queue.waiting == 0 && queue.running == 40)
  }

  @Test func `the owners who have recently used the least time come first`() {
    var queue = FairQueue<Owner, String>()
    func next(at now: Duration = .zero) -> String? { queue.next(at: now)?.job }
    _ = queue.add("greedy 1", owners: [.client("a"), .app(1)])
    #expect(next() == "greedy 1")
    queue.finished([.client("a"), .app(1)], cost: .seconds(1), at: .zero)
    _ = queue.add("greedy 2", owners: [.client("a"), .app(1)])
    _ = queue.add("same app", owners: [.client("b"), .app(1)])
    _ = queue.add("same client", owners: [.client("a"), .app(2)])
    _ = queue.add("other", owners: [.client("c"), .app(3)])
    #expect(next() == "other")
    #expect(
      Set([next(), next()]) == ["same app", "same client"],
      "one of their owners has used time, of the last one both have")
    #expect(next() == "greedy 2")
    #expect(next() == nil)
  }

  @Test func `used time is soon forgotten`() {
    var queue = FairQueue<Owner, String>()
    func next(at now: Duration = .zero) -> String? { queue.next(at: now)?.job }
    for (app, cost, at) in [(Int64(1), Duration.seconds(8), Duration.zero), (2, .seconds(1), .seconds(4))] {
      _ = queue.add("first", owners: [.app(app)])
      _ = next(at: at)
      queue.finished([.app(app)], cost: cost, at: at)
    }
    _ = queue.add("long ago", owners: [.app(1)])
    _ = queue.add("just now", owners: [.app(2)])
    #expect(next(at: .seconds(4)) == "long ago", "8 s halved four times are less than 1 s")
  }

  @Test func `owners whose jobs take time take turns, however many jobs one of them has`() {
    var queue = FairQueue<Owner, String>(FairQueueLimits(running: 1))
    for _ in 1...3 { _ = queue.add("a", owners: [.client("a")]) }
    for _ in 1...2 { _ = queue.add("b", owners: [.client("b")]) }
    var order: [String] = []
    while let turn = queue.next(at: .zero) {
      order.append(turn.job)
      let second = queue.next(at: .zero)
      #expect(second == nil, "one at a time")
      queue.finished(turn.owners, cost: .seconds(1), at: .zero)
    }
    #expect(order == ["a", "b", "a", "b", "a"])
  }

  @Test func `an owner has a bounded number of running jobs, in order of arrival`() {
    var queue = FairQueue<Owner, Int>(FairQueueLimits(runningPerOwner: 2))
    func next() -> Int? { queue.next(at: .zero)?.job }
    for number in 0..<4 { _ = queue.add(number, owners: [.client("\(number % 2)"), .app(1)]) }
    _ = queue.add(9, owners: [.app(2)])
    var jobs = [next(), next(), next()].compactMap(\.self)
    #expect(jobs.contains(9) && jobs.count == 3)
    #expect(next() == nil, "two of app 1 are running")
    queue.finished([.client("0"), .app(1)], cost: .zero, at: .zero)
    jobs += [next()].compactMap(\.self)
    queue.finished([.client("1"), .app(1)], cost: .zero, at: .zero)
    jobs += [next()].compactMap(\.self)
    #expect(Set(jobs) == [0, 1, 2, 3, 9])
    for (first, later) in [(0, 2), (1, 3)] {
      #expect((jobs.firstIndex(of: first) ?? 9) < (jobs.firstIndex(of: later) ?? -1))
    }
  }

  @Test func `too many waiting jobs are refused, of one owner and of all`() throws {
    var queue = FairQueue<Owner, Int>(FairQueueLimits(waiting: 4, waitingPerOwner: 2))
    func add(_ number: Int, _ owners: Owner...) -> Int? { queue.add(number, owners: owners) }
    let first = try #require(add(0, .client("a"), .app(1)))
    #expect(add(1, .client("b"), .app(1)) != nil)
    #expect(add(2, .client("c"), .app(1)) == nil, "two of app 1 are waiting")
    #expect(add(3, .client("a"), .app(2)) != nil)
    #expect(add(4, .client("d")) != nil)
    #expect(add(5, .client("e")) == nil, "four are waiting")
    func abandon(_ ticket: Int) -> Int? { queue.abandon(ticket) }
    #expect(abandon(first) == 0)
    #expect(abandon(first) == nil)
    #expect(add(6, .client("c"), .app(1)) != nil)
  }

  @Test(arguments: 0..<50) func `every job runs once or is abandoned, whatever happens`(seed: UInt64) {
    var generator = Generator(state: seed)
    let limits = FairQueueLimits(
      running: .random(in: 1...4, using: &generator), runningPerOwner: .random(in: 1...2, using: &generator),
      waiting: .random(in: 1...20, using: &generator), waitingPerOwner: .random(in: 1...10, using: &generator))
    var queue = FairQueue<Owner, Int>(limits)
    var (waiting, running): ([Int: Int], [FairQueue<Owner, Int>.Turn]) = ([:], [])
    for number in 0..<500 {
      let now = Duration.milliseconds(number)
      switch Int.random(in: 0..<8, using: &generator) {
      case 0..<4:
        let owners = [Owner.app(.random(in: 0..<3, using: &generator)), .client("\(number % 2)")]
        if let ticket = queue.add(number, owners: owners) { waiting[ticket] = number }
      case 4, 5:
        guard let turn = queue.next(at: now) else { break }
        let job = waiting.removeValue(forKey: turn.ticket)
        #expect(job == turn.job)
        running.append(turn)
      case 6:
        guard let index = running.indices.randomElement(using: &generator) else { break }
        let cost = Duration.milliseconds(.random(in: 0...50, using: &generator))
        queue.finished(running.remove(at: index).owners, cost: cost, at: now)
      default:
        guard let ticket = waiting.keys.sorted().randomElement(using: &generator) else { break }
        let (job, known) = (queue.abandon(ticket), waiting.removeValue(forKey: ticket))
        #expect(job == known)
      }
      #expect(queue.waiting == waiting.count && queue.running == running.count)
      #expect(running.count <= limits.running && waiting.count <= limits.waiting)
      let owners = Dictionary(grouping: running.flatMap(\.owners), by: \.self)
      #expect(owners.values.allSatisfy { $0.count <= limits.runningPerOwner })
    }
    // With nothing running, every waiting job comes to its turn.
    for turn in running { queue.finished(turn.owners, cost: .zero, at: .seconds(1)) }
    while let turn = queue.next(at: .seconds(1)) {
      let job = waiting.removeValue(forKey: turn.ticket)
      #expect(job == turn.job)
      queue.finished(turn.owners, cost: .zero, at: .seconds(1))
    }
    #expect(waiting.isEmpty && queue.waiting == 0 && queue.running == 0)
  }

  /// SplitMix64.
  private struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
      return mixed ^ mixed >> 31
    }
  }
}
