package import Foundation
package import Tern
import TernBase
import TernDelivery
import TernEvents
import TernLog

/// Records hits of the Measurement Protocol and sends them when `DispatchMachine` says so.
///
/// Use it from any thread: no call waits for the network, none throws or traps. A hit is on disk when `send` returns.
package final class MeasurementClient: Sendable {
  /// The settings of a client.
  package struct Configuration: Sendable {
    /// The directory of the queue.
    package var directory: URL
    /// The address that hits are sent to; `nil` if there is none yet.
    package var collector: URL?
    /// The app's name in reports; `nil`: the namespace.
    package var appName: String?
    /// The timeout of a request.
    package var requestTimeout: Duration
    /// Runs the app's callbacks, never at once.
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
    /// The interval as last assigned, in seconds.
    var interval = 120.0
    var isDispatchingPeriodically = true
    var buckets: [String: TokenBucket] = [:]
    /// The warnings given so far: each is given once.
    var warned: Set<String> = []
  }

  /// The most bytes of the queue on disk.
  package static let maximumQueueBytes = 10_000_000
  /// The most hits that wait; beyond it the oldest are dropped.
  package static let maximumHits = 10_000

  package let configuration: Configuration
  /// Queue, settings and delivery, shared with Tern's own client.
  package let engine: Engine
  let codec: HitCodec
  let state = Locked(State())
  private let composing: Locked<HitComposer>
  private let task: Task<Void, Never>
  private let network: NetworkHints?

  /// Creates a client; while the directory cannot be used, hits are kept in memory.
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
    // The destination is the codec's: hits are tried, and kept when there is none.
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
        return log(.info, "The storage can be used again; the hits kept in memory have been written.")
      }
      log(
        .error,
        "The storage \(path) cannot be used; let this process create and write that directory. It is tried again. Until "
          + "then hits stay in memory, as many as fit, and are lost when the process ends.")
    }
    complainUnlessUsable(configuration.collector)
  }

  deinit { engine.close() }

  /// Composes hits from the present facts.
  package var composer: HitComposer {
    composing.withLock { composer in
      composer.automatic["cid"] = engine.install.description
      return composer
    }
  }

  /// The screen in pixels, sent with every hit unless its tracker overrides it; `nil`: not sent.
  package var screenResolution: String? {
    get { composing.withLock { $0.automatic["sr"] } }
    set { composing.withLock { $0.automatic["sr"] = newValue } }
  }

  /// Stops sending, closes the directory and returns when nothing of the client is left running.
  package func shutdown() async {
    engine.close()
    await network?.stop()
    await task.value
  }

  /// Returns when the loop has handled all earlier calls; for tests.
  package func caughtUp() async {
    await withCheckedContinuation { continuation in engine.mailbox.post(.barrier { continuation.resume() }) }
  }

  package func log(_ level: MeasurementLogLevel, _ message: String) { configuration.log(level, message) }

  /// Logs a warning unless it was logged before.
  package func warnOnce(_ message: String) {
    let isNew = state.withLock { state in
      // Names may be generated without end; more warnings would help no developer.
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
    // From this age on a hit counts in no report, whatever the zone.
    queue.maximumEventAge = .seconds(7 * 86_400)
    queue.sessions = .manual
    return queue
  }
}
