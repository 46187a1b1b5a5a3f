import Answering
import HTTP
import HTTPTypes
import Hummingbird
import Portal
import Reports
import ServerBase
import TernEvents
import Warehouse

/// `/apps/ID/views` and `/apps/ID/views/VIEW`: the views of an app, which editors create, change and delete.
struct ViewPages: Sendable {
  let site: Site

  func add(to routes: RouteTable) {
    let editor = Endpoint.Requirement.permission(.edit)
    routes.on(AppPlace.views.route, [.post: .page(editor) { try await create($0, $1) }])
    routes.on(
      "/apps/:app/views/:view",
      [
        .get: .page(editor) { try show($0, $1, FormResult(outcome: $0.parameters["done"])) },
        .post: .page(editor) { try await post($0, $1) },
      ])
  }

  private func show(
    _ request: Request, _ context: CollectorContext, given: [String: String] = [:], _ result: FormResult = FormResult()
  ) throws -> Response {
    .html(
      try ViewSettingsPage(
        site.visit(request, context), try site.catalog.view(context), app: try context.app,
        apps: try context.visitor.visible(try site.catalog.apps()),
        given: given, result: result
      ).html(), status: result.message == nil ? .ok : .badRequest)
  }

  private func create(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let form = try await site.reader.form(request, context)
    do {
      guard form["do"] == "create" else { throw APIError.unknownAction }
      let change = try Self.change(form)
      _ = try site.catalog.createView(
        app: try context.app.id, name: (form["name"] ?? "").trimmed, timeZone: (form["timeZone"] ?? "").trimmed,
        lateness: change.lateness ?? .cutoff, filters: change.filters ?? [],
        settings: ViewSettings(
          sessionTimeout: change.sessionTimeout ?? ViewSettings().sessionTimeout,
          campaignDays: change.campaignDays ?? ViewSettings().campaignDays, hasQuotas: change.hasQuotas ?? false,
          currency: change.currency ?? "", identity: form["identity"].flatMap { .init(rawValue: $0) } ?? .client))
      return Redirect(path: "/apps/\(try context.app.id)/views?done=created").response
    } catch let error as WarehouseError where error.code == .invalid {
      return try await site.open(
        ViewsPage.self, request, context, fields: form.values, FormResult(message: error.message))
    }
  }

  private func post(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let (view, form) = (try site.catalog.view(context), try await site.reader.form(request, context))
    do {
      switch form["do"] {
      case "change":
        try change(view, form)
        return Redirect(path: "/apps/\(view.app)/views/\(view.id)?done=saved").response
      case "delete":
        guard form["confirm"]?.trimmed == view.name else {
          throw WarehouseError(.invalid, "To delete this view, enter its name exactly as it is.")
        }
        try site.catalog.deleteView(view)
        return Redirect(path: "/apps/\(view.app)/views?done=deleted").response
      default: throw APIError.unknownAction
      }
    } catch let error as WarehouseError where [.invalid, .held].contains(error.code) {
      return try show(request, context, given: form.values, FormResult(message: error.message))
    }
  }

  private func change(_ view: View, _ form: URLEncodedForm) throws {
    var change = try Self.change(form)
    let (name, rules) = ((form["name"] ?? "").trimmed, view.latest)
    change.name = name == view.name ? nil : name
    if view.countsUserIDs { change.hasUnification = form["unification"] != nil }
    try view.requireConfirmation(
      of: change, isConfirmed: form["final"] != nil, how: "check “Close the open days”")
    let isChanged = change.name != nil || change.applied(to: rules) != rules
    if isChanged { _ = try site.catalog.changeView(view.id, change, endsOpenDays: true) }
    _ = try site.catalog.setZone(of: view.id, to: (form["timeZone"] ?? "").trimmed)
  }

  /// The rules in a form.
  private static func change(_ form: URLEncodedForm) throws -> ViewChange {
    var change = ViewChange()
    change.lateness = form["lateness"].flatMap { View.Lateness(rawValue: $0) }
    change.filters = try (form["filters"] ?? "").split(whereSeparator: \.isNewline).map(\.trimmed)
      .filter { !$0.isEmpty }.map { try ViewFilter(checking: $0) }
    change.sessionTimeout = try form.number("sessionTimeout").map { .seconds(min($0, 100_000) * 60) }
    change.campaignDays = try form.number("campaignDays")
    change.hasQuotas = form["quotas"] != nil
    change.currency = (form["currency"] ?? "").trimmed
    return change
  }
}

extension ViewFilter {
  /// Parses a filter; throws ``WarehouseError`` with code `invalid`.
  init(checking text: String) throws {
    guard let filter = ViewFilter(text) else {
      throw WarehouseError(
        .invalid, "“\(visible(text))” is not a filter. Enter parameter=value or parameter!=value, such as av=2.0.")
    }
    self = filter
  }
}
