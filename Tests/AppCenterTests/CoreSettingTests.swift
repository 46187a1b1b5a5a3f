import AppCenter
import AppCenterAnalytics
import AppCenterCrashes
import Foundation
import Tern
import TernBase
import TernEvents
import TernTestSupport
import Testing

extension `App Center` {
  @Suite struct `Settings of the core` {
    @Test func `a size set before the start applies, once`() async throws {
      let modules = try ModuleHarness()
      let answers = Locked<[Bool]>([])
      AppCenter.setMaxStorageSize(20 << 20) { answer in answers.withLock { $0.append(answer) } }
      #expect(answers.withLock { $0 } == [])
      AppCenter.setMaxStorageSize(30 << 20) { answer in answers.withLock { $0.append(answer) } }
      #expect(answers.withLock { $0 } == [false])
      modules.startQuietly()
      #expect(answers.withLock { $0 } == [false, true])
      let others = try ModuleHarness()
      AppCenter.setMaxStorageSize(20 << 20, completionHandler: nil)
      others.startQuietly()
      await modules.end()
    }

    @Test func `the completion handler of the size may call the SDK, even to start another service`() async throws {
      let queue = DispatchQueue(label: "callbacks")
      let modules = try ModuleHarness { environment in environment.callback = { body in queue.async(execute: body) } }
      let (told, tell) = AsyncStream.makeStream(of: Bool.self)
      AppCenter.setMaxStorageSize(20 << 20) { answer in
        AppCenter.startService(Crashes.self)
        Analytics.trackEvent("From the handler")
        tell.yield(answer && AppCenter.enabled && Crashes.enabled)
      }
      modules.startQuietly([Analytics.self])
      for await answer in told {
        #expect(answer)
        break
      }
      #expect(try modules.queued() == 1)
      await modules.end()
    }

    @Test func `a size set after the start is refused`() async throws {
      let modules = try ModuleHarness()
      modules.startQuietly()
      #expect(await AppCenter.setMaxStorageSize(20 << 20) == false)
      await modules.end()
    }

    @Test func `less than 24 KiB is refused and does not count as the only call`() async throws {
      let modules = try ModuleHarness()
      #expect(await AppCenter.setMaxStorageSize(10) == false)
      #expect(await AppCenter.setMaxStorageSize(24 * 1024 - 1) == false)
      async let answer = AppCenter.setMaxStorageSize(24 * 1024)
      while modules.core.state.withLock({ $0.pendingBytes == nil }) { await Task.yield() }
      modules.startQuietly()
      #expect(await answer)
      await modules.end()
    }

    @Test func `the user can be set after a start with a secret, and nil clears it`() async throws {
      let modules = try ModuleHarness()
      AppCenter.userId = "too early"
      #expect(AppCenter.userId == nil)
      AppCenter.startFromLibrary(services: [Analytics.self])
      AppCenter.userId = "by a library"
      #expect(AppCenter.userId == nil && modules.log("ERROR").count == 2)
      modules.startQuietly()
      AppCenter.userId = "alice"
      Analytics.trackEvent("A")
      AppCenter.userId = nil
      Analytics.trackEvent("B")
      try await modules.flush()
      #expect(modules.received.filter { $0.type == "event" }.map(\.user) == ["alice", nil])
      let others = try ModuleHarness()
      AppCenter.configure()
      AppCenter.userId = "without a secret"
      #expect(AppCenter.userId == nil && others.client == nil)
      await modules.end()
    }

    @Test func `a user of 257 characters is refused and the previous one stays`() async throws {
      let modules = try ModuleHarness()
      modules.startQuietly()
      AppCenter.userId = String(repeating: "u", count: 256)
      AppCenter.userId = String(repeating: "v", count: 257)
      #expect(AppCenter.userId?.first == "u")
      await modules.end()
    }

    @Test func `a launch starts without a user`() async throws {
      let modules = try ModuleHarness()
      modules.startQuietly()
      AppCenter.userId = "alice"
      await modules.relaunch()
      modules.startQuietly()
      #expect(AppCenter.userId == nil)
      Analytics.trackEvent("A")
      try await modules.flush()
      #expect(modules.received.map(\.user) == [nil])
      await modules.end()
    }

