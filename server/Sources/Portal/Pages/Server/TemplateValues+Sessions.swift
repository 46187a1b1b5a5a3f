import Reports
import Warehouse

extension TemplateValues {
  /// The list of logins with a button that ends each.
  static func sessions(_ sessions: [LoginSession], to address: String, current: Int64? = nil) -> TemplateValues {
    let rows = sessions.map { session -> TemplateValues in
      .row(
        [
          shown(session.account.name),
          listed(session.created) + (session.provider.map { ", with \(shown($0))" } ?? ""),
          session.id == current ? "This session" : listed(session.used), shown(session.address, empty: "–"),
          shown(session.browser, empty: "Unknown", limit: 120),
        ], [.button("End", "end", id: session.id, to: address)])
    }
    return .list("Sessions", ["User", "Login", "Last used", "Address", "Browser"], rows, empty: "No sessions")
  }
}
