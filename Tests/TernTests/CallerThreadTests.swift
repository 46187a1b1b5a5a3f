import Foundation
import TernBase
import TernDelivery
import TernEvents
import TernLog
import TernTestSupport
import Testing

@testable import Tern

@Suite struct `The caller's thread` {
  @Test func `rarely wakes the loop while a full queue drops events, and the drop counts are saved`() throws {
    func configure(_ configuration: inout TernClient.Configuration) {
      configuration.startsPaused = true
      configuration.maximumQueueBytes = 24 << 10
      configuration.flushAt = 1_000_000
    }
    var client = try SteppedClient(on: InMemoryFileSystem(), nil, configure)
    var wakeUps = 0
    for number in 0..<2_000 {
      client.tern.track("E\(number)")
      let messages = client.loop.engine.mailbox.takeAll()
      if messages.isEmpty { continue }
      wakeUps += 1
      client.loop.take(messages)
    }
    let dropped = client.tern.ledger.dropped
    #expect(dropped > 1_000)
    #expect(wakeUps <= 4)
    client.pass(.seconds(1))
    client.kill()
    let next = try SteppedClient(on: client.memory, client.harness, configure)
    #expect(next.tern.ledger.dropped == dropped)
  }

  @Test func `does not wait while another process changes the settings, and overwrites none of its changes`() throws {
    var client = try SteppedClient()
    client.work()
    let memory = client.memory
    let lock = try memory.open("/queue/settings.lock", .lock)
    #expect(try memory.lock(lock))
    let attempts = Locked(0)
    memory.setScript { operation in
      if operation.kind == .lock, operation.path.contains("settings") { attempts.withLock { $0 += 1 } }
      return nil
    }
    client.tern.identify("anna")
    client.tern.isEnabled = false
    #expect(attempts.withLock { $0 } <= 4, "no busy waiting")
    client.work()
    #expect(settings(in: memory) == nil, "only the owner of the lock writes")
    let other = StateFiles(directory: "/queue", fileSystem: memory, isDurable: false, seed: 9)
    let changed = #"{"epoch":7,"isEnabled":true,"queueBytes":50000,"user":"other"}"#
    try other.replace("settings.json", with: Array(changed.utf8))
    memory.close(lock)
    client.pass(.seconds(2))
    let saved = try #require(settings(in: memory))
    #expect(saved.user == "anna" && !saved.isEnabled && !client.tern.isEnabled && saved.queueBytes == 50_000)
    #expect(client.loop.engine.recorder.withLock { $0.epoch } == saved.epoch)
    #expect(client.loop.effects.timer == nil)
  }

  @Test func `gets the same install identifier as another process that starts for the first time`() throws {
    let memory = InMemoryFileSystem()
    let first = StateFiles(directory: "/queue", fileSystem: memory, isDurable: false, seed: 1)
    let second = StateFiles(directory: "/queue", fileSystem: memory, isDurable: false, seed: 2)
    var generator = FastGenerator(seed: 3)
    let (one, other) = (UniqueID.random(using: &generator), UniqueID.random(using: &generator))
    memory.setScript { [memory] operation in
      guard operation.kind == .link else { return nil }
      memory.setScript(nil)
      #expect((try? second.installID(orElse: other)) == other)
      return nil
    }
    #expect(try first.installID(orElse: one) == other)
    #expect(try second.installID(orElse: one) == other)
    #expect(memory.paths == ["/queue/install-id"])
  }

  private func settings(in memory: InMemoryFileSystem) -> PersistedSettings? {
    memory.contents(of: "/queue/settings.json").flatMap {
      try? JSONDecoder().decode(PersistedSettings.self, from: Data($0))
    }
  }
}