    @Test func `forbidden requests: events are recorded and kept but not sent, across launches`() async throws {
      let modules = try ModuleHarness()
      AppCenter.networkRequestsAllowed = false
      modules.startQuietly()
      #expect(!AppCenter.networkRequestsAllowed && Analytics.enabled)
      Analytics.trackEvent("A", withProperties: ["k": "v"], flags: .critical)
      if case .failed(let error) = try await modules.flush() { #expect(error.code == .stopped) }
      #expect(try modules.queued() == 1)
      await modules.relaunch()
      #expect(!AppCenter.networkRequestsAllowed)
      modules.startQuietly()
      AppCenter.networkRequestsAllowed = true
      try await modules.wait { $0.delivered == 1 }
      #expect(AppCenter.networkRequestsAllowed && modules.names == ["A"])
      await modules.end()
    }

    @Test func `requests forbidden before the start stay forbidden, even if the setting cannot be saved`()
      async throws
    {
      let files = InMemoryFileSystem()
      let modules = try ModuleHarness { environment in
        let make = environment.clientEnvironment
        environment.clientEnvironment = {
          var environment = make()
          environment.fileSystem = files
          return environment
        }
      }
      modules.startQuietly()
      Analytics.pause()
      Analytics.trackEvent("A")
      await modules.relaunch()
      files.setScript { $0.path.contains("settings.json.") ? .fail(errno: ENOSPC) : nil }
      AppCenter.networkRequestsAllowed = false
      #expect(!AppCenter.networkRequestsAllowed)
      #expect(modules.log("ERROR").count { $0.contains("Couldn't save") } == 1)
      modules.startQuietly()
      #expect(!AppCenter.networkRequestsAllowed)
      if case .failed(let error) = try await modules.flush() { #expect(error.code == .stopped) }
      #expect(modules.transport.requests.isEmpty)
      AppCenter.networkRequestsAllowed = true
      try await modules.flush()
      #expect(modules.names == ["A"])
      await modules.end()
    }

    @Test func `the data residency region is stored and sent`() async throws {
      let modules = try ModuleHarness()
      #expect(AppCenter.dataResidencyRegion == nil)
      AppCenter.dataResidencyRegion = "RG"
      #expect(AppCenter.dataResidencyRegion == "RG")
      modules.startQuietly()
      Analytics.trackEvent("A")
      try await modules.flush()
      let device = try modules.sent("event").first?["device"] as? [String: Any]
      #expect(device?["dataResidencyRegion"] as? String == "RG")
      await modules.end()
    }

    @Test func `the version is that of this package`() { #expect(AppCenter.sdkVersion == ternVersion) }

    @Test func `the level is assert, and warning after the start of an app in development`() async throws {
      let modules = try ModuleHarness()
      AppCenterCore.shared = AppCenterCore(modules.core.environment)
      #expect(AppCenter.logLevel == .assert)
      AppCenter.configure()
      #expect(AppCenter.logLevel == .warning)
      var environment = modules.core.environment
      environment.isInDevelopment = false
      AppCenterCore.shared = AppCenterCore(environment)
      AppCenter.configure()
      #expect(AppCenter.logLevel == .assert)
    }

    @Test func `a log level set by the app is kept, and the level none silences the log`() throws {
      let modules = try ModuleHarness()
      AppCenter.logLevel = .none
      AppCenter.configure()
      #expect(AppCenter.logLevel == .none)
      AppCenter.configure()
      #expect(modules.log("ASSERT").isEmpty)
      AppCenter.logLevel = .assert
      AppCenter.configure()
      #expect(modules.log("ASSERT").count == 2)
    }

    @Test func `a handler gets every message with its tag and place, whatever the level`() throws {
      let modules = try ModuleHarness()
      let seen = Locked<[String]>([])
      AppCenter.logLevel = .none
      AppCenter.logHandler = { provider, level, tag, file, function, line in
        let place = file.map { String(cString: $0) } ?? ""
        seen.withLock {
          $0.append("\(level) \(tag ?? "") \(place.isEmpty ? "?" : "at") \(line > 0) \(provider?() ?? "")")
        }
      }
      AppCenter.configure()
      AppCenter.configure()
      modules.core.logger.drain()
      #expect(seen.withLock { $0 }.first == "info AppCenter at true The SDK is configured.")
      #expect(seen.withLock { $0 }.count == 3)
      AppCenter.logHandler = nil
      AppCenter.configure()
      modules.core.logger.drain()
      #expect(seen.withLock { $0 }.count == 3 && modules.log("ASSERT").isEmpty)
    }

    @Test func `without a collector everything is kept, and one warning explains how to set it`() async throws {
      let modules = try ModuleHarness { $0.variables = [:] }
      modules.startQuietly()
      Analytics.trackEvent("A")
      if case .failed(let error) = try await modules.flush() { #expect(error.code == .stopped) }
      AppCenter.logUrl = "http://collector.test/logs"
      try await modules.flush()
      #expect(modules.names == ["A"])
      AppCenter.logUrl = nil
      Analytics.trackEvent("B")
      #expect(try modules.queued() == 1)
      let warnings = modules.log("WARNING")
      #expect(warnings.count == 1 && warnings.allSatisfy { $0.contains("TERN_COLLECTOR") && $0.contains("logUrl") })
      await modules.end()
    }

    @Test func `the bundle's collector is used if nothing else sets one`() async throws {
      let modules = try ModuleHarness {
        $0.variables = [:]
        $0.bundleCollector = "https://bundle.test/logs"
      }
      modules.startQuietly()
      #expect(modules.client?.collector?.absoluteString == "https://bundle.test")
      await modules.end()
    }

    @Test func `an unusable address is logged, and does not hide a usable one`() async throws {
      let modules = try ModuleHarness {
        $0.variables = ["TERN_COLLECTOR": "127.0.0.1:8787"]
        $0.bundleCollector = "https://bundle.test"
      }
      modules.startQuietly()
      #expect(modules.client?.collector?.absoluteString == "https://bundle.test")
      await modules.end()
      let lonely = try ModuleHarness { $0.variables = ["TERN_COLLECTOR": "ftp://collector.test"] }
      lonely.startQuietly()
      #expect(lonely.log("WARNING").contains { $0.contains("ftp://collector.test") })
      await lonely.end()
    }

    @Test func `enabling an enabled service does not end a pause`() async throws {
      let modules = try ModuleHarness()
      modules.startQuietly()
      Analytics.pause()
      Analytics.enabled = true
      Analytics.trackEvent("A")
      if case .failed(let error) = try await modules.flush() { #expect(error.code == .stopped) }
      #expect(modules.names.isEmpty)
      Analytics.enabled = false
      Analytics.enabled = true
      Analytics.trackEvent("B")
      try await modules.flush()
      #expect(modules.names == ["B"])
      await modules.end()
    }
  }
}
