package import Foundation
package import Tern
import TernEvents
import TernLog

/// Records hits of the Measurement Protocol and sends them when `DispatchMachine` says so.
///
/// Use it from any thread: no call waits for the network, none throws or traps. A hit is on disk when `send` returns.
package final class MeasurementClient: Sendable {
  /// The settings of a client.
  package struct Configuration: Sendable {
    /// Where the queue is.
    package var directory: URL
    /// Where hits go; `nil`: nowhere yet.
    package var collector: URL?
    /// The app's name in reports; `nil`: the namespace.
    package var appName: String?
    /// How long to wait for an answer.
    package var requestTimeout: Duration
    /// Runs what the app gave to be called, never at once.
    package var callback: @Sendable (@escaping @Sendable () -> Void) -> Void
    /// Takes lines for the developer.
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

  /// What the loop is told to do.
  enum Work: Sendable {
    case action(DispatchMachine.Action)
    case trim
    /// Wake up then to try the disk again; `nil`: no more.
    case storage(Duration?)
    /// Say that all that was to be done before this has been begun.
    case tell(@Sendable () -> Void)
  }

  struct State {
    var machine: DispatchMachine
    var files: StateFiles
    /// Drawn for the time being while the disk does not say which it is.
    var install: UniqueID
    /// What waits for the disk to take it; `nil` while all is on disk at once.
    var holding: HitHolding?
    var optOut: OptOut
    var isDryRun = false
    var destination: Destination
    var buckets: [String: TokenBucket] = [:]
    var hitNumber: Int
    var generator: FastGenerator
    var isTrimming = false
    var lastCall = 0
    var handlers: [DispatchMachine.CallID: @Sendable (DispatchMachine.Result) -> Void] = [:]
    /// Warnings are given once each.
    var warned: Set<String> = []
  }

  package let configuration: Configuration
  package let environment: TernClient.Environment
  package let store: HitStore
  private let composing: Locked<HitComposer>
  let boot: UniqueID?
  let userAgent: String
  let state: Locked<State>
  private let work: AsyncStream<Work>.Continuation
  private let task: Task<Void, Never>
  private let network: Locked<NetworkHints?>

  /// Creates a client; a directory that cannot be used is tried again later, and until then hits are kept in memory.
  package init(_ configuration: Configuration, environment: TernClient.Environment) {
    self.configuration = configuration
    self.environment = environment
    var generator = FastGenerator(seed: environment.seed)
    let files = StateFiles(
      directory: configuration.directory.path, fileSystem: environment.fileSystem, isDurable: true,
      seed: generator.next())
    boot = environment.boot.flatMap { UniqueID($0) }
    let install = UniqueID.random(using: &generator)
    store = HitStore(
      directory: configuration.directory.path, boot: boot, fileSystem: environment.fileSystem, clock: environment.clock)
    let device = environment.device()
    composing = Locked(
      HitComposer(
        automatic: AutomaticFields.fields(of: device, appName: configuration.appName, clientID: install.description)))
    userAgent = AutomaticFields.userAgent(of: device)
    let isOptedOut = files.savedOptOut ?? false
    let destination = Destination(collector: configuration.collector)
    let machineGenerator = FastGenerator(seed: generator.next())
    state = Locked(
      State(
        machine: DispatchMachine(
          isOptedOut: isOptedOut, hasDestination: destination.isUsable, generator: machineGenerator),
        files: files, install: install,
        holding: HitHolding(isUnopened: true, retry: StorageBackoff(failedAt: environment.clock.uptime)),
        optOut: OptOut(isOptedOut: isOptedOut, lastLook: environment.clock.uptime),
        destination: destination, hitNumber: 0, generator: generator))
    let (stream, work) = AsyncStream.makeStream(of: Work.self)
    self.work = work
    let mailbox = MeasurementMailbox()
    task = Task { await MeasurementLoop(mailbox).run(stream) }
    network = Locked(nil)
    mailbox.connect(self)
    if let reachability = environment.reachability {
      let hints = NetworkHints(reachability, clock: environment.clock) { mailbox.feed(.networkAvailable) }
      network.withLock { $0 = hints }
    }
    if !state.withLock({ openStorage(&$0) }) { complainOfStorage() }
    feed(.launched)
    complainUnlessUsable(configuration.collector)
  }

  deinit { work.finish() }

  /// Puts hits together from what is known now.
  package var composer: HitComposer { composing.withLock { $0 } }

  func changeAutomatic(_ change: (inout [String: String]) -> Void) {
    composing.withLock { change(&$0.automatic) }
  }

  /// The screen in pixels, as every hit says unless its tracker says otherwise; `nil`: none says anything.
  package var screenResolution: String? {
    get { composing.withLock { $0.automatic["sr"] } }
    set { composing.withLock { $0.automatic["sr"] = newValue } }
  }

  /// Stops sending, lets go of the directory and returns when nothing of the client is left running.
  package func shutdown() async {
    let hints = network.withLock { network in
      defer { network = nil }
      return network
    }
    await hints?.stop()
    work.finish()
    await task.value
    giveUpHeld()
    store.log.close()
  }

  /// Returns when all that was asked for before has been begun; for tests.
  package func caughtUp() async {
    await withCheckedContinuation { continuation in
      if case .terminated = work.yield(.tell({ continuation.resume() })) { continuation.resume() }
    }
  }

  /// Tells the machine; what it says is done in the order in which it was told, by the loop.
  func feed(_ input: DispatchMachine.Input) {
    state.withLock { feed(input, &$0) }
  }

  func feed(_ input: DispatchMachine.Input, _ state: inout State) {
    let waiting = store.log.counts.waiting
    for action in state.machine.handle(input, waiting: waiting, now: environment.clock.uptime) {
      work.yield(.action(action))
    }
  }

  /// Has the disk tried again then.
  func schedule(storage deadline: Duration?) { work.yield(.storage(deadline)) }

  func trimSoon(_ state: inout State) {
    guard !state.isTrimming else { return }
    state.isTrimming = true
    work.yield(.trim)
  }

  package func log(_ level: MeasurementLogLevel, _ message: String) { configuration.log(level, message) }

  /// Gives a warning unless it was given before.
  package func warnOnce(_ message: String) {
    let isNew = state.withLock { state in
      // Names may be made up without end; nobody reads that many warnings.
      state.warned.count < 100 && state.warned.insert(message).inserted
    }
    if isNew { log(.warning, message) }
  }
}

/// How the loop reaches its client without keeping it alive.
final class MeasurementMailbox: Sendable {
  private struct Box { weak var client: MeasurementClient? }
  private let box = Locked(Box())

  var client: MeasurementClient? { box.withLock { $0.client } }

  func connect(_ client: MeasurementClient) { box.withLock { $0.client = client } }

  func feed(_ input: DispatchMachine.Input) { client?.feed(input) }
}
