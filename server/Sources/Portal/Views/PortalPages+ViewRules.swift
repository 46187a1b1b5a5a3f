import Reports
import Warehouse

extension PortalPages {
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
