import Dispatch
package import Foundation
package import Tern

/// Everything that the modules need from the system; tests replace it.
package struct AppCenterEnvironment: Sendable {
  /// Makes the environment of a client; each client needs its own seed.
  package var clientEnvironment: @Sendable () -> TernClient.Environment
  /// The directory of the storage.
  package var directory: URL
  /// The environment variables of the process.
  package var variables: [String: String]
  /// The collector's address in the app's bundle, if any.
  package var bundleCollector: String?
  /// The name of this platform in a secret string.
  package var platform: String
  /// True in development, where warnings are worth showing.
  package var isInDevelopment: Bool
  /// The country of the mobile carrier, if any.
  package var carrierCountry: @Sendable () -> String?
  /// The crash reports of earlier processes.
  package var crashes: any CrashSource
  /// The settings that Microsoft's SDK left on the device.
  package var previous: @Sendable () -> PreviousSDK?
  /// Runs one of the app's callbacks on a separate queue, because it may wait for the main thread or call the SDK.
  package var callback: @Sendable (@escaping @Sendable () -> Void) -> Void
  /// Runs a callback that may show a dialog: on the main thread where processes have a main run loop.
  package var mainCallback: @Sendable (@escaping @Sendable () -> Void) -> Void
  /// Writes log messages unless the app handles them.
  package var writeLog: @Sendable (String) -> Void

  package init(
    clientEnvironment: @escaping @Sendable () -> TernClient.Environment, directory: URL,
    variables: [String: String] = [:],
    bundleCollector: String? = nil, platform: String = "linux", isInDevelopment: Bool = true,
    carrierCountry: @escaping @Sendable () -> String? = { nil }, crashes: any CrashSource = NoCrashes(),
    previous: @escaping @Sendable () -> PreviousSDK? = { nil },
    callback: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = { $0() },
    mainCallback: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = { $0() },
    writeLog: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.clientEnvironment = clientEnvironment
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

  /// The real system.
  static var live: AppCenterEnvironment {
    let queue = DispatchQueue(label: "tern.app-center.callbacks")
    #if canImport(Darwin)
      let main = DispatchQueue.main
    #else
      // Most processes on this platform have no main run loop.
      let main = queue
    #endif
    let directory = TernClient.Configuration.defaultQueueDirectory
      .appendingPathComponent("appcenter", isDirectory: true)
    return AppCenterEnvironment(
      clientEnvironment: { .live }, directory: directory,
      variables: ProcessInfo.processInfo.environment,
      bundleCollector: Bundle.main.infoDictionary?["TernCollector"] as? String,
      platform: platformName, isInDevelopment: isAppInDevelopment, carrierCountry: currentCarrierCountry,
      crashes: SystemCrashes(queue: directory), previous: leftByOriginal,
      callback: { body in queue.async(execute: body) },
      mainCallback: { body in main.async(execute: body) }, writeLog: systemLog)
  }
}
