import Reports
import ServerBase
import TernEvents
import Warehouse

/// The rules and zones of views in words.
enum ViewText {
  /// The zone data by which a view's days are counted, where they differ; `nil` if they don't.
  static func zoneText(of view: View) -> String? {
    guard view.zones.count > 1 else { return nil }
    let later = zip(view.zones, view.zones.dropFirst()).map { before, zone in
      let day = ReportZone(before.rules).day(of: Timestamp(millisecondsSince1970: zone.start.millisecondsSince1970 - 1))
      return "after \(day.longText): \(text(of: zone.rules))"
    }
    return "Days are those of \(text(of: view.zones[0].rules)); \(later.joined(separator: "; "))."
  }

  private static func text(of zone: ZoneRules) -> String {
    zone.source == .always ? zone.identifier : "\(zone.identifier), by zone data \(zone.source)"
  }

  /// The rules of a view on one line, with the first day to which they apply.
  static func text(of rules: View.Rules, _ view: View) -> String {
    let settings = rules.settings
    let place = (view.timeZone.split(separator: "/").last ?? "").replacing("_", with: " ")
    let zone = view.timeZone.contains("/") ? "\(place) time" : place
    let closing =
      switch rules.lateness {
      case .cutoff: "Days close at 04:00 \(zone)"
      case .window: "Days close after 25 days"
      case .none: "Days never close"
      }
    let users =
      switch settings.identity {
      case .client: [String]()
      case .user: ["users by uid"]
      case .explicitUser: ["users by uid without unification"]
      }
    let parts =
      [
        closing, "session timeout \(settings.sessionTimeout.components.seconds / 60) min",
        "campaign timeout \(counted(settings.campaignDays, "day"))",
      ] + (settings.hasQuotas ? ["at most \(ViewSettings.sessionHits) hits per session"] : []) + users
      + (settings.currency.isEmpty ? [] : [settings.currency])
    return (rules.start.map { "From \($0.longText): " } ?? "") + parts.joined(separator: " · ")
  }
}
