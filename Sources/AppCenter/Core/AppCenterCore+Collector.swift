import Foundation
import Tern
import TernBase
import TernEvents

/// The collector's address; there is no default.
extension AppCenterCore {
  /// The first usable address of the app's, the environment's and the bundle's.
  func collectorAddress(_ logUrl: String?) -> URL? {
    named(logUrl).lazy.compactMap(Self.collector).first
  }

  private func named(_ logUrl: String?) -> [String] {
    [logUrl, environment.variables["TERN_COLLECTOR"], environment.bundleCollector].compactMap { $0 }.filter {
      !$0.isEmpty
    }
  }

  /// The address without App Center's `/logs`.
  static func collector(_ address: String) -> URL? {
    guard var parts = URLComponents(string: address) else { return nil }
    while parts.path.hasSuffix("/") { parts.path.removeLast() }
    if parts.path.hasSuffix("/logs") { parts.path.removeLast("/logs".count) }
    parts.query = nil
    guard let url = parts.url, url.host?.isEmpty == false, ["http", "https"].contains(url.scheme?.lowercased()) else {
      return nil
    }
    return url
  }

  /// The address for the log, without a password.
  private static func shown(_ collector: URL) -> String {
    guard var parts = URLComponents(url: collector, resolvingAgainstBaseURL: false), parts.password != nil else {
      return collector.absoluteString
    }
    parts.password = "***"
    return parts.string ?? ""
  }

  /// Logs once how to name a collector.
  func missCollector() {
    let isFirst = state.withLock { state in
      defer { state.wasCollectorMissed = true }
      return !state.wasCollectorMissed
    }
    guard isFirst else { return }
    for wrong in named(state.withLock { $0.logUrl }) {
      logger.write(
        .warning, .core, "\"\(wrong)\" is not the address of a collector, such as https://tern.example.com.")
    }
    logger.write(
      .warning, .core,
      """
      No collector is set, so everything stays on the device. Set AppCenter.logUrl before AppCenter.start, \
      TernCollector in Info.plist, or the environment variable TERN_COLLECTOR to its address.
      """)
  }

  /// The address set by the app.
  package var logUrl: String? {
    get { state.withLock { $0.logUrl } }
    set {
      if let newValue, Self.collector(newValue) == nil {
        logger.write(.warning, .core, "\"\(newValue)\" is not the address of a collector; the previous one stays.")
        return
      }
      let client = state.withLock { state in
        state.logUrl = newValue
        return state.client
      }
      guard let client else { return }
      let collector = collectorAddress(newValue)
      // It was parsed above, so it is usable.
      try? client.setCollector(collector)
      logger.write(.info, .core, "The collector is \(collector.map(Self.shown) ?? "not set").")
      if collector == nil { missCollector() }
    }
  }
}
