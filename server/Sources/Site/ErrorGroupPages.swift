import Answering
import HTTP
import HTTPTypes
import Hummingbird
import Portal
import ServerBase
import TernEvents
import Warehouse

/// The forms of the page of an app's rules for groups of errors, and of merged groups: `/apps/ID/error-groups`.
struct ErrorGroupPages: SettingsForms {
  let site: Site

  func add(to routes: RouteTable) {
    routes.on(
      AppPlace.errorGroups.route,
      [
        .post: .page(.permission(.edit)) { try await change($0, $1) }
      ])
  }

  private func change(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let (app, form) = (try context.app.id, try await site.reader.form(request, context))
    let (catalog, groups) = (site.catalog, site.data.errorGroups)
    func lines(_ field: String) -> [String] {
      (form[field] ?? "").split(whereSeparator: \.isNewline).map { String($0).trimmed }.filter { !$0.isEmpty }
    }
    func number(_ field: String) -> Int64 { form[field].flatMap { Int64($0.trimmed) } ?? 0 }
    do {
      switch form["do"] {
      case "rules":
        var rules = ErrorRules()
        (rules.skippedFiles, rules.skippedFunctions) = (lines("files"), lines("functions"))
        rules.skippedImages = lines("images")
        try catalog.setErrorRules(rules, app: app)
      case "merge":
        try await groups.merge(ErrorDecisions.Merge(group: number("group"), into: number("into")), context)
      case "separate": _ = try catalog.separateErrors(number("id"), app: app)
      case "split": _ = try await groups.split(occurrence: number("id"), context)
      case "rejoin": _ = try catalog.rejoinErrors(number("id"), app: app)
      default: throw APIError.unknownAction
      }
      return Redirect(path: "/apps/\(app)/error-groups?done=saved").response
    } catch let error as WarehouseError where error.code == .invalid {
      return try await site.open(ErrorGroupsPage.self, request, context, FormResult(message: error.message))
    } catch let error as APIError where error.status == .badRequest || error.status == .notFound {
      return try await site.open(ErrorGroupsPage.self, request, context, FormResult(message: error.message))
    }
  }
}
