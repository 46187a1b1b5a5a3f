import Reports
import Warehouse

/// The page of any report of an app without data: sample code instead of figures.
struct EmptyAppPage: Page {
  let visit: PageVisit
  let app: App
  let shell: Shell

  func html() -> String {
    var shell = shell
    shell.request = nil
    shell.script = "refresh.js"
    let values: TemplateValues = [
      "tern": Icon.tern, "arrival": visit.arrival(of: nil, app),
      "liveLink": PortalLinks(app: app.id).page(AppReports.live),
      "setup": visit.setup(app: app),
    ]
    return visit.page(shell, body: visit.templates.render("empty", values))
  }
}
