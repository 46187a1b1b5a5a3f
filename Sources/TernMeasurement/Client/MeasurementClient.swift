package import Foundation
package import Tern
import TernBase
import TernDelivery
import TernEvents
import TernLog

/// Records hits of the Measurement Protocol and sends them when `DispatchMachine` decides.
///
/// Use it from any thread. No call waits for the network, throws or traps. A hit is on disk when `send` returns.
package final class MeasurementClient: Sendable {
  /// The settings of a client.
  package struct Configuration: Sendable {
    /// The directory of the queue.
    package var directory: URL
    /// The URL of the collector; `nil` if there is none yet.
    package var collector: URL?
    /// The app's name in reports; `nil` means its namespace.
    package var appName: String?
    /// The timeout of a request.
    package var requestTimeout: Duration
    /// Runs the app's callbacks, always asynchronously.
    package var callback: @Sendable (@escaping @Sendable () -> Void) -> Void
    /// Receives log lines for developers.
    package var log: @Sendable (MeasurementLogLevel, String) -> Void

    package init(
      directory: URL, collector: URL? = nil, appName: String? = nil, requestTimeout: Duration = .seconds(60),
      callback: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
      log: @escaping @Sendable (MeasurementLogLevel, String) -> Void = { _, _ in }
    ) {
      self.directory = directory
      self.collector = collector
      self.appName = appName
      self.requestTimeout = requestTimeout
      self.callback = callback
      self.log = log
    }
  }

  struct State {
    /// The interval as last set, in seconds.
    var interval = 120.0
    var isDispatchingPeriodically = true
    var buckets: [String: TokenBucket] = [:]
    /// The warnings logged so far; each is logged once.
    var warned: Set<String> = []
  }

  /// The maximum size of the queue on disk, in bytes.
  package static let maximumQueueBytes = 10_000_000
  /// The maximum number of waiting hits; beyond it, the oldest are dropped.
  package static let maximumHits = 10_000

  package let configuration: Configuration
  /// The queue, settings and delivery; the same code as in Tern's own client.
  package let engine: Engine
  let codec: HitCodec
  let state = Locked(State())
  private let composing: Locked<HitComposer>
  private let task: Task<Void, Never>
  private let network: NetworkHints?

  /// Creates a client; while the directory is not usable, hits are kept in memory.
  package init(_ configuration: Configuration, environment: TernClient.Environment) {
    self.configuration = configuration
    let engine = Engine(
      queue: configuration.queue, environment,
      format: QueueFormat(
        maximumRecordBytes: HitPayload.maximumBytes - HitPayload.queueTimeBytes, maximumEvents: Self.maximumHits))
    self.engine = engine
    let codec = HitCodec(engine, configuration)
    self.codec = codec
    composing = Locked(
      HitComposer(
        automatic: AutomaticFields.fields(
          of: environment.device(), appName: configuration.appName, clientID: engine.install.description)))
    // The codec has the destination, so do not pause here: without one, it keeps the hits.
    engine.setPaused(false, for: .noCollector)
    let machine = DispatchMachine(generator: FastGenerator(seed: engine.machineSeed))
    task = Task {
      var task = DeliveryTask(engine, machine, codec)
      await task.run()
    }
    network = NetworkHints(for: engine)
    let (log, path) = (configuration.log, configuration.directory.path)
    engine.onStorage { error in
      guard error != nil else {
        return log(.info, "Storage has recovered; the hits kept in memory have been written to disk.")
      }
      log(
        .error,
        "Cannot write to \(path). Make sure that this process can create and write to that directory. Until a retry "
          + "succeeds, hits are kept in memory as far as they fit, and are lost if the process ends.")
    }
    complainUnlessUsable(configuration.collector)
  }

  deinit { engine.close() }

  /// The composer of hits, with the current facts.
  package var composer: HitComposer {
    composing.withLock { composer in
      composer.automatic["cid"] = engine.install.description
      return composer
    }
  }

  /// The screen size in pixels, sent with every hit unless its tracker overrides it; `nil` to omit it.
  package var screenResolution: String? {
    get { composing.withLock { $0.automatic["sr"] } }
    set { composing.withLock { $0.automatic["sr"] = newValue } }
  }

  /// Stops the client and returns when it has released the directory.
  package func shutdown() async {
    engine.close()
    await network?.stop()
    await task.value
  }

  /// Waits until the loop has handled all earlier calls; for tests.
  package func caughtUp() async {
    await withCheckedContinuation { continuation in engine.mailbox.post(.barrier { continuation.resume() }) }
  }

  package func log(_ level: MeasurementLogLevel, _ message: String) { configuration.log(level, message) }

  /// Logs a warning unless it has been logged before.
  package func warnOnce(_ message: String) {
    let isNew = state.withLock { state in
      // Bounded, because names may be generated.
      state.warned.count < 100 && state.warned.insert(message).inserted
    }
    if isNew { log(.warning, message) }
  }
}

extension MeasurementClient.Configuration {
  fileprivate var queue: TernClient.Configuration {
    var queue = TernClient.Configuration(key: "measurement")
    queue.queueDirectory = directory
    queue.maximumQueueBytes = MeasurementClient.maximumQueueBytes
    // Older hits count in no report, in any time zone.
    queue.maximumEventAge = .seconds(7 * 86_400)
    queue.sessions = .manual
    return queue
  }
}
