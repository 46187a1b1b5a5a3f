public import Foundation
public import Tern
import TernBase
import TernEvents
public import TernValues

/// The environment of a client under test: a manual clock, an in-memory collector, and a directory of its own.
///
/// ```swift
/// let harness = try TestHarness()
/// let tern = try harness.client()
/// tern.track("Opened")
/// #expect(await tern.flush() == .sent(2))  // a session start comes first
/// ```
public final class TestHarness: Sendable {
  /// The time.
  public let clock: TestClock
  /// The collector.
  public let transport: ScriptedTransport
  /// The directory of the queue; removed with the harness.
  public let directory: URL
  private let seed: Locked<FastGenerator>
  private let reachability: (any Reachability)?
  private let backgroundActivity: (any BackgroundActivity)?

  /// Creates a harness that is deterministic for a seed; network changes come from `reachability` only.
  public init(
    clock: TestClock = TestClock(), transport: ScriptedTransport = ScriptedTransport(), seed: UInt64 = 1,
    reachability: (any Reachability)? = nil, backgroundActivity: (any BackgroundActivity)? = nil
  ) throws {
    self.clock = clock
    self.transport = transport
    self.reachability = reachability
    self.backgroundActivity = backgroundActivity
    self.seed = Locked(FastGenerator(seed: seed))
    directory = FileManager.default.temporaryDirectory.appendingPathComponent("tern-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: directory)
  }

  /// The facts that the test device reports.
  public static let device = Device(
    osName: "TestOS", osVersion: "1.2", model: "T1", locale: "en_GB", country: "GB", timeZoneOffsetMinutes: 60,
    appVersion: "3.4", appBuild: "56", appNamespace: "test.app", sdkVersion: "0.0.0")

  /// Returns the environment of a client; each call uses another seed.
  public func environment(isInForeground: Bool = true) -> TernClient.Environment {
    TernClient.Environment(
      clock: clock, seed: seed.withLock { $0.next() }, transport: transport, device: { Self.device },
      boot: "11111111-2222-4333-8444-555555555555", isInForeground: isInForeground, reachability: reachability,
      backgroundActivity: backgroundActivity)
  }

  /// Creates a client on the harness's directory, as a launch of the app does.
  public func client(
    isInForeground: Bool = true, _ configure: (inout TernClient.Configuration) -> Void = { _ in }
  ) throws(TernError) -> TernClient {
    var configuration = TernClient.Configuration(
      key: "test-key", collector: URL(fileURLWithPath: "/"))
    configuration.collector = URL(string: "http://collector.test") ?? configuration.collector
    configuration.queueDirectory = directory
    configure(&configuration)
    return try TernClient(configuration, environment: environment(isInForeground: isInForeground))
  }
}
