public import Foundation
import TernBase
import TernDelivery
import TernEvents
@_exported public import TernValues

/// Records an app's events and delivers them reliably to a collector.
///
/// Create one client for the life of the app and use it from any thread. An event is on disk when `track` returns and
/// stays there until the collector has stored it durably. If the disk refuses writes, events wait in memory; see
/// ``storageError``. After `init`, recording never throws, traps or waits for the network.
///
/// ```swift
/// let tern = try TernClient(key: "…", collector: URL(string: "https://tern.example.com")!)
/// tern.track("Video clicked", ["Category": "Music", "Length": 12.5, "HD": true])
/// ```
///
/// ## Topics
/// ### Creating a client
/// - ``init(key:collector:)``
/// - ``init(_:environment:)``
/// - ``Configuration``
/// ### Recording
/// - ``track(_:_:priority:)``
/// - ``screen(_:_:)``
/// - ``step(_:)``
/// - ``identify(_:)``
/// - ``reset()``
/// - ``erase()``
/// - ``startSession()``
/// - ``Attachment``
/// - ``Part``
/// - ``Receipt``
/// ### Delivering
/// - ``flush()``
/// - ``flush(deadline:)``
/// - ``sendInBackground(deadline:)``
/// - ``pause()``
/// - ``resume()``
/// - ``isEnabled``
/// - ``status``
/// - ``ledger``
/// - ``storageError``
/// ### Changing settings
/// - ``setCollector(_:)``
/// - ``allowsRequests``
/// - ``isRecording(_:)``
/// - ``setRecording(_:of:)``
/// - ``setMaximumQueueBytes(_:)``
/// - ``setCountryCode(_:)``
/// - ``setDeviceFacts(_:)``
/// - ``setSessions(_:)``
/// - ``setFlushInterval(_:)``
/// - ``refreshDevice()``
/// ### Lifecycle
/// - ``didEnterBackground()``
/// - ``willEnterForeground()``
/// - ``willTerminate()``
/// - ``protectedDataBecameAvailable()``
/// - ``flushOnTermination(by:deadline:)``
/// - ``shutdown()``
public final class TernClient: Sendable {
  let engine: Engine
  /// Runs the delivery loop; `nil` if the caller runs it.
  private let task: Task<Void, Never>?
  private let lifecycle = Locked<LifecycleObserver?>(nil)
  private let network: NetworkHints?
  /// Receives the system's crash reports, where it has them.
  private let diagnostics = Locked<CrashDiagnostics?>(nil)
  #if !canImport(Darwin)
    let terminations = Locked<[TerminationObservation]>([])
  #endif

  /// Creates a client with the default settings.
  ///
  /// - Parameters:
  ///   - key: The app's key, from the portal or `tern apps create`.
  ///   - collector: The collector's URL.
  /// - Throws: `TernError` if the URL or the key is not usable.
  public convenience init(key: String, collector: URL) throws(TernError) {
    try self.init(Configuration(key: key, collector: collector))
  }

  /// Creates a client.
  ///
  /// If the queue's directory is not usable, the client keeps retrying it: see ``storageError``.
  ///
  /// - Parameters:
  ///   - configuration: The settings.
  ///   - environment: The dependencies; `nil`, the default, means ``Environment/live``.
  /// - Throws: `TernError` if the URL or the key is not usable.
  public init(_ configuration: Configuration, environment: Environment? = nil) throws(TernError) {
    let environment = environment ?? .live
    let engine = try Engine(configuration, environment)
    self.engine = engine
    var crashes: [Receipt] = []
    if configuration.catchesCrashes, environment.catchesCrashes {
      engine.recordTerminations()
      crashes = engine.recordEarlierCrashes()
      engine.recordEarlierHangs()
      engine.catchCrashes()
      engine.watchMainThread()
    }
    engine.beginSession { $0.launched(inForeground: environment.isInForeground) }
    engine.keepLaunch()
    task = Task {
      let machine = DeliveryMachine(
        policy: engine.configuration.policy, generator: FastGenerator(seed: engine.machineSeed),
        memory: engine.deliveryMemory())
      var task = DeliveryTask(engine, machine, NativeCodec(engine))
      await task.run()
    }
    network = NetworkHints(for: engine)
    if configuration.catchesCrashes, environment.catchesCrashes {
      receiveDiagnostics { [weak engine] in engine?.record($0) }
    }
    if environment.observesLifecycle {
      let observer = LifecycleObserver(self)
      lifecycle.withLock { $0 = observer }
    }
    if configuration.sendsCrashesAtStart { engine.waitForDelivery(of: crashes) }
  }

