import HTTPTypes
import HummingbirdTesting
import Ingest
import NIOCore
import Testing
import Warehouse

@testable import Collector

/// Tests that reports do not hold up ingestion, and that no app or client holds up the others.
@Suite struct FairnessTests {
  /// A native body that is too large to be parsed immediately.
  private func largeBody() -> ByteBuffer {
    ByteBuffer(string: (1...400).map { line("Large", id: $0) }.joined(separator: "\n"))
  }

  @Test(.timeLimit(.minutes(30)))
  func `batches are stored while every report blocks its thread`() async throws {
    let fixture = try Fixture(CollectorSettings(limits: CollectorLimits(maximumReportWait: .zero)))
    let limit = fixture.settings.limits.maximumConcurrentReports
    fixture.warehouse.reports.close()
    try await fixture.routed { client in
      try await withThrowingTaskGroup(of: HTTPResponse.Status.self) { group in
        // When both shared threads, as many blocked reports as processors also blocked the decoding of larger bodies.
        for _ in 0..<limit {
          group.addTask {
            try await client.execute(
              uri: "/api/v1/apps/1/reports/events", method: .get, headers: fixture.authorized
            ).status
          }
        }
        await fixture.warehouse.reports.blocks(limit)
        // Further reports are rejected instead of blocking more threads.
        for _ in 0..<System.coreCount * 2 {
          let busy = try await client.execute(
            uri: "/api/v1/apps/1/reports/events", method: .get, headers: fixture.authorized)
          #expect(busy.status == .serviceUnavailable)
          #expect(busy.headers[.retryAfter] == "5")
          #expect(try error(busy)["code"] as? String == "too_many_reports")
        }
        let stored = try await client.execute(
          uri: "/v1/events", method: .post, headers: fixture.keyed, body: largeBody())
        #expect(stored.status == .ok)
        #expect(fixture.warehouse.names.count == 400)
        fixture.warehouse.reports.open()
        for try await status in group { #expect(status == .ok) }
      }
    }
  }

  @Test(.timeLimit(.minutes(30)))
  func `compressed bodies are decoded apart from requests, however small they are`() async throws {
    let fixture = try Fixture()
    let ingestion = Ingestion(
      fixture.dependencies,
      reader: BodyReader(
        gate: AdmissionGate(fixture.settings.limits), limits: fixture.settings.limits, metrics: CollectorMetrics()),
      live: LiveHub(), usage: UsageGate(fixture.dependencies, addressLimits: .address))
    // One stored block that contains a space.
    let compressed = ByteBuffer(bytes: [1, 1, 0, 0xFE, 0xFF, 0x20])
    for (bytes, encoding, isApart) in [
      (compressed, "deflate", true), (ByteBuffer(repeating: 0x20, count: 64 << 10), nil, false),
      (ByteBuffer(repeating: 0x20, count: 64 << 10 + 1), nil, true),
    ] {
      let reservation = try #require(ingestion.reader.gate.reserve(bytes.readableBytes, owners: []))
      let body = BodyReader.Body(bytes: bytes, owners: [.app(1)], reservation: reservation)
      let limits = IngestLimits.native
      // Only a thread of a task has a current task.
      let hasTask = try await ingestion.parse(body, encoding: encoding, limits: limits) { _ in
        withUnsafeCurrentTask { $0 != nil }
      }
      #expect(hasTask == !isApart)
    }
  }

  @Test(.timeLimit(.minutes(30)))
  func `an app that keeps its threads busy leaves one to the others`() async throws {
    let pool = FairThreads(threads: 3)
    let blockade = Blockade(isClosed: true)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<20 {
        group.addTask { try await pool.run(for: [.client("\(number)"), .app(1)]) { blockade.pass() } }
      }
      await blockade.blocks(2)
      let other = try await pool.run(for: [.client("a"), .app(2)]) { "decoded" }
      #expect(other == "decoded")
      blockade.open()
      try await group.waitForAll()
    }
  }

  @Test(.timeLimit(.minutes(30)))
  func `an owner with too much waiting work is refused, and another one's work runs next`() async throws {
    let threads = FairThreads(threads: 2, maximumWaiting: 2)
    let blockade = Blockade(isClosed: true)
    try await withThrowingTaskGroup(of: Void.self) { group in
      // One runs, because one thread is left for others; two wait.
      group.addTask { try await threads.run(for: [.client("a")]) { blockade.pass() } }
      await blockade.blocks(1)
      for _ in 0..<2 { group.addTask { try await threads.run(for: [.client("a")]) { blockade.pass() } } }
      while threads.waiting(of: [.client("a")]) < 2 { await Task.yield() }
      await #expect(throws: FairThreads.QueueFull.self) { try await threads.run(for: [.client("a")]) {} }
      #expect(try await threads.run(for: [.client("b")]) { "checked" } == "checked")
      blockade.open()
      try await group.waitForAll()
    }
  }

