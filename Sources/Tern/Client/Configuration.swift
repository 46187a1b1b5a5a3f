public import Foundation
import TernDelivery
import TernEvents
import TernLog

extension TernClient {
  /// The settings of a client. Values out of range are clamped.
  public struct Configuration: Sendable, Hashable {
    /// The app's key, from the portal or `tern apps create`.
    public var key: String
    /// The collector's URL, for example `https://tern.example.com`; its path, if any, is kept as a prefix.
    ///
    /// If `nil`, events stay on the device until ``TernClient/setCollector(_:)`` sets one.
    public var collector: URL?
    /// The directory for the queue, the install's identifier and the settings; created if missing.
    ///
    /// The default is ``defaultQueueDirectory``.
    public var queueDirectory: URL
    /// The maximum size of the queue on disk, in bytes; the default is 10 MiB, the minimum 24 KiB.
    public var maximumQueueBytes: Int {
      didSet { maximumQueueBytes = max(maximumQueueBytes, 24 << 10) }
    }
    /// The age at which an unsent event expires; the default is 25 days, the minimum 1 s.
    public var maximumEventAge: Duration {
      didSet { maximumEventAge = max(maximumEventAge, .seconds(1)) }
    }
    /// The app's version if its bundle has none; the default is `nil`, sent as "0".
    public var appVersion: String?
    /// The app's build if its bundle has none; the default is `nil`, sent as "0".
    public var appBuild: String?
    /// The ISO 3166 country code; the default is `nil`, which means the locale's region.
    public var countryCode: String?
    /// Reports the locale's region as the country if ``countryCode`` is `nil`; the default is true.
    public var reportsRegionAsCountry: Bool
    /// The time from the first unsent event to the start of a delivery; the default is 6 s.
    public var flushInterval: Duration {
      didSet { flushInterval = min(max(flushInterval, .zero), .longest) }
    }
    /// The time from the first unsent critical event to the start of a delivery; the default is zero.
    public var criticalFlushInterval: Duration {
      didSet { criticalFlushInterval = min(max(criticalFlushInterval, .zero), .longest) }
    }
    /// Sends waiting normal events together with critical ones; the default is true.
    ///
    /// If false, normal events wait for ``flushInterval`` even while the radio is already on.
    public var sendsNormalWithCritical: Bool
    /// The number of waiting events that triggers a delivery; the default is 50, the minimum 1.
    public var flushAt: Int {
      didSet { flushAt = max(flushAt, 1) }
    }
    /// The maximum number of events per request; the default is 500, the range 1…2,000.
    public var maximumBatchEvents: Int {
      didSet { maximumBatchEvents = min(max(maximumBatchEvents, 1), NativeProtocol.maximumEvents) }
    }
    /// The maximum bytes of events per request before compression; the default is 512 KiB, the range 1 KiB…4 MiB.
    public var maximumBatchBytes: Int {
      didSet { maximumBatchBytes = min(max(maximumBatchBytes, 1 << 10), NativeProtocol.maximumBodyBytes) }
    }
    /// The maximum number of concurrent requests; the default is 3, the range 1…16.
    public var maximumBatchesInFlight: Int {
      didSet { maximumBatchesInFlight = min(max(maximumBatchesInFlight, 1), 16) }
    }
    /// The longest pause between two attempts; the default is 30 min, the minimum 1 s.
    public var maximumRetryDelay: Duration {
      didSet { maximumRetryDelay = max(maximumRetryDelay, .seconds(1)) }
    }
    /// The retry policy; the default is ``Retries/unlimited``.
    public var retries: Retries
    /// The timeout of a request; the default is 60 s, the minimum 1 s.
    public var requestTimeout: Duration {
      didSet { requestTimeout = max(requestTimeout, .seconds(1)) }
    }
    /// Compresses requests of at least 1 KiB; the default is true.
    public var compressesRequests: Bool
    /// The rule for starting sessions; the default is `.automatic()`.
    public var sessions: Sessions
    /// The protection of events against power loss; the default is `.onBackgroundAndCritical`.
    public var durability: Durability
    /// Catches crashes: the next launch records each as a critical event, before anything else. The default is true.
    ///
    /// From the creation of the client to ``TernClient/shutdown()``, signal handlers write a report of a crash into
    /// ``queueDirectory``. Then the previous handlers run, and the process ends as it would have. One client of a process
    /// catches crashes: the first one. If false, no handler is installed, and reports of earlier launches stay where they
    /// are. Nothing is reported while the client or its ``TernClient/Part/errors`` are disabled. Create the client on
    /// the main thread, or a stack overflow there may go unnoticed.
    ///
    /// This is so on Linux. On Apple platforms, the system's MetricKit reports crashes, where it exists, with the end of
    /// the system's reporting period as the time, and with session and user if it is certain which launch crashed.
    public var catchesCrashes: Bool
    /// Delays the creation of the client until the collector has stored a crash that ended the previous process within
    /// 10 s of its start, but at most for 2 s; the default is false.
    ///
    /// An app that crashes at every start may otherwise never have the time to report it. The wait blocks the thread that
    /// creates the client, and only after such a crash.
    public var sendsCrashesAtStart: Bool
    /// Reports hangs of the main thread that last 2 s or longer as handled errors; the default is false.
    ///
    /// A thread asks the main dispatch queue for an answer twice a second. When a hang begins, it notes the calls of the
    /// main thread; when it ends, it records the error, whose message has the duration. If the process ends first, the
    /// next launch records it.
    ///
    /// Watching begins once the main run loop first answers, so a process without one (`dispatchMain()`, an asynchronous
    /// `main`) reports no hangs. Applies to Linux; requires ``catchesCrashes``. On Apple platforms, MetricKit reports
    /// hangs, by its own limit.
    public var reportsHangs: Bool
    /// Reports launches that ended without a crash and without the app's own end, as for lack of memory, by a watchdog, or by a
    /// loss of power; the default is false.
    ///
    /// The next launch records each as an event named `Termination`, with the session, the user and the device of the ended
    /// launch and the last time at which it is known to have run. Its property `cause` is `restart` if the system was
    /// restarted since, or else `unknown`. Only launches that were in the foreground count and that no debugger watched when the
    /// client last noted their state.
    ///
    /// An app ends itself by ``TernClient/shutdown()``, ``TernClient/willTerminate()``, by `exit` or by returning from its main
    /// function, and by a signal that ``TernClient/flushOnTermination(by:deadline:)`` handles. Any other signal terminates it,
    /// such as Control-C in a terminal. Applies to Linux; requires ``catchesCrashes``. On Apple platforms, it isn't known at the
    /// next launch whether the last one crashed: there, terminations for lack of memory are reported as handled errors of type
    /// `Memory limit`, from iOS 27 on.
    public var reportsTerminations: Bool
    /// Starts the client paused: it records but sends nothing until `resume()`. The default is false.
    public var startsPaused: Bool

