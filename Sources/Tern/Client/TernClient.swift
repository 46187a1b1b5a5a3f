public import Foundation
import TernBase
import TernDelivery
@_exported public import TernEvents

/// Records what happens in an app and delivers it to a collector, whatever the network and the process do meanwhile.
///
/// Create one client for the life of the app and use it from any thread. An event is on disk when `track` returns and
/// leaves the disk only when the collector has it durably; while the disk refuses it, it waits in memory
/// (``storageError``). After `init` no call throws, traps or waits for the network.
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
/// ### Coming and going
/// - ``didEnterBackground()``
/// - ``willEnterForeground()``
/// - ``willTerminate()``
/// - ``protectedDataBecameAvailable()``
/// - ``flushOnTermination(by:deadline:)``
/// - ``shutdown()``
public final class TernClient: Sendable {
  let engine: Engine
  /// `nil` if the caller runs the loop.
  private let task: Task<Void, Never>?
  private let lifecycle = Locked<LifecycleObserver?>(nil)
  private let network: NetworkHints?
  #if !canImport(Darwin)
    let terminations = Locked<[TerminationObservation]>([])
  #endif

  /// Creates a client with the default settings.
  ///
  /// - Parameters:
  ///   - key: The app's key, as the collector gave it.
  ///   - collector: The collector's address.
  /// - Throws: `TernError` when the address or the key cannot be used.
  public convenience init(key: String, collector: URL) throws(TernError) {
    try self.init(Configuration(key: key, collector: collector))
  }

  /// Creates a client.
  ///
  /// A queue's directory that cannot be used is tried again while the client lives: see ``storageError``.
  ///
  /// - Parameters:
  ///   - configuration: Its settings.
  ///   - environment: The world around it; `nil`, the default, means the real one.
  /// - Throws: `TernError` when the address or the key cannot be used.
  public init(_ configuration: Configuration, environment: Environment? = nil) throws(TernError) {
    let environment = environment ?? .live
    let engine = try Engine(configuration, environment)
    self.engine = engine
    engine.beginSession { $0.launched(inForeground: environment.isInForeground) }
    task = Task {
      let machine = DeliveryMachine(
        policy: engine.configuration.policy, generator: FastGenerator(seed: engine.machineSeed),
        memory: engine.deliveryMemory())
      var task = DeliveryTask(engine, machine, NativeCodec(engine))
      await task.run()
    }
    network = NetworkHints(for: engine)
    if environment.observesLifecycle {
      let observer = LifecycleObserver(self)
      lifecycle.withLock { $0 = observer }
    }
  }

  /// Creates a client on an engine whose delivery loop the caller runs.
  package init(_ engine: Engine) {
    self.engine = engine
    engine.beginSession { $0.launched(inForeground: engine.environment.isInForeground) }
    task = nil
    network = nil
  }

  deinit {
    engine.close()
    task?.cancel()
  }

  /// Identifies this installation of the app; drawn at the first launch, and kept as long as the queue's directory is.
  ///
  /// While that directory cannot be read it is one that is drawn for the time being: it becomes the one on disk, or is
  /// written there, as soon as ``storageError`` is `nil`.
  public var installID: UniqueID { engine.install }

  /// Records an event; it survives the end of the process once this returns, unless the disk refuses it for now.
  ///
  /// Names are cut to 768 bytes of UTF-8, text to 8 KiB, properties to the first 100; an event that still takes more
  /// than 64 KiB is dropped and counted.
  ///
  /// - Parameters:
  ///   - name: What happened.
  ///   - properties: What there is to say about it; none by default.
  ///   - priority: `.critical` is sent at once and is the last to go when the queue is full. The default is `.normal`.
  /// - Returns: What to ask later whether the event has arrived.
  @discardableResult
  public func track(_ name: String, _ properties: Properties = [:], priority: Priority = .normal) -> Receipt {
    engine.record(.event, name, properties, priority)
  }

  /// Records that a screen came into view.
  @discardableResult
  public func screen(_ name: String, _ properties: Properties = [:]) -> Receipt {
    engine.record(.screen, name, properties, .normal)
  }

  /// Names the user of the events from now on; `nil` or an empty name means none.
  ///
  /// The name is cut to 768 bytes of UTF-8 and kept over launches: it is written down when this returns, by replacing
  /// one small file on the caller's thread. A disk that refuses is tried again later.
  public func identify(_ user: String?) {
    engine.setUser(user)
  }

  /// Forgets the user, as after a log-out: later events have no user, and a new session if one is open.
  ///
  /// Each identity has a number of its own in the queue, also when the same user comes back. It is written down when
  /// this returns. The installation stays the same: see ``installID``.
  public func reset() {
    engine.reset()
  }

  /// Erases what was recorded for the present user and has not been delivered; nothing of other users.
  ///
  /// The user is the one since the last ``identify(_:)`` or ``reset()``. The bytes on disk are overwritten and the events
  /// counted as erased when this returns, which takes longer than recording one; an erasure that a crash interrupts is
  /// ended by the next launch. A request that is under way may still arrive. What the collector has is not touched.
  public func erase() {
    engine.erase()
  }

  /// Begins a new session, however sessions are configured to begin.
  public func startSession() {
    engine.beginSession { _ in true }
  }

  /// Stops sending, lets go of the queue's directory and returns when nothing of the client is left running.
  ///
  /// Nothing is sent any more: call ``flush()`` before if it should be. What waits is sent by the next client on the
  /// directory, which can be created as soon as this returns. Later calls of the client do nothing.
  public func shutdown() async {
    lifecycle.withLock { $0 = nil }
    #if !canImport(Darwin)
      terminations.withLock { $0 = [] }
    #endif
    engine.close()
    task?.cancel()
    await network?.stop()
    await task?.value
  }
}
