import Foundation
import Reports
import ServerBase
import TernBase
import Warehouse

/// The page of the app's limits. Owners get a form that posts each by its name, in the unit that is shown.
package struct LimitsPage: AppPage {
  package static let place = AppPlace.limits

  let visit: PageVisit
  let limits: UsageLimitChanges
  let app: App
  let apps: [App]
  let result: FormResult

  /// - Parameters:
  ///   - limits: The limits that an owner has set.
  init(
    _ visit: PageVisit, _ limits: UsageLimitChanges, app: App, apps: [App], result: FormResult = FormResult()
  ) {
    (self.visit, self.limits, self.app, self.apps, self.result) = (visit, limits, app, apps, result)
  }

  package init(_ request: some PageRequest) async throws {
    self.init(
      try await request.visit(), try request.catalog.usageLimitChanges(of: request.app.id), app: request.app,
      apps: request.apps, result: request.result)
  }

  package func html() -> String {
    let lines = UsageLimitChanges.members.map { member -> TemplateValues in
      let (number, usual) = (member.units(in: limits), member.usual / member.unitBytes)
      return [
        "limit": member.name, "title": member.title, "value": number.map(String.init) ?? "", "usual": grouped(usual),
        "shown": grouped(number ?? usual), "isChanged": number != nil,
        "maximum": String(UsageLimitChanges.range.upperBound / member.unitBytes),
      ]
    }
    let values: TemplateValues = [
      "message": result.message.map { visible($0) }, "done": result.done.map { visible($0) }, "limits": lines,
      "changeLimits": visit.reader.isOwner ? PortalLinks(app: app.id).page(.limits) : nil,
    ]
    return visit.page(visit.settingsShell(.limits, "Limits", app, apps), body: visit.templates.render("limits", values))
  }
}

extension AppPlace {
  package static let limits = AppPlace("Limits", "limits")
}
