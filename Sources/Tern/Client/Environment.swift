package import TernEvents
package import TernLog
public import TernValues

extension TernClient {
  /// The dependencies of a client; tests can replace them.
  public struct Environment: Sendable {
    /// The clock.
    public var clock: any TernClock
    /// The seed of identifiers and jitter. Each client needs its own: equal seeds produce equal identifiers.
    public var seed: UInt64
    /// The transport that sends requests.
    public var transport: any Transport
    /// Returns the facts about the device; called again at the start of each session.
    public var device: @Sendable () -> Device
    /// The identifier of the device's current boot, since uptimes are comparable only within one; `nil` if unknown.
    public var boot: String?
    /// True if the app is in the foreground when the client is created.
    public var isInForeground: Bool
    /// True if the client observes the app's lifecycle notifications, where the platform has them.
    public var observesLifecycle: Bool
    /// The source of network hints; if `nil`, the client retries only on its own schedule.
    public var reachability: (any Reachability)?
    /// Keeps the process running during ``TernClient/sendInBackground(deadline:)``; `nil` if not needed.
    public var backgroundActivity: (any BackgroundActivity)?
    /// True if a client may catch crashes, for which it installs signal handlers; one client of a process can.
    package var catchesCrashes = false
    /// The longest time that the creation of a client waits for the delivery of a crash.
    ///
    /// The wait ends by the system's clock, because it blocks a thread that the delivery loop may need.
    package var startDelayLimit = Duration.seconds(2)
    /// The file system.
    package var fileSystem: any FileSystem = SystemFileSystem()
    /// Observes each event and its outcome while the recorder is locked; used by the simulator.
    package var observesAppends: (@Sendable (Event, Lane, AppendOutcome) -> Void)?

    /// Creates an environment.
    public init(
      clock: any TernClock, seed: UInt64, transport: any Transport, device: @escaping @Sendable () -> Device,
      boot: String? = nil, isInForeground: Bool = true, observesLifecycle: Bool = false,
      reachability: (any Reachability)? = nil, backgroundActivity: (any BackgroundActivity)? = nil
    ) {
      self.clock = clock
      self.seed = seed
      self.transport = transport
      self.device = device
      self.boot = boot
      self.isInForeground = isInForeground
      self.observesLifecycle = observesLifecycle
      self.reachability = reachability
      self.backgroundActivity = backgroundActivity
    }

    /// The production environment: the system's clock, transport, reachability and random seed, and this device.
    public static var live: Environment {
      var generator = SystemRandomNumberGenerator()
      var environment = Environment(
        clock: SystemClock(), seed: generator.next(), transport: SystemTransport(), device: { .current },
        boot: currentBoot(), isInForeground: startsInForeground, observesLifecycle: true,
        reachability: SystemReachability(), backgroundActivity: systemBackgroundActivity)
      environment.catchesCrashes = true
      return environment
    }
  }
}
