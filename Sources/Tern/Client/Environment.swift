public import TernEvents
package import TernLog

extension TernClient {
  /// What a client takes from the world around it, so that a test can give it another world.
  public struct Environment: Sendable {
    /// The time.
    public var clock: any TernClock
    /// Where identifiers and jitter come from: the same seed gives the same ones. Each client needs its own.
    public var seed: UInt64
    /// How requests are sent.
    public var transport: any Transport
    /// The facts about the device; asked again at the start of each session.
    public var device: @Sendable () -> Device
    /// Names this boot of the device; uptimes are comparable only within one. `nil` when unknown.
    public var boot: String?
    /// Whether the app is in the foreground when the client is created.
    public var isInForeground: Bool
    /// Whether the client listens to the app's own notifications about foreground and background, where there are any.
    public var observesLifecycle: Bool
    /// What tells that the network came back or changed; `nil`: nothing does, and the client tries in its own time.
    public var reachability: (any Reachability)?
    /// What keeps the process running while ``TernClient/sendInBackground(deadline:)`` sends; `nil`: nothing needs to.
    public var backgroundActivity: (any BackgroundActivity)?
    /// The files.
    package var fileSystem: any FileSystem = SystemFileSystem()
    /// Told of each event that was to be stored, and what became of it, while the recorder is locked; a simulator keeps
    /// its books by it.
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

    /// The real world: the system's clock, ``SystemTransport``, ``SystemReachability``, this device; the seed comes from the system's generator.
    public static var live: Environment {
      var generator = SystemRandomNumberGenerator()
      return Environment(
        clock: SystemClock(), seed: generator.next(), transport: SystemTransport(), device: { .current },
        boot: currentBoot(), isInForeground: startsInForeground, observesLifecycle: true,
        reachability: SystemReachability(), backgroundActivity: systemBackgroundActivity)
    }
  }
}
