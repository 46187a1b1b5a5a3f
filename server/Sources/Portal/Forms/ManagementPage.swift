import Reports
import ServerBase
import TernEvents
import Warehouse

/// A page of lists and forms.
struct ManagementPage {
  var title: String
  var lead: String
  var result = FormResult()
  var tables: [TemplateValues] = []
  var forms: [TemplateValues] = []
  /// The address of older entries.
  var older: String?
  /// HTML above the tables.
  var content = ""
  /// HTML below the forms.
  var last = ""
}

/// The frames of pages of lists and forms.
extension PageVisit {
  /// Renders a page of the server.
  func management(_ page: ManagementPage) -> String {
    layout(
      title: page.title,
      body: templates.render(
        "plain", ["tern": Icon.tern, "nav": serverLinks(), "heading": page.title, "content": content(page)]))
  }

  /// Renders a page of an app.
  func management(_ page: ManagementPage, app: App, apps: [App], place: AppPlace? = nil) -> String {
    self.page(Shell(app: app, apps: apps, report: nil, title: page.title, place: place), body: content(page))
  }

  func content(_ page: ManagementPage) -> String {
    templates.render(
      "management",
      [
        "lead": page.lead, "done": page.result.done.map { visible($0) },
        "message": page.result.message.map { visible($0) },
        "secret": page.result.secret.map { visible($0) }, "tables": page.tables,
        "forms": page.forms, "older": page.older, "content": page.content,
        "last": page.last,
      ])
  }

  /// The links to the pages of the server that the reader may open.
  func serverLinks() -> [TemplateValues] {
    let cluster = server.hasCluster ? [("Cluster", "/cluster")] : []
    let owner =
      [
        ("Users", "/users"), ("Tokens", "/tokens"), ("Audit log", "/audit"), ("Alerts", "/alerts"),
        ("Storage", "/storage"),
      ] + cluster
    return ([("Apps", "/")] + (reader.isOwner ? owner : []) + [("Account", "/account")]).map { .link($0.0, $0.1) }
  }
}
