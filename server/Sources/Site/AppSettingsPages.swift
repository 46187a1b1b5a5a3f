import Answering
import HTTP
import Hummingbird
import Portal
import ServerBase
import Warehouse

/// The changes of an app: the forms of its settings, the page of its time zone, and its deletion.
struct AppSettingsPages: SettingsForms {
  let site: Site

  private static let allDays = Day(year: 1, month: 1, day: 1)...Day(year: 9999, month: 12, day: 31)

  func add(to routes: RouteTable) {
    routes.on(
      AppPlace.app.route,
      [
        .post: .page(.permission(.edit)) { try await change($0, $1) }
      ])
    routes.on(
      "/apps/:app/zone",
      [
        .get: .page(.permission(.edit)) { try await zone($0, $1) },
        .post: .page(.permission(.edit)) { try await changeZone($0, $1) },
      ])
    routes.on("/apps/:app/delete", [.post: .page(.permission(.administer)) { try await delete($0, $1) }])
  }

  private func zone(
    _ request: Request, _ context: CollectorContext, given: String? = nil, mistake: String? = nil
  ) async throws -> Response {
    let app = try context.app
    let events = try await site.reports.run(for: context.clientShare) { [site] in
      try await site.store.count(app: app.id, dimension: .total, days: Self.allDays)
    }
    return .html(
      try ZonePage(
        site.visit(request, context), app: app, apps: try context.visitor.visible(try site.catalog.apps()),
        events: events, given: given,
        mistake: mistake
      ).html(),
      status: mistake == nil ? .ok : .badRequest)
  }

  private func changeZone(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let (app, form) = (try context.app, try await site.reader.form(request, context))
    let zone = (form["timeZone"] ?? "").trimmed
    let done = Redirect(path: "/apps/\(app.id)/zone").response
    func refused(_ mistake: String) async throws -> Response {
      try await self.zone(request, context, given: zone, mistake: mistake)
    }
    // The page has no form then. It says that the days are being counted again, and what another change waits for.
    if case .running? = try site.catalog.zoneChange(of: app.id) { return done }
    guard form["confirm"] != nil else {
      return try await refused("To change the time zone, check “Count all days again”.")
    }
    do {
      guard try site.catalog.changeApp(app.id, AppChange(timeZone: zone)).recount != nil else {
        return try await refused("This is the time zone of the app already.")
      }
    } catch let error as WarehouseError where error.code == .invalid {
      return try await refused(error.message)
    }
    return done
  }

  private func hasDays(_ app: AppID, _ context: CollectorContext) async throws -> Bool {
    try await site.reports.run(for: context.clientShare) { [store = site.store] in
      try await AppSettingsPage.hasDays(app, in: store)
    }
  }

  private func change(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let form = try await site.reader.form(request, context)
    let before = try context.app
    let app = before.id
    do {
      var change = AppChange(
        name: form["name"]?.trimmed, timeZone: form.text("timeZone").flatMap { $0 == before.timeZone ? nil : $0 },
        appSecret: form["appSecret"]?.trimmed, trackingID: form["trackingId"]?.trimmed,
        writeKeys: form.words("writeKeys"),
        keeping: try form.text("keeping").map { try KeepingPeriod.reading($0) })
      change.recountsDays = false
      // A form without the field leaves the limit as it is.
      let newNames = try form.number("newNames")
      if form["newNames"] != nil, try newNames != site.catalog.newNamesPerDay(of: app) {
        change.newNamesPerDay = newNames
      }
      if change.timeZone != nil, try await hasDays(app, context) {
        throw WarehouseError(
          .invalid, "This app has events by now. Open “Change the time zone” to count them again in another one.")
      }
      let after = try site.catalog.changeApp(app, change).app
      let changed = [
        ("name", after.name != before.name), ("timeZone", after.timeZone != before.timeZone),
        ("appSecret", after.appSecret != before.appSecret), ("trackingId", after.trackingID != before.trackingID),
        ("writeKeys", after.writeKeys != before.writeKeys),
        ("newNames", change.newNamesPerDay != nil), ("keeping", after.keeping != before.keeping),
      ].filter(\.1).map(\.0)
      let outcome = changed.isEmpty ? "unchanged" : changed.joined(separator: ",")
      return Redirect(path: "/apps/\(app)/settings?done=\(outcome)").response
    } catch let error as WarehouseError where error.code == .invalid {
      return try await site.open(AppSettingsPage.self, request, context, FormResult(message: error.message))
    }
  }

  private func delete(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let app = try context.app
    let form = try await site.reader.form(request, context)
    guard form["confirm"]?.trimmed == app.name else {
      return try await site.open(
        AppSettingsPage.self, request, context,
        FormResult(message: "To delete this app, enter its name exactly as it is."))
    }
    try site.catalog.requestDeletion(of: app)
    return Redirect(path: "/?done=app-deletion").response
  }
}
