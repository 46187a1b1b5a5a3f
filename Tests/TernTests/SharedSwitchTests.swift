import Foundation
import TernBase
import TernEvents
import TernLog
import TernTestSupport
import Testing

@testable import Tern

@Suite(.timeLimit(.minutes(30))) struct `Settings that processes share` {
  private let memory = InMemoryFileSystem()
  private let harness: TestHarness

  init() throws { harness = try TestHarness() }

  private func client(
    on memory: InMemoryFileSystem? = nil, _ durability: TernClient.Configuration.Durability = .everyBatch
  ) throws -> TernClient {
    var configuration = TernClient.Configuration(
      key: "test-key", collector: try #require(URL(string: "http://collector.test")))
    configuration.queueDirectory = URL(fileURLWithPath: "/queue")
    configuration.sessions = .manual
    configuration.durability = durability
    // Sends only on request.
    configuration.flushInterval = .seconds(3600)
    configuration.flushAt = 1_000_000
    var environment = harness.environment()
    environment.fileSystem = memory ?? self.memory
    return try TernClient(configuration, environment: environment)
  }

  private var saved: PersistedSettings? {
    memory.contents(of: "/queue/settings.json").flatMap {
      try? JSONDecoder().decode(PersistedSettings.self, from: Data($0))
    }
  }

  // MARK: Parts and requests

  @Test func `a part disabled or enabled by one process changes in the others`() async throws {
    let first = try client()
    let second = try client()
    second.track("Before")
    second.record(CocoaError(.fileNoSuchFile))
    first.setRecording(false, of: .usage)
    await second.flush()
    #expect(harness.transport.received.map(\.type).filter { $0 != "drops" } == ["handled_error"])
    #expect(!second.isRecording(.usage) && second.isRecording(.errors))
    second.track("Off")
    first.setRecording(true, of: .usage)
    await second.flush()
    #expect(second.isRecording(.usage))
    second.track("After")
    await second.flush()
    #expect(harness.transport.received.names.contains("After") && !harness.transport.received.names.contains("Off"))
    #expect(second.ledger.balances)
    await first.shutdown()
    await second.shutdown()
  }

  @Test func `requests forbidden or allowed by one process change in the others`() async throws {
    let first = try client()
    let second = try client()
    second.track("A")
    first.allowsRequests = false
    if case .sent = await second.flush() { Issue.record("A paused client sent events.") }
    #expect(!second.allowsRequests && harness.transport.requests.isEmpty)
    first.allowsRequests = true
    await second.flush()
    #expect(second.allowsRequests && harness.transport.received.names == ["A"])
    await first.shutdown()
    await second.shutdown()
  }

  // MARK: Opting out

  @Test func `an opt-out reversed before another process checks still erases that process's events`() async throws {
    let first = try client()
    let second = try client()
    second.track("Before")
    first.isEnabled = false
    second.track("During")
    first.isEnabled = true
    #expect(await second.flush() != .sent(2))
    #expect(second.isEnabled)
    #expect(second.ledger.droppedByReason == [.erased: 2] && second.ledger.balances)
    second.track("After")
    await second.flush()
    #expect(harness.transport.received.names == ["After"])
    // Handled once: events recorded since then stay.
    second.track("Later")
    second.identify("user-7")
    first.track("Own")
    await second.flush()
    await first.flush()
    #expect(harness.transport.received.names == ["After", "Later", "Own"])
    await first.shutdown()
    await second.shutdown()
  }

  @Test func `a reversed opt-out erases the events of a process that ended without checking`() async throws {
    let first = try client()
    let second = try client()
    second.track("Before")
    first.isEnabled = false
    second.track("During")
    first.isEnabled = true
    await second.shutdown()
    await first.shutdown()
    let third = try client()
    await third.flush()
    #expect(harness.transport.received.names.isEmpty)
    await third.shutdown()
  }

  @Test func `a process does not mistake its own opt-out for another's`() async throws {
    let first = try client()
    let second = try client()
    memory.setScript { $0.path.contains("settings.json.") && $0.kind == .write ? .fail(errno: ENOSPC) : nil }
    second.isEnabled = false
    second.isEnabled = true
    second.track("Kept")
    memory.setScript(nil)
    #expect(await second.flush() == .sent(1))
    first.isEnabled = false
    second.isEnabled = false
    second.isEnabled = true
    second.track("Mine")
    await second.flush()
    #expect(harness.transport.received.names == ["Kept", "Mine"])
    await first.shutdown()
    await second.shutdown()
  }

  @Test(arguments: [TernClient.Configuration.Durability.onBackgroundAndCritical, .everyBatch], [false, true])
  func `an opt-out survives a power loss`(
    durability: TernClient.Configuration.Durability, isTakenBack: Bool
  ) async throws {
    for seed in 0..<20 as Range<UInt64> {
      let memory = InMemoryFileSystem()
      let tern = try client(on: memory, durability)
      tern.track("Before")
      tern.willTerminate()
      tern.isEnabled = false
      if isTakenBack { tern.isEnabled = true }
      await tern.shutdown()
      memory.losePower(seed: seed)
      let next = try client(on: memory, durability)
      if !isTakenBack { #expect(!next.isEnabled, "seed \(seed)") }
      await next.flush()
      #expect(harness.transport.received.names.isEmpty, "seed \(seed)")
      await next.shutdown()
    }
  }

  // MARK: Unreadable

  @Test func `an opt-out that cannot be read at launch still holds`() async throws {
    let first = try client()
    first.identify("user-7")
    first.isEnabled = false
    await first.shutdown()
    memory.setScript { $0.kind == .open && $0.path.hasSuffix("settings.json") ? .fail(errno: EIO) : nil }
    let second = try client()
    second.identify("user-8")
    second.track("Secret", priority: .critical)
    await second.flush()
    #expect(harness.transport.received.isEmpty)
    memory.setScript(nil)
    await second.flush()
    #expect(!second.isEnabled && second.status.queued == 0)
    // The delivery loop saves before it handles any message after the flush.
    await second.flush()
    #expect(saved?.isEnabled == false && saved?.user == "user-8")
    #expect(harness.transport.received.isEmpty)
    await second.shutdown()
  }

  @Test func `events recorded while the settings are unreadable are sent once they are readable and permit it`()
    async throws
  {
    let first = try client()
    first.identify("user-7")
    first.setRecording(false, of: .errors)
    await first.shutdown()
    memory.setScript { $0.kind == .read && $0.path.hasSuffix("settings.json") ? .fail(errno: EIO) : nil }
    let second = try client()
    second.track("A")
    second.record(FileError(.read, number: EIO))
    await second.flush()
    #expect(harness.transport.received.isEmpty)
    memory.setScript(nil)
    await second.flush()
    second.track("B")
    await second.flush()
    #expect(harness.transport.received.names == ["A", "B"])
    #expect(harness.transport.received.all("handled_error").isEmpty && !second.isRecording(.errors))
    #expect(harness.transport.received.last { $0.name == "B" }?.user == "user-7")
    await second.shutdown()
  }

  // MARK: Identities

  @Test func `identities that two processes start simultaneously have distinct numbers`() async throws {
    let first = try client()
    let second = try client()
    let isFirst = Locked(true)
    memory.setScript { operation in
      // The second process has started and is about to take the lock; now the first one acts.
      if operation.kind == .lock, operation.path.contains("settings"),
        isFirst.withLock({ isFirst in
          defer { isFirst = false }
          return isFirst
        })
      {
        first.identify("alice")
      }
      return nil
    }
    second.identify("bob")
    memory.setScript(nil)
    try await eraseAlice(first, second)
  }

  @Test func `identities that cannot be saved on a full disk have distinct numbers`() async throws {
    let first = try client()
    let second = try client()
    memory.setScript { $0.kind == .write && $0.path.contains("settings.json") ? .fail(errno: ENOSPC) : nil }
    first.identify("alice")
    second.identify("bob")
    memory.setScript(nil)
    try await eraseAlice(first, second)
  }

  @Test func `identities have distinct numbers while another process holds the lock`() async throws {
    let first = try client()
    let second = try client()
    let holder = try memory.open("/queue/settings.lock", .lock)
    #expect(try memory.lock(holder))
    first.identify("alice")
    second.identify("bob")
    memory.close(holder)
    try await eraseAlice(first, second)
  }

  /// Erases the events that the first process recorded as alice and none that the second one recorded as bob.
  private func eraseAlice(_ first: TernClient, _ second: TernClient) async throws {
    first.track("Alice")
    second.track("Bob")
    await second.shutdown()
    first.erase()
    await first.flush()
    #expect(harness.transport.received.names == ["Bob"])
    await first.shutdown()
  }
}
