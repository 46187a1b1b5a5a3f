import Foundation
import Tern
package import TernBase
import TernEvents

/// Translates the calls of the modules into calls of one Tern client.
package final class AppCenterCore: Sendable {
  /// The core of the process; tests replace it.
  private static let current = Locked(AppCenterCore(.live))

  /// The core that the classes of the modules forward to.
  package static var shared: AppCenterCore {
    get { current.withLock { $0 } }
    set { current.withLock { $0 = newValue } }
  }

  package let environment: AppCenterEnvironment
  package let logger: AppCenterLogger
  package let state = Locked(CoreState())
  /// Serializes starts. Locked before `state`, which is held only briefly.
  private let starting = Locked(false)
  let files: ClientStore
  let hasAdopted = Locked(false)

  package init(_ environment: AppCenterEnvironment) {
    self.environment = environment
    logger = AppCenterLogger(environment.writeLog)
    files = ClientStore(directory: environment.directory, environment: environment.clientEnvironment())
  }

  /// Decides under the lock, then logs the messages.
  package func decide<Result>(_ body: (inout CoreState, inout [LogMessage]) -> Result) -> Result {
    var messages: [LogMessage] = []
    let result = state.withLock { body(&$0, &messages) }
    logger.write(messages)
    return result
  }

  // MARK: Starting

  /// Configures the SDK and starts the services; skips earlier steps.
  package func start(_ secretString: String?, _ services: [AnyClass]?, fromApplication: Bool) {
    whileStarting {
      guard decide({ $0.configure(fromApplication: fromApplication, &$1) }) else { return }
      if environment.isInDevelopment { logger.showWarnings() }
      if fromApplication { open(SecretString(secretString, platform: environment.platform)) }
      logger.write(.info, .core, "The SDK is configured.")
      guard let services else { return }
      let count = startAll(services, fromApplication: fromApplication)
      if count == 0 { logger.write(.debug, .core, "No service was started.") }
    }
  }

  /// Starts another service.
  package func startService(_ service: AnyClass?) {
    guard let service else { return }
    let configured = state.withLock { $0.configured }
    switch configured {
    case .no: return
    case .byLibrary: logger.write(.error, .core, "The application has not configured the SDK.")
    case .byApp:
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

  /// Runs one of the app's callbacks once the start has finished, so that it can use every service.
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
      logger.write(.error, .core, "\(service) is not a service that can be started.")
      return nil
    }
    let sorted = startable.enumerated().sorted {
      ($0.element.traits.priority, $1.offset) > ($1.element.traits.priority, $0.offset)
    }
    let disabled = Set(
      (environment.variables["APP_CENTER_DISABLE"] ?? "").split(separator: ",")
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

  /// Creates the client if there is a secret.
  private func open(_ secret: SecretString) {
    guard let key = secret.secret else {
      // Logged as soon as a service starts.
      continueWithoutClient(CoreState.noSecret)
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
      // The disk may hold an older value: nothing may be sent before the app's setting has reached the client.
      settings.startsPaused = state.withLock { $0.allowsRequests } == false
      let client = try TernClient(settings, environment: environment.clientEnvironment())
      client.onAttempts { [logger] in logger.write(attempt: $0) }
      client.onStorage { [weak self] in self?.storageChanged($0) }
      // As in the original, a user lasts as long as the process.
      client.identify(nil)
      if let pending { apply(pending, to: client) }
      let (country, region, wrapper, allowsRequests) = state.withLock { state in
        state.client = client
        return (state.countryCode, state.dataResidencyRegion, state.wrapper, state.allowsRequests)
      }
      if let allowsRequests { client.allowsRequests = allowsRequests }
      if settings.startsPaused { client.resume() }
      client.setCountryCode(country ?? environment.carrierCountry())
      client.setDeviceFacts(wrapper.merging(["dataResidencyRegion": region]) { first, _ in first })
      if collector == nil, client.hasStorage { warnAboutMissingCollector() }
    } catch {
      let obstacle = obstacle(error)
      logger.write(.error, .core, "Nothing is recorded: \(obstacle)")
      continueWithoutClient(obstacle)
      answer(pending, false)
    }
  }

  /// Records the reason that there is no client. The services then record nothing.
  private func continueWithoutClient(_ obstacle: String) {
    // The completion handler must not wait forever.
    let pending = state.withLock { state in
      state.obstacle = obstacle
      defer { state.pendingSize = nil }
      return state.pendingSize
    }
    answer(pending, false)
  }

  private func obstacle(_ error: TernError) -> String {
    error.code == .unusableKey
      ? "the app secret is empty or has invalid characters; copy it from the portal unchanged."
      : "\(error)"
  }

  /// Logs that the storage has failed or recovered.
  private func storageChanged(_ error: TernError?) {
    guard let error else {
      logger.write(.info, .core, "The storage is available and contains the events that were kept in memory.")
      // Logged here rather than at the start, because nothing could be stored then.
      if collectorAddress(state.withLock { $0.logUrl }) == nil { warnAboutMissingCollector() }
      return
    }
    let cause = error.cause.map { " (\($0))" } ?? ""
    logger.write(
      .error, .core,
      """
      Couldn't use the storage \(environment.directory.path)\(cause). Make sure that this process can create and write \
      it. Retrying. Until then events stay in memory, as many as fit, and are lost if the process ends.
      """)
  }

  private func configuration(_ key: String, _ collector: URL?) -> TernClient.Configuration {
    var configuration = TernClient.Configuration(key: key)
    configuration.collector = collector
    configuration.queueDirectory = environment.directory
    configuration.maximumBatchEvents = 50
    configuration.flushInterval = state.withLock { $0.interval }
    configuration.criticalFlushInterval = .seconds(3)
    configuration.sendsNormalWithCritical = false
    configuration.retries = .limited([
      .seconds(5) ... .seconds(10), .seconds(150) ... .seconds(300), .seconds(600) ... .seconds(1200),
    ])
    configuration.reportsRegionAsCountry = false
    // The service does so when it starts, because its delegate and the user decide about each report.
    configuration.catchesCrashes = false
    // Analytics makes them automatic when it starts, unless the app begins sessions itself.
    configuration.sessions = .manual
    return configuration
  }

  /// Calls the handler after the start, because it may call the SDK.
  private func answer(_ size: CoreState.PendingSize?, _ fits: Bool) {
    if let handler = size?.handler { afterStart { [environment] in environment.callback { handler(fits) } } }
  }

  private func apply(_ size: CoreState.PendingSize, to client: TernClient) {
    client.limitQueue(to: size.bytes) { [self] fits in
      logger.write(
        fits ? .info : .warning, .core,
        fits
          ? "The storage may grow to \(size.bytes) bytes." : "The storage already holds more than \(size.bytes) bytes.")
      answer(size, fits)
    }
  }
}
