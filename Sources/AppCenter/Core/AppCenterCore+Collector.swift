import Foundation
import Tern
import TernEvents

/// Which collector the modules talk to; there is no default.
extension AppCenterCore {
  /// What the app set, else the environment, else the bundle: the first that can be used.
  func collectorAddress(_ logUrl: String?) -> URL? {
    named(logUrl).lazy.compactMap(Self.collector).first
  }

  private func named(_ logUrl: String?) -> [String] {
    [logUrl, world.variables["TERN_COLLECTOR"], world.bundleCollector].compactMap { $0 }.filter { !$0.isEmpty }
  }

  /// The address without the `/logs` that App Center's own had.
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

  /// The address without a password, for the log.
  private static func shown(_ collector: URL) -> String {
    guard var parts = URLComponents(url: collector, resolvingAgainstBaseURL: false), parts.password != nil else {
      return collector.absoluteString
    }
    parts.password = "***"
    return parts.string ?? ""
  }

  /// Says, once, how to name a collector.
  func missCollector() {
    let isFirst = state.withLock { state in
      defer { state.wasCollectorMissed = true }
      return !state.wasCollectorMissed
    }
    guard isFirst else { return }
    for wrong in named(state.withLock { $0.logUrl }) {
      logBook.write(
        .warning, .core, "\"\(wrong)\" is no address of a collector; one looks like https://tern.example.com.")
    }
    logBook.write(
      .warning, .core,
      """
      There is no collector, so everything is kept on the device. Set AppCenter.logUrl before AppCenter.start, \
      TernCollector in Info.plist, or the environment variable TERN_COLLECTOR to its address.
      """)
  }

  /// The address that the app set.
  package var logUrl: String? {
    get { state.withLock { $0.logUrl } }
    set {
      if let newValue, Self.collector(newValue) == nil {
        logBook.write(.warning, .core, "\"\(newValue)\" is no address of a collector; the one before stays.")
        return
      }
      let client = state.withLock { state in
        state.logUrl = newValue
        return state.client
      }
      guard let client else { return }
      let collector = collectorAddress(newValue)
      // It was read above, so it can be used.
      try? client.setCollector(collector)
      logBook.write(.info, .core, "The collector is \(collector.map(Self.shown) ?? "not set").")
      if collector == nil { missCollector() }
    }
  }
}
