import Answering
import HTTP
import HTTPTypes
import JSON
import Portal
import Questions
import ServerBase
import TernEvents
import Warehouse

/// `/api/v1/apps/{app}/dashboards`: the dashboards of an app.
struct DashboardEndpoints: Sendable {
  let catalog: any CollectorCatalog

  /// The maximum size of a request, in bytes.
  private static let maximumBytes = 256 << 10
  private static let dashboard = JSONAnswer("Dashboard", Dashboard.members)
  private static let newDashboard = JSONBody("DashboardInput", Dashboard.members, maximumBytes: maximumBytes)

  func add(to api: EndpointGroup) {
    let (readers, editors) = (api.group("/apps/:app/dashboards", .read), api.group("/apps/:app/dashboards", .edit))
    let item = Item(Self.dashboard) { call in
      let number = try call.number("dashboard", else: .unknownDashboard)
      guard let found = try catalog.dashboards(app: try call.app.id).first(where: { $0.id == number }) else {
        throw APIError.unknownDashboard
      }
      return found
    }
    readers.get("", "listDashboards", "The dashboards of an app.", .list("dashboards", of: Self.dashboard)) { call in
      try catalog.dashboards(app: try call.app.id)
    }
    editors.create("", "createDashboard", "Creates a dashboard.", Self.newDashboard, item) { call, sent in
      let wanted = try checked(sent, Dashboard(app: try call.app.id), call)
      return try catalog.createDashboard(app: wanted.app, name: wanted.name, cards: wanted.cards)
    }
    readers.show("/:dashboard", "dashboard", "One dashboard.", item)
    editors.change(
      .put, "/:dashboard", "changeDashboard", "Replaces a dashboard's name and cards.", Self.newDashboard, item
    ) { call, old, sent in
      let wanted = try checked(sent, old, call)
      _ = try catalog.changeDashboard(old.id, app: old.app) { ($0.name, $0.cards) = (wanted.name, wanted.cards) }
    }
    editors.remove("/:dashboard", "removeDashboard", "Deletes a dashboard with its cards.", item) { _, old in
      _ = try catalog.removeDashboard(old.id, app: old.app)
    }
  }

  /// The dashboard of a request, with checked cards.
  private func checked(_ sent: JSONBody<Dashboard>.Sent, _ old: Dashboard, _ call: Call) throws -> Dashboard {
    var wanted = try sent.value(from: old)
    let segments = try call.context.visibleSegments(catalog)
    for index in wanted.cards.indices {
      do {
        wanted.cards[index] = try wanted.cards[index].checked(segments: segments)
      } catch {
        throw APIError.invalid(error.message, at: "$.cards[\(index)]")
      }
    }
    return wanted
  }
}
