import Foundation
import TernBase
import TernEvents
import TernLog
import TernTestSupport
import Testing

@testable import Tern

@Suite(.timeLimit(.minutes(30))) struct `Settings on disk` {
  private let memory = InMemoryFileSystem()
  private let harness: TestHarness

  init() throws {
    harness = try TestHarness(transport: ScriptedTransport { _ in .failure(.offline) })
  }

  private func client() throws -> TernClient {
    var configuration = TernClient.Configuration(
      key: "test-key", collector: try #require(URL(string: "http://collector.test")))
    configuration.queueDirectory = URL(fileURLWithPath: "/queue")
    configuration.sessions = .manual
    var environment = harness.environment()
    environment.fileSystem = memory
    return try TernClient(configuration, environment: environment)
  }

  private var saved: PersistedSettings? {
    memory.contents(of: "/queue/settings.json").flatMap {
      try? JSONDecoder().decode(PersistedSettings.self, from: Data($0))
    }
  }

  @Test func `save an opt-out on a full disk once erasing has made room`() async throws {
    let tern = try client()
    for number in 0..<50 { tern.track("E\(number)") }
    memory.setCapacity(memory.totalBytes)
    tern.isEnabled = false
    #expect(saved?.isEnabled == false)
    await tern.shutdown()
    let next = try client()
    #expect(!next.isEnabled)
    await next.shutdown()
  }

  @Test func `finish at the next launch an opt-out that a kill interrupted`() async throws {
    let tern = try client()
    for number in 0..<50 { tern.track("E\(number)") }
    await tern.shutdown()
    // The setting is saved first, so this is the state after a kill before the erasure.
    memory.setContents(of: "/queue/settings.json", to: Array("{\"epoch\":0,\"isEnabled\":false}".utf8))
    let next = try client()
    #expect(!next.isEnabled)
    #expect(next.status.queued == 0)
    #expect(next.status.droppedByReason == [.erased: 50])
    await next.shutdown()
  }

  @Test func `that are damaged, the user's decisions too, record nothing until someone decides again`() async throws {
    let tern = try client()
    tern.isEnabled = false
    tern.isEnabled = true
    await tern.shutdown()
    for name in ["settings", "opt-outs"] { memory.setContents(of: "/queue/\(name).json", to: Array("{".utf8)) }
    let next = try client()
    next.track("Never")
    #expect(!next.isEnabled && next.status.queued == 0)
    next.isEnabled = true
    next.track("Wanted")
    await next.shutdown()
    let last = try client()
    #expect(last.isEnabled && last.status.queued == 1)
    await last.shutdown()
  }

  @Test(arguments: [Array("{".utf8), Array(repeating: UInt8(0), count: 300), []])
  func `that are damaged don't forget an opt-out, and can be changed again`(damage: [UInt8]) async throws {
    let tern = try client()
    tern.identify("user-7")
    tern.isEnabled = false
    await tern.shutdown()
    memory.setContents(of: "/queue/settings.json", to: damage)
    let next = try client()
    #expect(!next.isEnabled)
    next.track("Never")
    #expect(next.status.queued == 0)
    next.isEnabled = true
    next.track("Wanted")
    await next.shutdown()
    memory.setContents(of: "/queue/settings.json", to: damage)
    let last = try client()
    #expect(last.isEnabled && last.status.queued == 1)
    await last.shutdown()
  }

  @Test func `save an opt-out once a failing disk recovers`() async throws {
    let tern = try client()
    memory.setScript { $0.path.contains("settings.json") && $0.kind == .open ? .fail(errno: 28) : nil }
    tern.isEnabled = false
    tern.track("Never")
    #expect(tern.status.queued == 0)
    #expect(saved == nil)
    memory.setScript(nil)
    _ = await tern.flush()
    // The loop saves before it handles any message after the flush.
    _ = await tern.flush()
    #expect(saved?.isEnabled == false)
    await tern.shutdown()
  }

  @Test func `save an opt-out at shutdown if every earlier attempt failed`() async throws {
    let tern = try client()
    memory.setScript { $0.path.contains("settings.json") ? .fail(errno: 28) : nil }
    tern.isEnabled = false
    tern.identify("user-7")
    _ = await tern.flush()
    memory.setScript(nil)
    await tern.shutdown()
    #expect(saved?.isEnabled == false && saved?.user == "user-7" && saved?.optOuts == 1)
  }

  @Test func `contain the user when identify returns, whatever happens to the process`() async throws {
    let tern = try client()
    tern.identify("user-7")
    #expect(saved?.user == "user-7")
    tern.identify(nil)
    #expect(saved == PersistedSettings(isEnabled: true, user: nil, epoch: 2))
    await tern.shutdown()
    tern.identify("too late")
    #expect(saved?.user == nil)
  }

  @Test func `are not read when the same user is identified again`() async throws {
    let tern = try client()
    tern.identify("user-7")
    let looks = Locked(0)
    memory.setScript { operation in
      if operation.path.contains("settings") { looks.withLock { $0 += 1 } }
      return nil
    }
    for _ in 0..<10 { tern.identify("user-7") }
    #expect(looks.withLock { $0 } == 0)
    #expect(saved?.epoch == 1)
    tern.identify("user-8")
    #expect(looks.withLock { $0 } > 0)
    memory.setScript(nil)
    await tern.shutdown()
  }

  @Test func `keep the user that another client identified`() async throws {
    let first = try client()
    let second = try client()
    second.identify("user-7")
    await first.shutdown()
    #expect(saved == PersistedSettings(isEnabled: true, user: "user-7", epoch: 1))
    let third = try client()
    third.identify("user-8")
    third.isEnabled = false
    await second.shutdown()
    #expect(saved == PersistedSettings(isEnabled: false, user: "user-8", epoch: 2, optOuts: 1))
    await third.shutdown()
  }
}
