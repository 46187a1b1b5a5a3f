import Dispatch
import Foundation
import Tern
import TernMeasurement

extension GAI {
  /// The instance with the real clock, files and network.
  static func live() -> GAI {
    let info = Bundle.main.infoDictionary
    let process = ProcessInfo.processInfo
    let address = info?["TernCollector"] as? String ?? process.environment["TERN_COLLECTOR"]
    #if canImport(Darwin)
      let queue = DispatchQueue.main
    #else
      // Most processes on this platform have no main run loop.
      let queue = DispatchQueue(label: "tern.google-analytics.callbacks")
    #endif
    return GAI(
      directory: TernClient.Configuration.defaultQueueDirectory.appendingPathComponent(
        "measurement", isDirectory: true),
      collector: address.flatMap { URL(string: $0) },
      appName: info?["CFBundleDisplayName"] as? String ?? info?["CFBundleName"] as? String ?? process.processName,
      environment: .live, callback: { body in queue.async(execute: body) })
  }
}
