import TernBase
import Testing

@testable import Threads

/// Asynchronous work that waits for its turn.
@Suite(.timeLimit(.minutes(30))) struct FairSchedulerTests {
  private struct Refused: Error {}

  /// Waits until it is cancelled.
  private static func never(_: Duration) async throws {
    for await _ in AsyncStream<Void>.makeStream().stream {}
    throw CancellationError()
  }

  private func scheduler(
    waiting: Int = .max, sleep: @escaping @Sendable (Duration) async throws -> Void = never
  ) -> FairScheduler<Owner> {
    FairScheduler(
      FairQueueLimits(running: 1, waiting: waiting), maximumWait: .seconds(10), refusal: Refused(), uptime: { .zero },
      sleep: sleep)
  }

  /// Runs `body` while the scheduler is busy.
  private func whileBusy(_ scheduler: FairScheduler<Owner>, _ body: () async throws -> Void) async throws {
    let (release, continuation) = AsyncStream.makeStream(of: Void.self)
    let (started, start) = AsyncStream.makeStream(of: Void.self)
    async let first: Void = scheduler.run(for: [.client("a")]) {
      start.yield()
      for await _ in release { return }
    }
    for await _ in started { break }
    try await body()
    continuation.yield()
    try await first
  }

  @Test func `work that is cancelled while it waits gives up its turn`() async throws {
    let scheduler = scheduler()
    try await whileBusy(scheduler) {
      let waiting = Task { try await scheduler.run(for: [.client("b")]) { "never runs" } }
      waiting.cancel()
      await #expect(throws: CancellationError.self) { try await waiting.value }
      #expect(scheduler.load == (1, 0))
    }
    #expect(try await scheduler.run(for: [.client("b")]) { "runs" } == "runs")
    #expect(scheduler.load == (0, 0))
  }

  @Test func `work that has waited too long is refused`() async throws {
    let scheduler = scheduler { #expect($0 == .seconds(10)) }
    try await whileBusy(scheduler) {
      await #expect(throws: Refused.self) { try await scheduler.run(for: [.client("b")]) {} }
    }
  }

  @Test func `work behind too much waiting work is refused, and the rest runs`() async throws {
    let scheduler = scheduler(waiting: 2)
    let ran = Locked(0)
    try await withThrowingTaskGroup(of: Void.self) { group in
      try await whileBusy(scheduler) { () async throws -> Void in
        for owner in ["b", "c"] {
          group.addTask { try await scheduler.run(for: [.client(owner)]) { ran.withLock { $0 += 1 } } }
        }
        while scheduler.load.waiting < 2 { await Task.yield() }
        await #expect(throws: Refused.self) { try await scheduler.run(for: [.client("d")]) {} }
        let small = try await scheduler.runNow { "small" }
        #expect(small == "small")
      }
      try await group.waitForAll()
    }
    #expect(ran.withLock { $0 } == 2)
  }

  @Test func `work that fails leaves its place to the next`() async throws {
    let scheduler = scheduler()
    await #expect(throws: CancellationError.self) { try await scheduler.run(for: []) { throw CancellationError() } }
    #expect(try await scheduler.run(for: []) { "runs" } == "runs")
  }
}
