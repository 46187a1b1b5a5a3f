import HTTPTypes
import Hummingbird
import NIOCore
import Reports
import ServerBase
import TernEvents
import Warehouse

/// The part of `/api/v1` with which programs read, change and delete apps and views, and create views.
struct EditingRoutes: Sendable {
  let reader: BodyReader
  let catalog: any CollectorCatalog
  let wallTime: @Sendable () -> Timestamp

  /// The maximum size of a request, in bytes.
  private static let maximumBytes = 64 << 10

  func add(to routes: RouteTable) {
    let editor = Endpoint.Requirement.permission(.edit)
    routes.on(
      "/api/v1/apps/:app",
      [
        .get: .api(.permission(.read)) { _, context in try answer(try context.app.id) },
        .patch: .api(editor) { try await changeApp($0, $1) },
        .delete: .api(.permission(.administer)) { try deleteApp($0, $1) },
      ])
    routes.on(
      "/api/v1/apps/:app/views",
      [
        .get: .api(.permission(.read)) { _, context in try views(context) },
        .post: .api(editor) { try await createView($0, $1) },
      ])
    routes.on(
      "/api/v1/apps/:app/views/:view",
      [
        .get: .api(.permission(.read)) { _, context in
          try Response.refusingInvalid { .tagged(try representation(try catalog.view(context))) }
        },
        .patch: .api(editor) { try await changeView($0, $1) },
        .delete: .api(editor) { try deleteView($0, $1) },
      ])
  }

  /// The settings of an app as they are now; throws ``APIError`` 404 if there is none.
  private func settings(of id: AppID) throws -> (app: App, newNamesPerDay: Int?) {
    // Not the app of the request, which may be a second old.
    guard let app = try catalog.apps().first(where: { $0.id == id }) else { throw APIError.unknownApp }
    return (app, try catalog.newNamesPerDay(of: id))
  }

  /// The bytes that an app's tag is a hash of: its settings, without the progress of a change of the time zone.
  private func representation(of id: AppID) throws -> [UInt8] {
    let (app, newNames) = try settings(of: id)
    return try Response.bytes(encoding: AppDescription(app, newNamesPerDay: newNames))
  }

  private func answer(_ id: AppID) throws -> Response {
    let (app, newNames) = try settings(of: id)
    return .tagged(
      try Response.bytes(
        encoding: AppDescription(app, zoneChange: try catalog.zoneChange(of: id), newNamesPerDay: newNames)),
      state: try Response.bytes(encoding: AppDescription(app, newNamesPerDay: newNames)))
  }

  private func changeApp(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let wanted = try await reader.object(
      AppPatch.self, of: request, context, limit: Self.maximumBytes,
      members: "name, timeZone, appSecret, trackingId, newNamesPerDay and keep")
    let (id, condition) = (try context.app.id, Precondition(request))
    return try Response.refusingInvalid {
      try catalog.atomically {
        try condition.require { try representation(of: id) }
        try catalog.changeApp(
          id,
          AppChange(
            name: wanted.name?.trimmed, timeZone: wanted.timeZone, appSecret: wanted.appSecret,
            trackingID: wanted.trackingId, newNamesPerDay: wanted.newNamesPerDay,
            keeping: try wanted.keep.map { try KeepingPeriod.reading($0) }))
        return try answer(id)
      }
    }
  }

  /// Adds a job that deletes an app, or answers with the pending one.
  private func deleteApp(_ request: Request, _ context: CollectorContext) throws -> Response {
    let (app, condition) = (try context.app, Precondition(request))
    guard request.parameters["confirm"]?.trimmed == app.name else {
      throw APIError(
        status: .badRequest, code: "not_confirmed",
        message: "This deletes the app with all its events. To confirm, give its name in `confirm`, exactly as it is.")
    }
    let job = try catalog.atomically {
      try condition.require { try representation(of: app.id) }
      let earlier = try catalog.jobs(app: app.id, before: nil, limit: ListPage.maximum)
      let waiting = earlier.first {
        $0.kind == DataJob.Kind.deleteApp.rawValue && [.pending, .blocked].contains($0.state)
      }
      return try waiting ?? JobStatus(try catalog.requestDeletion(of: app))
    }
    return .accepted(job)
  }

  private func representation(_ view: View) throws -> [UInt8] {
    try Response.bytes(encoding: try ViewDescription(view, now: wallTime()))
  }

