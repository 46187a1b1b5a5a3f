import Answering
import HTTP
import Hummingbird
import Portal
import ServerBase
import TernBase
import Warehouse

/// The forms of the page of an app's limits: `/apps/ID/limits`.
struct LimitPages: SettingsForms {
  let site: Site

  func add(to routes: RouteTable) {
    routes.on(
      AppPlace.limits.route,
      [
        .post: .page(.permission(.administer)) { try await change($0, $1) }
      ])
  }

  private func change(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let form = try await site.reader.form(request, context)
    let app = try context.app.id
    do {
      var changes = try site.catalog.usageLimitChanges(of: app)
      // A form without a field leaves its limit as it is, even one between two units.
      for member in UsageLimitChanges.members where form[member.name] != nil {
        let number = try form.number(member.name)
        guard number != member.units(in: changes) else { continue }
        changes[keyPath: member.value] = number.map {
          Int((SaturatingInt64($0) * SaturatingInt64(member.unitBytes)).rawValue)
        }
      }
      try site.catalog.setUsageLimits(of: app, to: changes)
      return Redirect(path: "/apps/\(app)/limits?done=saved").response
    } catch let error as WarehouseError where error.code == .invalid {
      return try await site.open(LimitsPage.self, request, context, FormResult(message: error.message))
    }
  }
}
