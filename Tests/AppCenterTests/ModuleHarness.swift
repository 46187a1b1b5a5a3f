import AppCenter
import AppCenterAnalytics
import AppCenterCrashes
import Foundation
import Tern
import TernBase
import TernEvents
import TernTestSupport
import Testing

/// All tests share the one core that the classes forward to, so one runs at a time.
@Suite(.serialized, .timeLimit(.minutes(30))) enum `App Center` {}

/// The modules on a simulated device: their log, their requests, and launches with the same storage.
final class ModuleHarness {
  let harness: TestHarness
  let network: ScriptedReachability
  private let lines = Locked<[String]>([])
  private var configure: (inout AppCenterEnvironment) -> Void
  private(set) var core: AppCenterCore

  static let secret = "6f9a1c52-0d4e-4a0b-9f5e-2f1f3f6f7a10"

  convenience init(
    transport: ScriptedTransport = ScriptedTransport(),
    _ configure: @escaping (inout AppCenterEnvironment) -> Void = { _ in }
  ) throws {
    let network = ScriptedReachability()
    try self.init(TestHarness(transport: transport, reachability: network), network, configure)
  }

  /// Creates modules on an existing device.
  init(
    _ harness: TestHarness, _ network: ScriptedReachability = ScriptedReachability(),
    _ configure: @escaping (inout AppCenterEnvironment) -> Void
  ) {
    self.harness = harness
    self.network = network
    self.configure = configure
    core = Self.core(harness, lines, configure)
    AppCenterCore.shared = core
    AppCenter.logLevel = .verbose
    Crashes.userConfirmationHandler = nil
  }

  private static func core(
    _ harness: TestHarness, _ lines: Locked<[String]>, _ configure: (inout AppCenterEnvironment) -> Void
  ) -> AppCenterCore {
    var environment = AppCenterEnvironment(
      clientEnvironment: { harness.environment() }, directory: harness.directory,
      variables: ["TERN_COLLECTOR": "http://collector.test"],
      writeLog: { line in lines.withLock { $0.append(line) } })
    configure(&environment)
    return AppCenterCore(environment)
  }

  /// Simulates a relaunch with the same storage.
  func relaunch() async {
    await client?.shutdown()
    core = Self.core(harness, lines, configure)
    AppCenterCore.shared = core
    AppCenter.logLevel = .verbose
  }

  func end() async { await client?.shutdown() }

  var client: TernClient? { core.state.withLock { $0.client } }
  var clock: TestClock { harness.clock }
  var transport: ScriptedTransport { harness.transport }
  var received: [ReceivedEvent] { transport.received }
  var names: [String] { received.filter { $0.type == "event" }.map(\.name) }

  /// Starts Analytics without automatic sessions, which would add events.
  func startQuietly(_ services: [AnyClass] = [Analytics.self]) {
    start(secret: Self.secret, services)
  }

  func start(secret: String, _ services: [AnyClass] = [Analytics.self]) {
    Analytics.enableManualSessionTracker()
    AppCenter.start(withAppSecret: secret, services: services)
  }

  func isStarted(_ service: any StartableService.Type) -> Bool {
    core.state.withLock { $0.isStarted(service.traits) }
  }

  /// The messages of a level.
  func log(_ level: String) -> [String] {
    core.logger.drain()
    return lines.withLock { $0 }.filter { $0.contains("] \(level): ") }
  }

  func queued() throws -> Int { try #require(client).status.queued }

  @discardableResult
  func flush() async throws -> FlushOutcome { await (try #require(client)).flush() }

  /// Waits until the client's status meets a condition.
  func wait(_ isWanted: (TernClient.Status) -> Bool) async throws {
    let client = try #require(client)
    for await status in client.statusUpdates where isWanted(status) { return }
  }

  /// Advances the clock until there have been `count` requests.
  func pass(untilRequest count: Int) async {
    while transport.requests.count < count {
      clock.advance(by: .seconds(1))
      await Task.yield()
    }
  }

  /// Advances the clock until the storage is usable and all callbacks have run.
  func passUntilStored() async {
    while client?.status.hasStorage == false {
      clock.advance(by: .seconds(1))
      await Task.yield()
    }
    await client?.flush()
  }

  /// The received events of a type.
  func sent(_ type: String) throws -> [[String: Any]] {
    try transport.requests.flatMap(\.lines)
      .compactMap { try JSONSerialization.jsonObject(with: Data($0)) as? [String: Any] }
      .filter { $0["type"] as? String == type }
  }
}

/// A service that a library or an app might pass to the SDK.
final class Bystander: NSObject {}
