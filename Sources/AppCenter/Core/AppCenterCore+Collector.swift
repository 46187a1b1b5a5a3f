import Foundation
import Tern
import TernBase
import TernEvents

/// The collector's URL, which has no default.
extension AppCenterCore {
  /// Returns the first usable URL from the app, the environment or the bundle.
  func collectorAddress(_ logUrl: String?) -> URL? {
    named(logUrl).lazy.compactMap(Self.collector).first
  }

  private func named(_ logUrl: String?) -> [String] {
    [logUrl, environment.variables["TERN_COLLECTOR"], environment.bundleCollector].compactMap { $0 }.filter {
      !$0.isEmpty
    }
  }

  /// Returns the URL without App Center's `/logs`.
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

  /// Returns the URL for the log, without a password.
  private static func shown(_ collector: URL) -> String {
    guard var parts = URLComponents(url: collector, resolvingAgainstBaseURL: false), parts.password != nil else {
      return collector.absoluteString
    }
    parts.password = "***"
    return parts.string ?? ""
  }

  /// Logs once that there is no collector, and how to set one.
  func warnAboutMissingCollector() {
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

  /// The collector's URL as set by the app.
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
      if collector == nil { warnAboutMissingCollector() }
    }
  }
}