    /// Creates a configuration with default settings.
    public init(key: String, collector: URL) {
      self.init(key: key)
      self.collector = collector
    }

    /// Creates a configuration without a collector: events stay on the device until one is set.
    public init(key: String) {
      self.key = key
      collector = nil
      queueDirectory = Self.defaultQueueDirectory
      maximumQueueBytes = 10 << 20
      maximumEventAge = .seconds(25 * 86_400)
      flushInterval = .seconds(6)
      criticalFlushInterval = .zero
      sendsNormalWithCritical = true
      retries = .unlimited
      reportsRegionAsCountry = true
      flushAt = 50
      maximumBatchEvents = 500
      maximumBatchBytes = 512 << 10
      maximumBatchesInFlight = 3
      maximumRetryDelay = .seconds(30 * 60)
      requestTimeout = .seconds(60)
      compressesRequests = true
      sessions = .automatic()
      durability = .onBackgroundAndCritical
      catchesCrashes = true
      sendsCrashesAtStart = false
      reportsHangs = false
      reportsTerminations = false
      startsPaused = false
    }

    /// The retry policy after failures.
    public enum Retries: Sendable, Hashable {
      /// Exponential backoff with full jitter, up to ``maximumRetryDelay``; never gives up.
      case unlimited
      /// Each request is retried separately, after a random time from each of these ranges in turn. Once a request has
      /// used them all, nothing is sent until the network changes or the app restarts.
      case limited([ClosedRange<Duration>])
    }