  /// Creates a client on an engine whose delivery loop the caller runs.
  package init(_ engine: Engine) {
    self.engine = engine
    engine.beginSession { $0.launched(inForeground: engine.environment.isInForeground) }
    task = nil
    network = nil
  }

  deinit {
    stopDiagnostics()
    engine.close()
    task?.cancel()
  }

  /// The random identifier of this installation, created at the first launch and kept in the queue's directory.
  ///
  /// While that directory is not readable, the identifier is provisional. Once ``storageError`` is `nil`, it has been
  /// replaced by the one on disk, or saved if there was none.
  public var installID: UniqueID { engine.install }

  /// Records an event; it survives the end of the process once this returns, unless the disk refuses writes.
  ///
  /// Names are truncated to 768 bytes of UTF-8, text to 8 KiB, properties to the first 100. An event that still exceeds
  /// 64 KiB is dropped and counted.
  ///
  /// - Parameters:
  ///   - name: The event's name.
  ///   - properties: The event's properties; none by default.
  ///   - priority: `.critical` events are sent at once and evicted last. The default is `.normal`.
  /// - Returns: A receipt that can confirm delivery.
  @discardableResult
  public func track(_ name: String, _ properties: Properties = [:], priority: Priority = .normal) -> Receipt {
    engine.record(.event, name, properties, priority)
  }

  /// Records that a screen appeared.
  @discardableResult
  public func screen(_ name: String, _ properties: Properties = [:]) -> Receipt {
    engine.record(.screen, name, properties, .normal)
  }

  /// Sets the user of later events; `nil` or an empty name means none.
  ///
  /// The name is truncated to 768 bytes of UTF-8 and saved across launches. A change replaces one small file on the
  /// caller's thread before this returns; if the disk refuses, saving is retried later.
  public func identify(_ user: String?) {
    engine.setUser(user)
  }

  /// Forgets the user, as after a logout. Later events have no user; an active session is replaced by a new one.
  ///
  /// A user who returns later counts as a new identity for ``erase()``. The change is saved before this returns. The
  /// installation's identifier does not change: see ``installID``.
  public func reset() {
    engine.reset()
  }

  /// Erases the undelivered events of the current user, and no others.
  ///
  /// These are the events since the last ``identify(_:)`` or ``reset()``. Their files are removed and the events counted
  /// as erased before this returns, which takes longer than recording one. Call it again if the process ended before.
  /// Requests in flight may still arrive; data on the collector is not affected.
  public func erase() {
    engine.erase()
  }

  /// Starts a new session, regardless of ``Configuration/sessions``.
  public func startSession() {
    engine.beginSession { _ in true }
  }

  /// Calls a closure with each crash and hang of an earlier launch that the system reports, until the client is shut
  /// down.
  package func receiveDiagnostics(_ receive: @escaping @Sendable (CrashDiagnostic) -> Void) {
    guard let diagnostics = CrashDiagnostics(engine.configuration, receive) else { return }
    engine.keepLaunches(process: Int(ProcessInfo.processInfo.processIdentifier))
    self.diagnostics.withLock { $0 = diagnostics }
  }

  private func stopDiagnostics() {
    diagnostics.withLock { $0.take() }?.stop()
  }

  /// Stops the client and returns when it has released the queue's directory.
  ///
  /// This does not flush; call ``flush()`` first if you need to. Waiting events are sent by the next client on the
  /// directory, which can be created as soon as this returns. Later calls to this client do nothing.
  public func shutdown() async {
    lifecycle.withLock { $0 = nil }
    #if !canImport(Darwin)
      terminations.withLock { $0 = [] }
    #endif
    stopDiagnostics()
    engine.close()
    task?.cancel()
    await network?.stop()
    await task?.value
  }
}