  private func views(_ context: CollectorContext) throws -> Response {
    let (app, now) = (try context.app, wallTime())
    return try .json(encoding: ["views": try catalog.views(app: app.id).map { try ViewDescription($0, now: now) }])
  }

  private func createView(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let wanted = try await reader.object(
      ViewPatch.self, of: request, context, limit: Self.maximumBytes,
      members: "name and timeZone, and optionally the view's rules")
    return try Response.refusingInvalid {
      let (change, defaults) = (try wanted.change, ViewSettings())
      let view = try catalog.createView(
        app: try context.app.id, name: change.name ?? "", timeZone: wanted.timeZone ?? "",
        lateness: change.lateness ?? .cutoff, filters: change.filters ?? [],
        settings: ViewSettings(
          sessionTimeout: change.sessionTimeout ?? defaults.sessionTimeout,
          campaignDays: change.campaignDays ?? defaults.campaignDays, hasQuotas: change.hasQuotas ?? false,
          currency: change.currency ?? "",
          identity: wanted.userID != true ? .client : change.hasUnification == false ? .explicitUser : .user))
      return .tagged(try representation(view), status: .created)
    }
  }

  private func changeView(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let wanted = try await reader.object(
      ViewPatch.self, of: request, context, limit: Self.maximumBytes, members: "the settings to change")
    let condition = Precondition(request)
    return try Response.refusingInvalid {
      let bytes = try catalog.atomically {
        var view = try catalog.view(context)
        try condition.require { try representation(view) }
        let change = try wanted.change
        if let userID = wanted.userID, userID != view.countsMembers {
          throw WarehouseError(
            code: .invalid,
            message: "The definition of a user can't be changed. Create another view, which counts all stored hits.")
        }
        try view.requireConfirmation(
          of: change, isConfirmed: wanted.endsOpenDays == true, how: "set endsOpenDays to true")
        if !change.isEmpty { view = try catalog.changeView(view.id, change, endsOpenDays: true) }
        if let zone = wanted.timeZone { view = try catalog.setZone(of: view.id, to: zone) }
        return try representation(view)
      }
      return .tagged(bytes)
    }
  }

  private func deleteView(_ request: Request, _ context: CollectorContext) throws -> Response {
    let condition = Precondition(request)
    return try Response.refusingInvalid {
      try catalog.atomically {
        let view = try catalog.view(context)
        try condition.require { try representation(view) }
        try catalog.deleteView(view)
      }
      return Response(status: .noContent)
    }
  }
}

/// The request body to change an app.
private struct AppPatch: Decodable {
  let name: String?
  let timeZone: String?
  let appSecret: String?
  let trackingId: String?
  /// The limit: `.some(nil)` for the default, `nil` to keep the current one.
  let newNamesPerDay: Int??
  let keep: String?

  private enum CodingKeys: String, CodingKey { case name, timeZone, appSecret, trackingId, newNamesPerDay, keep }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    name = try container.decodeIfPresent(String.self, forKey: .name)
    timeZone = try container.decodeIfPresent(String.self, forKey: .timeZone)
    appSecret = try container.decodeIfPresent(String.self, forKey: .appSecret)
    trackingId = try container.decodeIfPresent(String.self, forKey: .trackingId)
    keep = try container.decodeIfPresent(String.self, forKey: .keep)
    newNamesPerDay =
      container.contains(.newNamesPerDay)
      ? .some(try container.decodeIfPresent(Int.self, forKey: .newNamesPerDay)) : .none
  }
}

/// The request body to create or change a view.
private struct ViewPatch: Decodable {
  let name: String?
  let timeZone: String?
  let lateness: String?
  let filters: [String]?
  let sessionTimeoutMinutes: Int?
  let campaignDays: Int?
  let quotas: Bool?
  let currency: String?
  let userID: Bool?
  let unification: Bool?
  let endsOpenDays: Bool?

  var change: ViewChange {
    get throws {
      var change = ViewChange()
      change.name = name?.trimmed
      change.lateness = try lateness.map { text in
        guard let lateness = View.Lateness(rawValue: text) else {
          throw WarehouseError(code: .invalid, message: "The lateness must be cutoff, window or none.")
        }
        return lateness
      }
      change.filters = try filters?.map { try ViewFilter(checking: $0) }
      // As seconds it must not overflow; the catalog checks the range.
      change.sessionTimeout = sessionTimeoutMinutes.map { .seconds(min(max($0, 0), 100_000) * 60) }
      change.campaignDays = campaignDays
      change.hasQuotas = quotas
      change.currency = currency
      change.hasUnification = unification
      return change
    }
  }
}