    /// A rule for starting sessions.
    public enum Sessions: Sendable, Hashable {
      /// When the client starts in the foreground, when the app returns after at least `backgroundTimeout` in the background,
      /// and with the first event in the foreground after `idleTimeout` without one; 20 s and 30 min by default.
      ///
      /// Events in the background don't lengthen a session: after `backgroundTimeout` they have none. With an `idleTimeout` of
      /// `nil`, sessions are those of App Center: they last as long as the app is in the foreground, and an event in the background
      /// restarts `backgroundTimeout`.
      case automatic(backgroundTimeout: Duration = .seconds(20), idleTimeout: Duration? = .seconds(30 * 60))
      /// Only when the app calls `startSession()`; earlier events have no session.
      case manual
    }

    /// The moments at which recorded events are flushed to the disk.
    ///
    /// This matters only if the device loses power: a crash or kill of the process loses no events either way.
    public enum Durability: Sendable, Hashable {
      /// Never; the system writes on its own, within about 30 s.
      case never
      /// When the app enters the background, and after each critical event.
      case onBackgroundAndCritical
      /// Like ``onBackgroundAndCritical``, and also before each request.
      case everyBatch
    }
  }
}

extension TernClient.Configuration {
  var policy: Policy {
    var policy = Policy(
      batchEvents: maximumBatchEvents, batchBytes: maximumBatchBytes, flushAt: flushAt,
      flushInterval: flushInterval, criticalFlushInterval: criticalFlushInterval,
      maximumInFlight: maximumBatchesInFlight,
      retry: .unlimited(first: .seconds(2), ceiling: maximumRetryDelay),
      sendsCriticalAlone: !sendsNormalWithCritical)
    if case .limited(let ranges) = retries {
      policy.retry = .limited(ranges.map { $0.clamped(to: .zero ... .longest) })
      policy.retriesEachBatch = true
      policy.circuitBreakerThreshold = nil
      policy.opensCircuitAtLaunch = true
    }
    return policy
  }

  var logDurability: TernLog.Durability {
    switch durability {
    case .never: .never
    case .onBackgroundAndCritical: .onBackgroundAndCritical
    case .everyBatch: .everyBatch
    }
  }

  /// The URL of the endpoint; `nil` without a collector.
  func endpoint() throws(TernError) -> URL? {
    guard let collector else { return nil }
    return try Self.endpoint(of: collector)
  }

  /// The URL of a collector's endpoint.
  static func endpoint(of collector: URL) throws(TernError) -> URL {
    let scheme = collector.scheme?.lowercased()
    guard scheme == "http" || scheme == "https", collector.host?.isEmpty == false,
      var parts = URLComponents(url: collector, resolvingAgainstBaseURL: true)
    else {
      throw TernError(
        code: .unusableCollector,
        message: "The collector's URL \"\(collector.absoluteString)\" is not usable. Use an http or https URL.")
    }
    while parts.path.hasSuffix("/") { parts.path.removeLast() }
    parts.path += NativeProtocol.path
    parts.query = nil
    parts.fragment = nil
    return parts.url ?? collector
  }

  func checkKey() throws(TernError) {
    guard !key.isEmpty, key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw TernError(
        code: .unusableKey, message: "The key is empty or has invalid characters. Copy it from the portal unchanged.")
    }
  }
}
