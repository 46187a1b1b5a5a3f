import Answering
import HTTP
import HTTPTypes
import JSON
import Portal
import Questions
import ServerBase
import TernEvents
import Warehouse

/// `/api/v1/apps/{app}/dashboards` and `/annotations`: what readers saved.
struct DashboardEndpoints: Sendable {
  let pages: PortalPages
  let catalog: any CollectorCatalog

  /// The maximum size of a request, in bytes.
  private static let maximumBytes = 256 << 10
  private static let dashboard = JSONAnswer("Dashboard", Dashboard.members)
  private static let newDashboard = JSONBody("NewDashboard", Dashboard.members, maximumBytes: maximumBytes)
  private static let note = JSONAnswer("Annotation", Annotation.members)

  func add(to api: EndpointGroup) {
    addDashboards(api.group("/apps/:app/dashboards", .read), api.group("/apps/:app/dashboards", .edit))
    addNotes(api.group("/apps/:app/annotations", .read), api.group("/apps/:app/annotations", .edit))
  }

  private func addDashboards(_ readers: EndpointGroup, _ editors: EndpointGroup) {
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
    var (wanted, pages) = (try sent.value(from: old), pages)
    pages.segments = try call.context.visibleSegments(catalog)
    for index in wanted.cards.indices {
      do {
        wanted.cards[index] = try pages.checked(wanted.cards[index])
      } catch {
        throw APIError.invalid(error.message, at: "$.cards[\(index)]")
      }
    }
    return wanted
  }

  private func addNotes(_ readers: EndpointGroup, _ editors: EndpointGroup) {
    readers.get(
      "", "listAnnotations", "The notes about days that people wrote.", .list("annotations", of: Self.note)
    ) { try catalog.annotations(app: try $0.app.id) }
    editors.on(
      .post, "", "createAnnotation", "Adds a note about a day, for example from a release script.",
      JSONBody("NewAnnotation", Annotation.members, maximumBytes: Self.maximumBytes), Self.note.created
    ) { call, sent in
      let wanted = try sent.value(from: Annotation(app: try call.app.id))
      return try catalog.createAnnotation(app: wanted.app, day: wanted.day, text: wanted.text)
    }
    editors.delete("/:annotation", "removeAnnotation", "Deletes a note about a day.") { call in
      let unknown = APIError.unknown("annotation", "This app has no such note.")
      let number = try call.number("annotation", else: unknown)
      guard try catalog.removeAnnotation(number, app: try call.app.id) else { throw unknown }
    }
  }
}
