import Foundation
import Tern
package import TernEvents

/// Translates the calls of the modules into calls of one Tern client.
package final class AppCenterCore: Sendable {
  /// A test may put another in its place; an app has one.
  private static let current = Locked(AppCenterCore(.live))

  /// The core that the classes of the modules forward to.
  package static var shared: AppCenterCore {
    get { current.withLock { $0 } }
    set { current.withLock { $0 = newValue } }
  }

  package let world: AppCenterWorld
  package let logBook: LogBook
  package let state = Locked(CoreState())
  /// One start at a time; taken before `state`, which is only held for moments.
  private let starting = Locked(false)
  let files: ClientStore
  let hasAdopted = Locked(false)

  package init(_ world: AppCenterWorld) {
    self.world = world
    logBook = LogBook(world.writeLog)
    files = ClientStore(directory: world.directory, environment: world.environment())
  }

  /// Decides with the state, then writes down what there is to say.
  package func decide<Result>(_ body: (inout CoreState, inout [Note]) -> Result) -> Result {
    var notes: [Note] = []
    let result = state.withLock { body(&$0, &notes) }
    logBook.write(notes)
    return result
  }

  // MARK: Starting

  /// Configures, and starts the services; what was done before is not done again.
  package func start(_ secretString: String?, _ services: [AnyClass]?, fromApplication: Bool) {
    whileStarting {
      guard decide({ $0.configure(fromApplication: fromApplication, &$1) }) else { return }
      if world.isInDevelopment { logBook.showWarnings() }
      if fromApplication { open(SecretString(secretString, platform: world.platform)) }
      logBook.write(.info, .core, "The SDK is configured.")
      guard let services else { return }
      let count = startAll(services, fromApplication: fromApplication)
      if count == 0 { logBook.write(.debug, .core, "No service was started.") }
    }
  }

  /// Starts one more service.
  package func startService(_ service: AnyClass?) {
    guard let service else { return }
    let configured = state.withLock { $0.configured }
    switch configured {
    case .nobody: return
    case .library: logBook.write(.error, .core, "The application has not configured the SDK.")
    case .application:
      whileStarting { _ = startAll([service], fromApplication: true) }
    }
  }

  private func whileStarting(_ body: () -> Void) {
    state.withLock { $0.startsUnderWay += 1 }
    starting.withLock { isStarting in
      isStarting = true
      body()
      isStarting = false
    }
    let next = state.withLock { state in
      state.startsUnderWay -= 1
      guard state.startsUnderWay == 0 else { return [@Sendable () -> Void]() }
      defer { state.afterStart = [] }
      return state.afterStart
    }
    for call in next { call() }
  }

  /// Calls what the app gave to be called: it may use every service that is being started.
  package func afterStart(_ call: @escaping @Sendable () -> Void) {
    let isStarting = state.withLock { state in
      if state.startsUnderWay > 0 { state.afterStart.append(call) }
      return state.startsUnderWay > 0
    }
    if !isStarting { call() }
  }

  private func startAll(_ services: [AnyClass], fromApplication: Bool) -> Int {
    let startable = services.compactMap { service -> (any StartableService.Type)? in
      if let known = service as? any StartableService.Type { return known }
      logBook.write(.error, .core, "\(service) is not a service that can be started.")
      return nil
    }
    let sorted = startable.enumerated().sorted {
      ($0.element.traits.priority, $1.offset) > ($1.element.traits.priority, $0.offset)
    }
    let disabled = Set(
      (world.variables["APP_CENTER_DISABLE"] ?? "").split(separator: ",")
        .map { $0.trimmingCharacters(in: .whitespaces).lowercased() })
    var count = 0
    for service in sorted.map(\.element) {
      let traits = service.traits
      let isNew = decide {
        $0.start(traits, fromApplication: fromApplication, disabled: disabled, &$1)
      }
      guard isNew else { continue }
      count += 1
      let client = state.withLock { $0.services[traits.name]?.hasSecret == true ? $0.client : nil }
      service.started(self, client)
    }
    return count
  }

  /// Opens the client, if there is a secret.
  private func open(_ secret: SecretString) {
    guard let key = secret.secret else {
      // Said as soon as a service is started.
      openNothing(CoreState.noSecret)
      return
    }
    let (pending, address) = state.withLock { state in
      state.hasSecret = true
      defer { state.pendingSize = nil }
      return (state.pendingSize, collectorAddress(state.logUrl))
    }
    let collector = address
    adoptPrevious()
    do {
      var settings = configuration(key, collector)
      // The disk may say otherwise, if it did not take what the app said: nothing leaves before the client has heard.
      settings.startsPaused = state.withLock { $0.allowsRequests } == false
      let client = try TernClient(settings, environment: world.environment())
      client.onAttempts { [logBook] in logBook.write(attempt: $0) }
      client.onStorage { [weak self] in self?.storageChanged($0) }
      // A user lasts as long as the process, as it always did.
      client.identify(nil)
      if let pending { apply(pending, to: client) }
      let (country, region, wrapper, allowsRequests) = state.withLock { state in
        state.client = client
        return (state.countryCode, state.dataResidencyRegion, state.wrapper, state.allowsRequests)
      }
      if let allowsRequests { client.allowsRequests = allowsRequests }
      if settings.startsPaused { client.resume() }
      client.setCountryCode(country ?? world.carrierCountry())
      client.setDeviceFacts(wrapper.merging(["dataResidencyRegion": region]) { first, _ in first })
      if collector == nil, client.hasStorage { missCollector() }
    } catch {
      let obstacle = obstacle(error)
      logBook.write(.error, .core, "Nothing is recorded: \(obstacle)")
      openNothing(obstacle)
      answer(pending, false)
    }
  }

  /// There is no client: what is given to the services is lost.
  private func openNothing(_ obstacle: String) {
    // Whoever asked for room must not wait for ever.
    let pending = state.withLock { state in
      state.obstacle = obstacle
      defer { state.pendingSize = nil }
      return state.pendingSize
    }
    answer(pending, false)
  }

  private func obstacle(_ error: TernError) -> String {
    error.code == .unusableKey
      ? "the app secret cannot be used, since it is empty or has spaces or signs; copy it from the portal as it stands."
      : "\(error)"
  }

  /// The storage refuses what is recorded, or takes it again.
  private func storageChanged(_ error: TernError?) {
    guard let error else {
      logBook.write(.info, .core, "The storage can be used; what was kept in memory is in it.")
      // Not said at the start: it would have been a lie.
      if collectorAddress(state.withLock { $0.logUrl }) == nil { missCollector() }
      return
    }
    let cause = error.cause.map { " (\($0))" } ?? ""
    logBook.write(
      .error, .core,
      """
      The storage \(world.directory.path) cannot be used\(cause); let this process create and write that directory. It is \
      tried again. Until then events stay in memory, as many as fit, and are lost when the process ends.
      """)
  }

  private func configuration(_ key: String, _ collector: URL?) -> TernClient.Configuration {
    var configuration = TernClient.Configuration(key: key)
    configuration.collector = collector
    configuration.queueDirectory = world.directory
    configuration.maximumBatchEvents = 50
    configuration.flushInterval = state.withLock { $0.interval }
    configuration.criticalFlushInterval = .seconds(3)
    configuration.sendsNormalWithCritical = false
    configuration.retries = .limited([
      .seconds(5) ... .seconds(10), .seconds(150) ... .seconds(300), .seconds(600) ... .seconds(1200),
    ])
    configuration.reportsRegionAsCountry = false
    // Analytics makes them automatic when it starts, unless the app wants to begin them itself.
    configuration.sessions = .manual
    return configuration
  }

  /// Never at once: whoever is told may call the SDK, which is still starting.
  private func answer(_ size: CoreState.PendingSize?, _ fits: Bool) {
    if let handler = size?.handler { afterStart { [world] in world.callback { handler(fits) } } }
  }

  private func apply(_ size: CoreState.PendingSize, to client: TernClient) {
    client.limitQueue(to: size.bytes) { [self] fits in
      logBook.write(
        fits ? .info : .warning, .core,
        fits
          ? "The storage takes up to \(size.bytes) bytes." : "The storage holds more than \(size.bytes) bytes already.")
      answer(size, fits)
    }
  }
}
