import Dispatch
package import Foundation
package import Tern

/// What the modules take from the world around them, so that a test can give them another.
package struct AppCenterWorld: Sendable {
  /// The client's world; asked for each client, since each needs a seed of its own.
  package var environment: @Sendable () -> TernClient.Environment
  /// Where the storage is.
  package var directory: URL
  /// The process's environment variables.
  package var variables: [String: String]
  /// The collector's address in the app's bundle, if it has one.
  package var bundleCollector: String?
  /// This platform's name in a secret string.
  package var platform: String
  /// Whether the app is being developed, so that warnings are worth showing.
  package var isInDevelopment: Bool
  /// The country of the device's mobile carrier, when there is one.
  package var carrierCountry: @Sendable () -> String?
  /// Where the reports of crashes of earlier processes are.
  package var crashes: any CrashSource
  /// What Microsoft's SDK left on the device.
  package var previous: @Sendable () -> PreviousSDK?
  /// Runs what the app gave to be called, on no thread of the app's: it may wait for the main thread, or call the SDK.
  package var callback: @Sendable (@escaping @Sendable () -> Void) -> Void
  /// Runs what asks the app, which may show something: on the main thread where processes have a main run loop.
  package var mainCallback: @Sendable (@escaping @Sendable () -> Void) -> Void
  /// Where log messages go when the app takes none.
  package var writeLog: @Sendable (String) -> Void

  package init(
    environment: @escaping @Sendable () -> TernClient.Environment, directory: URL, variables: [String: String] = [:],
    bundleCollector: String? = nil, platform: String = "linux", isInDevelopment: Bool = true,
    carrierCountry: @escaping @Sendable () -> String? = { nil }, crashes: any CrashSource = NoCrashes(),
    previous: @escaping @Sendable () -> PreviousSDK? = { nil },
    callback: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = { $0() },
    mainCallback: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = { $0() },
    writeLog: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.environment = environment
    self.directory = directory
    self.variables = variables
    self.bundleCollector = bundleCollector
    self.platform = platform
    self.isInDevelopment = isInDevelopment
    self.carrierCountry = carrierCountry
    self.crashes = crashes
    self.previous = previous
    self.callback = callback
    self.mainCallback = mainCallback
    self.writeLog = writeLog
  }

  /// The real world.
  static var live: AppCenterWorld {
    let queue = DispatchQueue(label: "tern.app-center.callbacks")
    #if canImport(Darwin)
      let main = DispatchQueue.main
    #else
      // Most processes here have no main run loop.
      let main = queue
    #endif
    return AppCenterWorld(
      environment: { .live },
      directory: TernClient.Configuration.defaultQueueDirectory
        .appendingPathComponent("appcenter", isDirectory: true),
      variables: ProcessInfo.processInfo.environment,
      bundleCollector: Bundle.main.infoDictionary?["TernCollector"] as? String,
      platform: platformName, isInDevelopment: isAppInDevelopment, carrierCountry: currentCarrierCountry,
      previous: leftByOriginal, callback: { body in queue.async(execute: body) },
      mainCallback: { body in main.async(execute: body) }, writeLog: systemLog)
  }
}
