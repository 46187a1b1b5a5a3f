import AppCenter
import AppCenterAnalytics
import Foundation
import Tern
import TernBase
import TernEvents
import TernTestSupport
import Testing

extension `App Center` {
  @Suite struct `The storage` {
    /// Modules with the smallest storage, paused.
    private func small() throws -> ModuleHarness {
      let modules = try ModuleHarness()
      AppCenter.setMaxStorageSize(24 * 1024, completionHandler: nil)
      modules.startQuietly()
      Analytics.pause()
      return modules
    }

    private func delivered(_ modules: ModuleHarness) async throws -> [String] {
      Analytics.resume()
      try await modules.flush()
      return modules.names
    }

    @Test(arguments: [49, 50, 51]) func `a batch has at most fifty events`(count: Int) async throws {
      let modules = try ModuleHarness()
      modules.startQuietly()
      Analytics.pause()
      for number in 0..<count { Analytics.trackEvent("E\(number)") }
      Analytics.resume()
      try await modules.flush()
      // Two concurrent requests may arrive in either order.
      #expect(modules.transport.requests.map(\.events.count).sorted() == (count > 50 ? [1, 50] : [count]))
      await modules.end()
    }

    @Test func `critical events come first, each kind oldest first`() async throws {
      let modules = try ModuleHarness()
      modules.startQuietly()
      Analytics.pause()
      for number in 0..<6 {
        Analytics.trackEvent("\(number)", withProperties: nil, flags: number.isMultiple(of: 2) ? .critical : .normal)
      }
      #expect(try await delivered(modules) == ["0", "2", "4", "1", "3", "5"])
      await modules.end()
    }

    @Test func `events in flight are not sent a second time`() async throws {
      let modules = try ModuleHarness(transport: ScriptedTransport { _ in .hold })
      modules.startQuietly()
      Analytics.pause()
      for number in 0..<100 { Analytics.trackEvent("E\(number)") }
      Analytics.resume()
      await modules.transport.request(number: 2)
      let ids = modules.transport.requests.flatMap(\.events).map(\.id)
      #expect(Set(ids).count == 100)
      modules.transport.release()
      try await modules.wait { $0.delivered == 100 }
      await modules.end()
    }

    @Test func `below the limit nothing is evicted`() async throws {
      let modules = try small()
      for number in 0..<20 { Analytics.trackEvent("E\(number)") }
      #expect(modules.client?.status.dropped == 0)
      #expect(try await delivered(modules).count == 20)
      await modules.end()
    }

    @Test func `a storage full of normal events loses the oldest, and never grows`() async throws {
      let modules = try small()
      for number in 0..<200 {
        Analytics.trackEvent("E\(number)")
        #expect(modules.client?.queueBytes ?? .max <= 24 * 1024)
      }
      #expect(modules.client?.status.droppedByReason.keys.contains(.queueFull) == true)
      let names = try await delivered(modules)
      #expect(Set(names) == Set((200 - names.count..<200).map { "E\($0)" }))
      await modules.end()
    }

    @Test func `critical events evict normal ones, never the reverse`() async throws {
      let modules = try small()
      Analytics.trackEvent("C", withProperties: nil, flags: .critical)
      for number in 0..<200 { Analytics.trackEvent("N\(number)") }
      for number in 0..<10 { Analytics.trackEvent("C\(number)", withProperties: nil, flags: .critical) }
      let names = try await delivered(modules)
      // Concurrent requests may arrive in either order.
      #expect(names.filter { $0.hasPrefix("C") } == ["C"] + (0..<10).map { "C\($0)" })
      #expect(names.count > 11 && names.contains("N199"))
      await modules.end()
    }

    @Test func `a storage full of critical events refuses a normal one`() async throws {
      let modules = try small()
      for number in 0..<200 { Analytics.trackEvent("C\(number)", withProperties: nil, flags: .critical) }
      let queued = try modules.queued()
      #expect(modules.log("ERROR").isEmpty)
      Analytics.trackEvent("N")
      #expect(try modules.queued() == queued)
      #expect(modules.log("ERROR").count { $0.contains("The event N was not recorded: the storage is full") } == 1)
      let names = try await delivered(modules)
      #expect(!names.contains("N") && names.contains("C199"))
      await modules.end()
    }

    @Test func `an event too large with its device is logged as lost`() async throws {
      let modules = try small()
      Analytics.trackEvent("Before")
      AppCenter.countryCode = String(repeating: "x", count: 70_000)
      Analytics.trackEvent("A")
      let errors = modules.log("ERROR")
      #expect(errors.count == 1 && errors.allSatisfy { $0.contains("The event A was not recorded: with its device") })
      AppCenter.countryCode = nil
      Analytics.enabled = false
      Analytics.trackEvent("Off")
      #expect(modules.log("ERROR").count == 1)
      await modules.end()
    }

    @Test func `a size below the stored bytes is refused, and the previous one stays`() async throws {
      let modules = try ModuleHarness()
      modules.startQuietly()
      Analytics.pause()
      for number in 0..<4000 { Analytics.trackEvent("E\(number)") }
      await modules.relaunch()
      let answers = Locked<[Bool]>([])
      AppCenter.setMaxStorageSize(24 * 1024) { answer in answers.withLock { $0.append(answer) } }
      modules.startQuietly()
      #expect(answers.withLock { $0 } == [false])
      #expect(modules.client?.status.dropped == 0)
      await modules.end()
    }

    @Test func `a larger size applies, even at the next launch`() async throws {
      let modules = try ModuleHarness()
      AppCenter.setMaxStorageSize(20 << 20, completionHandler: nil)
      modules.startQuietly()
      Analytics.pause()
      let properties = Dictionary(
        uniqueKeysWithValues: (0..<20).map { ("k\($0)", String(repeating: "v", count: 125)) })
      for number in 0..<4000 { Analytics.trackEvent("E\(number)", withProperties: properties) }
      #expect(modules.client?.status.dropped == 0 && modules.client?.queueBytes ?? 0 > 10 << 20)
      await modules.relaunch()
      modules.startQuietly()
      #expect(modules.client?.status.dropped == 0)
      await modules.end()
    }

    @Test func `a damaged storage stays usable and loses only the damaged part`() async throws {
      let modules = try ModuleHarness()
      modules.startQuietly()
      Analytics.pause()
      for number in 0..<10 { Analytics.trackEvent("E\(number)") }
      await modules.relaunch()
      let files = FileManager.default.enumerator(at: modules.harness.directory, includingPropertiesForKeys: nil)
      for case let file as URL in files ?? .init() where file.path.contains("log-") && file.pathExtension == "seg" {
        var bytes = try Data(contentsOf: file)
        if bytes.count > 1500 { bytes[1000] ^= 0xFF }
        try bytes.write(to: file)
      }
      modules.startQuietly()
      Analytics.trackEvent("After")
      try await modules.flush()
      #expect(modules.names.contains("After") && modules.names.count >= 9)
      await modules.end()
    }

    @Test func `events older than 25 days are dropped and counted`() async throws {
      let modules = try ModuleHarness()
      modules.startQuietly()
      Analytics.pause()
      Analytics.trackEvent("Old")
      modules.clock.advance(by: .seconds(24 * 86_400))
      Analytics.trackEvent("Young")
      modules.clock.advance(by: .seconds(86_400 + 1))
      Analytics.resume()
      try await modules.flush()
      #expect(modules.names == ["Young"])
      #expect(modules.client?.status.droppedByReason == [.expired: 1])
      await modules.end()
    }
  }
}
