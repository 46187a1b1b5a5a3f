import Tern
import TernTestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct `Sending in the background` {
  private let system = ScriptedBackgroundActivity()

  private func harness(_ transport: ScriptedTransport = ScriptedTransport()) throws -> TestHarness {
    try TestHarness(transport: transport, backgroundActivity: system)
  }

  /// Checks that background time was requested once and ended exactly once.
  private func expectBalance() {
    #expect(system.begun == 1 && system.ended == [1])
  }

  @Test func `continues until the queue is empty, including events recorded in the meantime`() async throws {
    let harness = try harness(ScriptedTransport(answers: [.hold]))
    let tern = try harness.client {
      $0.sessions = .manual
      $0.maximumBatchEvents = 2
      $0.maximumBatchesInFlight = 1
    }
    for number in 0..<4 { tern.track("E\(number)") }
    async let result = tern.sendInBackground()
    await harness.transport.request(number: 1)
    tern.track("Late")
    harness.transport.release()
    #expect(await result == BackgroundSendResult(ending: .finished, delivered: 5, left: 0))
    #expect(harness.transport.received.names == ["E0", "E1", "E2", "E3", "Late"])
    expectBalance()
    await tern.shutdown()
  }

  @Test func `ends immediately when there is nothing to send`() async throws {
    let harness = try harness()
    let tern = try harness.client { $0.sessions = .manual }
    #expect(await tern.sendInBackground() == BackgroundSendResult(ending: .finished))
    #expect(harness.transport.requests.isEmpty)
    expectBalance()
    await tern.shutdown()
  }

  @Test func `ends with the first failed request and returns the number of events left`() async throws {
    let harness = try harness(ScriptedTransport(answers: [.accept, .status(503)]))
    let tern = try harness.client {
      $0.sessions = .manual
      $0.maximumBatchEvents = 2
      $0.maximumBatchesInFlight = 1
    }
    for number in 0..<6 { tern.track("E\(number)") }
    let result = await tern.sendInBackground()
    guard case .failed(let error) = result.ending else {
      Issue.record("\(result)")
      return
    }
    #expect(error.code == .server && result.delivered == 2 && result.left == 4)
    expectBalance()
    await tern.shutdown()
  }

  @Test func `reports that there is no network`() async throws {
    let harness = try harness(ScriptedTransport { _ in .failure(.offline) })
    let tern = try harness.client { $0.sessions = .manual }
    tern.track("A")
    let result = await tern.sendInBackground()
    guard case .failed(let error) = result.ending else {
      Issue.record("\(result)")
      return
    }
    #expect(error.code == .offline && result.left == 1)
    expectBalance()
    await tern.shutdown()
  }

  @Test func `ends at the deadline but does not cancel the request in flight`() async throws {
    let harness = try harness(ScriptedTransport { _ in .hold })
    let tern = try harness.client { $0.sessions = .manual }
    tern.track("A")
    async let result = tern.sendInBackground(deadline: .seconds(20))
    await harness.transport.request(number: 1)
    await harness.clock.sleeping(until: harness.clock.uptime + .seconds(20))
    harness.clock.advance(by: .seconds(20))
    #expect(await result == BackgroundSendResult(ending: .deadlinePassed, left: 1))
    expectBalance()
    harness.transport.release()
    await tern.waitForStatus { $0.delivered == 1 }
    await tern.shutdown()
  }

  @Test func `ends when the system revokes its time`() async throws {
    let harness = try harness(ScriptedTransport { _ in .hold })
    let tern = try harness.client { $0.sessions = .manual }
    tern.track("A")
    async let result = tern.sendInBackground()
    await harness.transport.request(number: 1)
    system.expire()
    #expect(await result == BackgroundSendResult(ending: .expired, left: 1))
    expectBalance()
    system.expire()
    harness.transport.release()
    await tern.shutdown()
  }

  @Test func `ends immediately when the system grants no time`() async throws {
    let refusing = ScriptedBackgroundActivity(isGranting: false)
    let harness = try TestHarness(transport: ScriptedTransport { _ in .hold }, backgroundActivity: refusing)
    let tern = try harness.client { $0.sessions = .manual }
    tern.track("A")
    #expect(await tern.sendInBackground() == BackgroundSendResult(ending: .expired, left: 1))
    #expect(refusing.begun == 1 && refusing.ended == [1])
    harness.transport.release()
    await tern.shutdown()
  }

  @Test func `ends when its task is cancelled`() async throws {
    let harness = try harness(ScriptedTransport { _ in .hold })
    let tern = try harness.client { $0.sessions = .manual }
    tern.track("A")
    let task = Task { await tern.sendInBackground() }
    await harness.transport.request(number: 1)
    task.cancel()
    #expect(await task.value == BackgroundSendResult(ending: .cancelled, left: 1))
    expectBalance()
    harness.transport.release()
    await tern.shutdown()
  }

  @Test func `ends its background time even if the task was cancelled before`() async throws {
    let harness = try harness()
    let tern = try harness.client { $0.sessions = .manual }
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return await tern.sendInBackground()
    }
    task.cancel()
    #expect(await task.value.left == 0)
    expectBalance()
    await tern.shutdown()
  }

  @Test func `returns the reason when the client is disabled, paused or shut down`() async throws {
    let harness = try harness()
    let tern = try harness.client { $0.sessions = .manual }
    tern.track("A")
    tern.pause()
    let paused = await tern.sendInBackground()
    tern.isEnabled = false
    let disabled = await tern.sendInBackground()
    await tern.shutdown()
    let closed = await tern.sendInBackground()
    for (result, left) in [(paused, 1), (disabled, 0), (closed, 0)] {
      guard case .failed(let error) = result.ending else {
        Issue.record("\(result)")
        continue
      }
      #expect(error.code == .stopped && result.left == left && result.delivered == 0)
    }
    #expect(system.begun == 3 && system.ended == [1, 2, 3])
    #expect(harness.transport.requests.isEmpty)
  }

  @Test func `ends the background time of each of several calls`() async throws {
    let harness = try harness()
    let tern = try harness.client { $0.sessions = .manual }
    for number in 0..<100 { tern.track("E\(number)") }
    await withTaskGroup(of: BackgroundSendResult.self) { group in
      for _ in 0..<8 { group.addTask { await tern.sendInBackground() } }
      for await result in group { #expect(result.ending == .finished && result.left == 0) }
    }
    #expect(system.begun == 8 && system.ended.sorted() == Array(1...8))
    await tern.shutdown()
  }
}
