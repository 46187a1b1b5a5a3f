import AppCenter
import AppCenterAnalytics
import AppCenterCrashes
import Foundation
import Tern
import TernEvents
import TernTestSupport
import Testing

/// All of it works on the one core that the classes forward to, so one test runs at a time.
@Suite(.serialized, .timeLimit(.minutes(5))) enum `App Center` {}

/// A world for the modules: what they log, what they send, and launches on the same storage.
final class ModuleHarness {
  let harness: TestHarness
  let network = ScriptedReachability()
  private let lines = Locked<[String]>([])
  private var configure: (inout AppCenterWorld) -> Void
  private(set) var core: AppCenterCore

  static let secret = "6f9a1c52-0d4e-4a0b-9f5e-2f1f3f6f7a10"

  init(
    transport: ScriptedTransport = ScriptedTransport(), _ configure: @escaping (inout AppCenterWorld) -> Void = { _ in }
  ) throws {
    harness = try TestHarness(transport: transport, reachability: network)
    self.configure = configure
    core = Self.core(harness, lines, configure)
    AppCenterCore.shared = core
    AppCenter.logLevel = .verbose
    Crashes.userConfirmationHandler = nil
  }

  private static func core(
    _ harness: TestHarness, _ lines: Locked<[String]>, _ configure: (inout AppCenterWorld) -> Void
  ) -> AppCenterCore {
    var world = AppCenterWorld(
      environment: { harness.environment() }, directory: harness.directory,
      variables: ["TERN_COLLECTOR": "http://collector.test"],
      writeLog: { line in lines.withLock { $0.append(line) } })
    configure(&world)
    return AppCenterCore(world)
  }

  /// Ends the process as it were; the next one is on the same storage.
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

  /// Starts Analytics without sessions of its own, which would be events too.
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

  /// The messages of a level so far.
  func log(_ level: String) -> [String] {
    core.logBook.drain()
    return lines.withLock { $0 }.filter { $0.contains("] \(level): ") }
  }

  func queued() throws -> Int { try #require(client).status.queued }

  @discardableResult
  func flush() async throws -> FlushOutcome { await (try #require(client)).flush() }

  /// Waits until the client's status is as wanted.
  func wait(_ isWanted: (TernClient.Status) -> Bool) async throws {
    let client = try #require(client)
    for await status in client.statusUpdates where isWanted(status) { return }
  }

  /// Lets time pass until there have been so many requests, however long that takes.
  func pass(untilRequest count: Int) async {
    while transport.requests.count < count {
      clock.advance(by: .seconds(1))
      await Task.yield()
    }
  }

  /// Lets time pass until the storage can be used, however long that takes, and everybody was told.
  func passUntilStored() async {
    while client?.status.hasStorage == false {
      clock.advance(by: .seconds(1))
      await Task.yield()
    }
    await client?.flush()
  }

  /// The lines of the requests so far, of a type.
  func sent(_ type: String) throws -> [[String: Any]] {
    try transport.requests.flatMap { $0.body.split(separator: UInt8(ascii: "\n")) }
      .compactMap { try JSONSerialization.jsonObject(with: Data($0)) as? [String: Any] }
      .filter { $0["type"] as? String == type }
  }
}

/// A service that a library or an app might have given to the SDK.
final class Bystander: NSObject {}
