public import Foundation
import TernDelivery
import TernEvents
import TernLog

extension TernClient {
  /// Every setting of a client; values out of range are corrected, so that a configuration cannot be wrong.
  public struct Configuration: Sendable, Hashable {
    /// The app's key, as the collector gave it.
    public var key: String
    /// The collector's address, for example `https://tern.example.com`; a path in it is kept as a prefix.
    ///
    /// `nil`: everything is kept on the device until ``TernClient/setCollector(_:)`` names one.
    public var collector: URL?
    /// The directory of the queue, the install's identifier and the settings; created if missing.
    ///
    /// The default is ``defaultQueueDirectory``.
    public var queueDirectory: URL
    /// The most the queue may take on disk, in bytes; the default is 10 MiB, the least 24 KiB.
    public var maximumQueueBytes: Int {
      didSet { maximumQueueBytes = max(maximumQueueBytes, 24 << 10) }
    }
    /// The age from which an event is no longer worth sending; the default is 25 days, the least a second.
    public var maximumEventAge: Duration {
      didSet { maximumEventAge = max(maximumEventAge, .seconds(1)) }
    }
    /// The app's version, when its bundle has none; the default is `nil`, sent as "0".
    public var appVersion: String?
    /// The app's build, when its bundle has none; the default is `nil`, sent as "0".
    public var appBuild: String?
    /// The ISO 3166 code of the country; the default is `nil`, which means the region of the locale.
    public var countryCode: String?
    /// Reports the locale's region if the country is unknown; the default is true.
    public var reportsRegionAsCountry: Bool
    /// The time from the first unsent event to the start of a delivery; the default is 6 s.
    public var flushInterval: Duration {
      didSet { flushInterval = min(max(flushInterval, .zero), .longest) }
    }
    /// The time from the first unsent critical event to the start of a delivery; the default is zero: at once.
    public var criticalFlushInterval: Duration {
      didSet { criticalFlushInterval = min(max(criticalFlushInterval, .zero), .longest) }
    }
    /// Sends waiting normal events together with critical ones; the default is true.
    ///
    /// If false, normal events keep to ``flushInterval``, even while the device's radio is on anyway.
    public var sendsNormalWithCritical: Bool
    /// The number of waiting events that starts a delivery at once; the default is 50, the least 1.
    public var flushAt: Int {
      didSet { flushAt = max(flushAt, 1) }
    }
    /// The most events in one request; the default is 500, the range 1…2,000.
    public var maximumBatchEvents: Int {
      didSet { maximumBatchEvents = min(max(maximumBatchEvents, 1), NativeProtocol.maximumEvents) }
    }
    /// The most bytes of events in one request before compression; the default is 512 KiB, the range 1 KiB…4 MiB.
    public var maximumBatchBytes: Int {
      didSet { maximumBatchBytes = min(max(maximumBatchBytes, 1 << 10), NativeProtocol.maximumBodyBytes) }
    }
    /// The most requests under way at a time; the default is 3, the range 1…16.
    public var maximumBatchesInFlight: Int {
      didSet { maximumBatchesInFlight = min(max(maximumBatchesInFlight, 1), 16) }
    }
    /// The longest pause between two attempts; the default is 30 min, the least a second.
    public var maximumRetryDelay: Duration {
      didSet { maximumRetryDelay = max(maximumRetryDelay, .seconds(1)) }
    }
    /// The retries after failures; the default is ``Retries/unlimited``.
    public var retries: Retries
    /// The timeout of a request; the default is 60 s, the least a second.
    public var requestTimeout: Duration {
      didSet { requestTimeout = max(requestTimeout, .seconds(1)) }
    }
    /// Compresses requests of at least 1 KiB; the default is true.
    public var compressesRequests: Bool
    /// The start of sessions; the default is `.automatic()`.
    public var sessions: Sessions
    /// The protection against a loss of power; the default is `.onBackgroundAndCritical`.
    public var durability: Durability
    /// Starts the client paused: it records, but sends nothing until `resume()`; the default is false.
    public var startsPaused: Bool

    /// Creates a configuration with the defaults stated at each setting.
    public init(key: String, collector: URL) {
      self.init(key: key)
      self.collector = collector
    }

    /// Creates a configuration without a collector: everything is kept on the device until there is one.
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
      startsPaused = false
    }

    /// The retries after failures.
    public enum Retries: Sendable, Hashable {
      /// All events wait for a random time that doubles up to ``maximumRetryDelay``; Tern never gives up.
      case unlimited
      /// Each request is repeated by itself, after a random time within each of these ranges in turn; when one of them
      /// has used them up, nothing is sent until the network changes or the app starts again.
      case limited([ClosedRange<Duration>])
    }

    /// The start of sessions.
    public enum Sessions: Sendable, Hashable {
      /// At the start of the client, if the app is in the foreground, and when it comes back after at least
      /// `backgroundTimeout` in the background, without an event for as long; 20 s by default.
      case automatic(backgroundTimeout: Duration = .seconds(20))
      /// Only when the app calls `startSession()`; events before that have no session.
      case manual
    }

    /// The times at which recorded events are flushed to the disk.
    ///
    /// It matters only when the device loses power: the end of the process, however violent, loses nothing either way.
    public enum Durability: Sendable, Hashable {
      /// Never; the system writes in its own time, about 30 s.
      case never
      /// As the app enters the background, and after each critical event.
      case onBackgroundAndCritical
      /// As above, and before each request.
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

  /// The address of the endpoint; `nil` without a collector.
  func endpoint() throws(TernError) -> URL? {
    guard let collector else { return nil }
    return try Self.endpoint(of: collector)
  }

  /// The address of a collector's endpoint.
  static func endpoint(of collector: URL) throws(TernError) -> URL {
    let scheme = collector.scheme?.lowercased()
    guard scheme == "http" || scheme == "https", collector.host?.isEmpty == false,
      var parts = URLComponents(url: collector, resolvingAgainstBaseURL: true)
    else {
      throw TernError(
        code: .unusableCollector,
        message: "The collector's address \"\(collector.absoluteString)\" cannot be used; give an http or https URL.")
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
        code: .unusableKey, message: "The key is empty or has spaces or signs; copy it from the portal as it stands.")
    }
  }
}
