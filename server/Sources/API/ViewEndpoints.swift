import Answering
import HTTP
import HTTPTypes
import JSON
import Reports
import TernEvents
import Warehouse

/// `/views` of an app: the views of its hits, and their rules.
struct ViewEndpoints: Sendable {
  let catalog: any CollectorCatalog
  let wallTime: @Sendable () -> Timestamp

  private static let view = JSONAnswer("View", ShownView.members)

  func add(to api: EndpointGroup) {
    let (readers, editors) = (api.group("/apps/:app/views", .read), api.group("/apps/:app/views", .edit))
    let item = Item(Self.view) { ShownView(try catalog.view($0.context), now: wallTime()) }
    readers.get("", "listViews", "The views of an app.", .list("views", of: Self.view)) { call in
      try catalog.views(app: try call.app.id).map { ShownView($0, now: wallTime()) }
    }
    editors.create(
      "", "createView", "Creates a view.",
      JSONBody("ViewInput", ViewRequest.newMembers.ignoring(ShownView.members), maximumBytes: 64 << 10), item
    ) { ShownView(try create(try $1.value(from: ViewRequest()), in: try $0.app.id), now: wallTime()) }
    readers.show("/:view", "view", "One view with its rules.", item)
    editors.change(
      .patch, "/:view", "changeView",
      "Changes a view. Its name changes at once, its time zone from now on, everything else from its next day on.",
      JSONBody("ViewChange", ViewRequest.changeMembers.ignoring(ShownView.members), maximumBytes: 64 << 10), item
    ) { try change($1.view, try $2.value(from: ViewRequest())) }
    editors.remove(
      "/:view", "deleteView", "Deletes a view with its counted days and shared links; the app's hits stay.", item,
      errors: [503]
    ) { try catalog.deleteView($1.view) }
  }

  private func create(_ wanted: ViewRequest, in app: AppID) throws -> View {
    let (change, defaults) = (wanted.change, ViewSettings())
    return try catalog.createView(
      app: app, name: change.name ?? "", timeZone: wanted.timeZone ?? "", lateness: change.lateness ?? .cutoff,
      filters: change.filters ?? [],
      settings: ViewSettings(
        sessionTimeout: change.sessionTimeout ?? defaults.sessionTimeout,
        campaignDays: change.campaignDays ?? defaults.campaignDays, hasQuotas: change.hasQuotas ?? false,
        currency: change.currency ?? "",
        identity: wanted.countsUserIDs != true ? .client : change.hasUnification == false ? .explicitUser : .user))
  }

  private func change(_ view: View, _ wanted: ViewRequest) throws {
    var wanted = wanted
    // Sent back as it was read; a view of clients has no unification that could change.
    if !view.countsUserIDs, wanted.change.hasUnification == false { wanted.change.hasUnification = nil }
    if let countsUserIDs = wanted.countsUserIDs, countsUserIDs != view.countsUserIDs {
      throw APIError.invalid(
        "The definition of a user can't be changed. Create another view, which counts all stored hits.")
    }
    try view.requireConfirmation(
      of: wanted.change, isConfirmed: wanted.endsOpenDays == true, how: "set endsOpenDays to true")
    if !wanted.change.isEmpty { _ = try catalog.changeView(view.id, wanted.change, endsOpenDays: true) }
    if let zone = wanted.timeZone { _ = try catalog.setZone(of: view.id, to: zone) }
  }
}
