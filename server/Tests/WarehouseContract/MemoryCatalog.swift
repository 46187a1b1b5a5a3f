import ServerBase
import TernBase
import TernEvents
package import Warehouse

/// A catalog in memory, with apps that are numbered from 1.
package final class MemoryCatalog: CatalogStore {
  private struct State {
    var apps: [App] = []
    var views: [View] = []
    var definitions: [CustomDefinition] = []
  }

  private let state = Locked(State())
  private let onDefinitions: @Sendable () -> Void

  /// Creates a catalog with an app for each time zone.
  ///
  /// - Parameter onDefinitions: Called when definitions are read, on the thread that reads them.
  package init(zones: [String], onDefinitions: @escaping @Sendable () -> Void = {}) {
    self.onDefinitions = onDefinitions
    for zone in zones { _ = createApp(name: zone, timeZone: zone, appSecret: nil, trackingID: nil) }
  }

  /// Adds or replaces a view.
  package func add(_ view: View) {
    state.withLock { state in state.views = state.views.filter { $0.id != view.id } + [view] }
  }

  /// Adds or replaces a custom dimension or metric.
  package func add(_ definition: CustomDefinition) {
    state.withLock { state in
      state.definitions = state.definitions.filter { $0.parameter != definition.parameter } + [definition]
    }
  }

  package func usageLimits() -> [AppID: UsageLimits] { [:] }
  package func usageLimitChanges(of app: AppID) -> UsageLimitChanges { UsageLimitChanges() }
  package func apps() -> [App] { state.withLock { $0.apps } }
  package func app(_ id: AppID) -> App? { apps().first { $0.id == id } }
  package func app(key: String) -> App? { apps().first { $0.key == key } }
  package func app(appSecret: String) -> App? { apps().first { $0.appSecret == appSecret.lowercased() } }
  package func app(keyOrAppSecret text: String) -> App? { app(key: text) ?? app(appSecret: text) }
  package func app(trackingID: String) -> App? { apps().first { $0.trackingID == trackingID } }

  package func app(writeKey: String) -> App? {
    apps().first { $0.writeKeys.contains(writeKey) } ?? app(key: writeKey)
  }

  package func createApp(
    name: String, timeZone: String, appSecret: String?, trackingID: String?, writeKeys: [String] = []
  ) -> App {
    state.withLock { state in
      let number = Int64(state.apps.count + 1)
      var app = App(
        id: AppID(number), name: name, key: "key-\(number)", appSecret: appSecret ?? "secret-\(number)",
        trackingID: trackingID ?? "UA-\(number)-1", zone: ZoneRules(timeZone)!,
        created: Timestamp(millisecondsSince1970: 0))
      app.writeKeys = writeKeys
      state.apps.append(app)
      return app
    }
  }

  package func views(app: AppID?) -> [View] { state.withLock { $0.views.filter { app == nil || $0.app == app } } }
  package func view(_ id: ViewID) -> View? { views(app: nil).first { $0.id == id } }
  package func definitions(app: AppID) -> [CustomDefinition] {
    onDefinitions()
    return state.withLock { $0.definitions.filter { $0.app == app } }
  }
  package func newNamesPerDay(of app: AppID) -> Int? { nil }
}