  @Test(.timeLimit(.minutes(30)))
  func `too much waiting work of many owners is refused`() async throws {
    let threads = FairThreads(threads: 2, maximumTotal: 6)
    let blockade = Blockade(isClosed: true)
    try await withThrowingTaskGroup(of: Void.self) { group in
      func add(_ owner: Int) {
        group.addTask { try await threads.run(for: [.client("\(owner)")]) { blockade.pass() } }
      }
      for owner in 0..<2 { add(owner) }
      await blockade.blocks(2)
      for owner in 2..<8 { add(owner) }
      while threads.waiting < 6 { await Task.yield() }
      await #expect(throws: FairThreads.QueueFull.self) { try await threads.run(for: [.client("new")]) {} }
      blockade.open()
      try await group.waitForAll()
    }
    #expect(try await threads.run(for: [.client("new")]) { "checked" } == "checked")
  }

  @Test func `among owners who have used nothing, the first to come is the first`() {
    var queue = FairQueue<Int>(maximumRunning: 1)
    for number in 0..<40 { queue.add(number, owners: [.client("\(number)")]) }
    #expect((0..<40).map { _ in queue.next(at: .zero)?.job } == Array(0..<40) && queue.count == 0)
  }

  @Test func `the owners who have recently used the least processor time come first`() {
    var queue = FairQueue<String>(maximumRunning: 8)
    func next(at now: Duration = .zero) -> String? { queue.next(at: now)?.job }
    queue.add("greedy 1", owners: [.client("a"), .app(1)])
    #expect(next() == "greedy 1")
    queue.finished([.client("a"), .app(1)], cost: .seconds(1), at: .zero)
    queue.add("greedy 2", owners: [.client("a"), .app(1)])
    queue.add("same app", owners: [.client("b"), .app(1)])
    queue.add("same client", owners: [.client("a"), .app(2)])
    queue.add("other", owners: [.client("c"), .app(3)])
    #expect(next() == "other")
    #expect(
      Set([next(), next()]) == ["same app", "same client"],
      "one of their owners has used time, of the last one both have")
    #expect(next() == "greedy 2")
    #expect(next() == nil)
  }

  @Test func `used processor time is soon forgotten`() {
    var queue = FairQueue<String>(maximumRunning: 8)
    func next(at now: Duration = .zero) -> String? { queue.next(at: now)?.job }
    for (app, cost, at) in [(Int64(1), Duration.seconds(8), Duration.zero), (2, .seconds(1), .seconds(4))] {
      queue.add("first", owners: [.app(app)])
      _ = next(at: at)
      queue.finished([.app(app)], cost: cost, at: at)
    }
    queue.add("long ago", owners: [.app(1)])
    queue.add("just now", owners: [.app(2)])
    #expect(next(at: .seconds(4)) == "long ago", "8 s halved four times are less than 1 s")
  }

  @Test func `an owner has a bounded number of running jobs, in order of arrival`() {
    var queue = FairQueue<Int>(maximumRunning: 2)
    func next() -> Int? { queue.next(at: .zero)?.job }
    for number in 0..<4 { queue.add(number, owners: [.client("\(number % 2)"), .app(1)]) }
    queue.add(9, owners: [.app(2)])
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

  @Test func `clients that wait for reports take turns`() {
    var queue = ReportQueue(maximumRunning: 1)
    func enter(_ ticket: Int, client: String) -> Bool { queue.enter(ticket, client: client) }
    func abandon(_ ticket: Int) -> Bool { queue.abandon(ticket) }
    func leave() -> Int? { queue.leave() }
    #expect(enter(0, client: "a"))
    for ticket in 1...3 { #expect(!enter(ticket, client: "a")) }
    #expect(!enter(4, client: "b"))
    #expect(!enter(5, client: "b"))
    #expect(abandon(2) && !abandon(2))
    #expect([leave(), leave(), leave(), leave()] == [1, 4, 3, 5])
    #expect(queue.running == 1)
    #expect(leave() == nil)
    #expect(queue.running == 0)
    #expect(!abandon(5))
  }

  @Test(.timeLimit(.minutes(30)))
  func `a report that is cancelled while it waits gives up its turn`() async throws {
    let scheduler = ReportScheduler(CollectorLimits(maximumConcurrentReports: 1), sleep: { _ in try await never() })
    let (release, continuation) = AsyncStream.makeStream(of: Void.self)
    let (started, start) = AsyncStream.makeStream(of: Void.self)
    async let first: Void = scheduler.run(for: "a") {
      start.yield()
      for await _ in release { return }
    }
    for await _ in started { break }
    let waiting = Task { try await scheduler.run(for: "b") { "never runs" } }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    continuation.yield()
    try await first
    #expect(try await scheduler.run(for: "b") { "runs" } == "runs")
  }
}

/// Waits until it is cancelled.
private func never() async throws {
  for await _ in AsyncStream<Void>.makeStream().stream {}
  throw CancellationError()
}
