import Foundation
public import Tern
import TernBase
import TernEvents

/// The environment of a Measurement Protocol client under test: a manual clock, and a server and files in memory.
public final class MeasurementWorld: Sendable {
  /// The time.
  public let clock: TestClock
  /// The server.
  public let transport: MeasurementTransport
  /// The network.
  public let reachability = ScriptedReachability()
  /// The system's background time.
  public let backgroundActivity: ScriptedBackgroundActivity
  /// The files, shared by successive clients.
  public let files = InMemoryFileSystem()
  private let seed: Locked<FastGenerator>
  private let lines = Locked<[(level: Int, text: String)]>([])

  /// Creates an environment that is deterministic for a seed.
  public init(
    clock: TestClock = TestClock(), transport: MeasurementTransport = MeasurementTransport(), seed: UInt64 = 1,
    backgroundActivity: ScriptedBackgroundActivity = ScriptedBackgroundActivity()
  ) {
    self.clock = clock
    self.transport = transport
    self.backgroundActivity = backgroundActivity
    self.seed = Locked(FastGenerator(seed: seed))
  }

  /// The default boot of clients.
  public static let boot = "11111111-2222-4333-8444-555555555555"

  /// Returns the environment of a client; each call uses another seed.
  public func environment(boot: String? = MeasurementWorld.boot) -> TernClient.Environment {
    var environment = TernClient.Environment(
      clock: clock, seed: seed.withLock { $0.next() }, transport: transport, device: { TestHarness.device }, boot: boot,
      reachability: reachability, backgroundActivity: backgroundActivity)
    environment.fileSystem = files
    return environment
  }

  /// Records a line of a client's log.
  public func log(_ level: Int, _ text: String) { lines.withLock { $0.append((level, text)) } }

  /// Returns the lines of one level, from 1 for errors to 4 for details.
  public func lines(_ level: Int) -> [String] { lines.withLock { $0.filter { $0.level == level }.map(\.text) } }
}

extension MeasurementServer.Request {
  // Decoded with Foundation rather than with the code under test.
  init(decoding request: TransportRequest) {
    raw = request
    path = request.url.path
    let text =
      request.method == .get
      ? URLComponents(url: request.url, resolvingAgainstBaseURL: false)?.percentEncodedQuery ?? ""
      : String(decoding: request.body, as: UTF8.self)
    lines = text.split(separator: "\n").map(String.init)
    hits = lines.map { line in
      Dictionary(
        line.split(separator: "&").map { pair in
          let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
            $0.removingPercentEncoding ?? "?"
          }
          return (parts[0], parts.count > 1 ? parts[1] : "")
        }
      ) { _, last in last }
    }
  }
}
