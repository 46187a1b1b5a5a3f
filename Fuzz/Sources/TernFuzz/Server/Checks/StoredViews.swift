import ServerBase
import TernEvents
import Warehouse
import WarehouseContract

/// An app with views that have everything switched on.
enum StoredViews {
  static let app = AppID(1)

  /// Dimensions of every scope and metrics of every type.
  static let definitions: [CustomDefinition] = {
    let start = Timestamp(millisecondsSince1970: 0)
    let dimensions = CustomDefinition.Scope.allCases.enumerated().map { index, scope in
      CustomDefinition(
        app: app, kind: .dimension, index: index + 1, name: "D\(index)", rules: [.init(start: start, scope: scope)])
    }
    let metrics = CustomDefinition.MetricType.allCases.enumerated().map { index, type in
      CustomDefinition(
        app: app, kind: .metric, index: index + 1, name: "M\(index)", type: type, rules: [.init(start: start)])
    }
    return dimensions + metrics
  }()

  static let views: [View] = {
    let kinds: [(String, View.Lateness, ViewSettings, [String])] = [
      ("Europe/Berlin", .cutoff, ViewSettings(hasQuotas: true, currency: "EUR"), []),
      ("UTC", .none, ViewSettings(sessionTimeout: .seconds(60), campaignDays: 1, identity: .user), ["av!=7"]),
      ("Australia/Lord_Howe", .window, ViewSettings(identity: .explicitUser), []),
    ]
    return kinds.enumerated().map { index, kind in
      View(
        id: ViewID(Int64(index + 1)), app: app, name: "V\(index)",
        zones: [View.Zone(ZoneRules(kind.0)!, start: Timestamp(millisecondsSince1970: 0))],
        first: View.Rules(lateness: kind.1, filters: kind.3.compactMap { ViewFilter($0) }, settings: kind.2))
    }
  }()

  static func catalog() -> MemoryCatalog {
    let catalog = MemoryCatalog(zones: ["Europe/Berlin"])
    for definition in definitions { catalog.add(definition) }
    for view in views { catalog.add(view) }
    return catalog
  }
}
