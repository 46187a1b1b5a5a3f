import Answering
import HTTP
import HTTPTypes
import Hummingbird
import JSON
import ServerBase
import Warehouse

/// `/api/v1/apps`: the apps, their settings, and their deletion.
struct AppEndpoints: Sendable {
  let catalog: any CollectorCatalog

  private static let app = JSONAnswer("App", ShownApp.members)

  func add(to api: EndpointGroup) {
    api.group("", .read).get("/apps", "listApps", "The apps that the token may read.", .list("apps", of: Self.app)) {
      call in
      try call.visitor.visible(try catalog.apps()).map { ShownApp($0, zoneChange: try catalog.zoneChange(of: $0.id)) }
    }
    api.group("", .administer).on(
      .post, "/apps", "createApp", "Creates an app.",
      JSONBody("AppInput", AppChange.newMembers), Self.app.created
    ) { _, sent in
      let new = try sent.value(from: AppChange())
      return ShownApp(
        try catalog.createApp(
          name: new.name ?? "", timeZone: new.timeZone ?? "UTC", appSecret: new.appSecret, trackingID: new.trackingID,
          writeKeys: new.writeKeys ?? []))
    }

    // The progress of a change of the time zone is none of the settings.
    let item = Item(
      Self.app, state: { Self.app.tree(ShownApp($0.app, newNamesPerDay: $0.newNamesPerDay)).encoded }
    ) { try find(try $0.app.id) }
    api.group("/apps/:app", .read).show("", "app", "One app with its settings.", item)
    api.group("/apps/:app", .edit).change(
      .patch, "", "changeApp",
      "Changes an app's settings. Members that are missing keep their values. After a new time zone, all days are "
        + "counted again in the background.",
      JSONBody("AppChange", AppChange.members.ignoring(ShownApp.members), maximumBytes: 64 << 10),
      item
    ) { _, old, sent in try catalog.changeApp(old.app.id, try sent.value(from: AppChange())) }
    addDeletion(to: api.group("/apps/:app", .administer), item)
  }

  private func addDeletion(to app: EndpointGroup, _ item: Item<ShownApp>) {
    var deletion = APIOperation(
      "deleteApp",
      "Deletes an app with everything, in the background. For owners. A second request answers with the same job.",
      [.query("confirm", .text(1...100).described("The app's name, exactly as it is."), isRequired: true)],
      answers: JobEndpoints.job.content, errors: [400, 503])
    (deletion.status, deletion.isConditional) = (202, true)
    app.on(.delete, "", deletion) { call in
      let (app, condition) = (try call.app, Precondition(call.request))
      let confirmed = call.request.parameters["confirm"] ?? ""
      guard [confirmed, confirmed.trimmed].contains(app.name) else {
        throw APIError(
          status: .badRequest, code: "not_confirmed",
          message: "This deletes the app with all its events. To confirm, give its name in `confirm`, exactly as it is."
        )
      }
      return .accepted(
        try catalog.atomically {
          _ = try item.found(call, condition)
          return try pendingDeletion(of: app.id) ?? JobStatus(try catalog.requestDeletion(of: app))
        })
    }
  }

  private func pendingDeletion(of app: AppID) throws -> JobStatus? {
    try catalog.jobs(app: app, before: nil, limit: ListPage.maximum).first {
      $0.kind == DataJob.Kind.deleteApp.rawValue && [.pending, .blocked].contains($0.state)
    }
  }

  /// An app as it is now: that of the request may be a second old.
  private func find(_ id: AppID) throws -> ShownApp {
    guard let app = try catalog.apps().first(where: { $0.id == id }) else { throw APIError.unknownApp }
    return ShownApp(
      app, zoneChange: try catalog.zoneChange(of: id), newNamesPerDay: try catalog.newNamesPerDay(of: id))
  }
}
