import Foundation
package import Warehouse

extension PortalPages {
  /// The page of an app's saved segments, which posts to `/apps/ID/segments`.
  package func segments(
    _ segments: [SavedSegment], app: App, apps: [App], result: FormResult = FormResult()
  ) -> String {
    let links = PortalLinks(app: app.id)
    let rows = segments.map { segment -> TemplateValues in
      .row(
        [segment.name, segment.filters, segment.author, listed(segment.changed)].map { shown($0, empty: "–") },
        reader.canEdit ? [.button("Delete", "delete", id: segment.id, to: links.segments)] : [])
    }
    var page = ManagementPage(
      title: "Segments",
      lead: "A segment is a set of filters with a name. Every page of figures can use it, and be compared with it.",
      result: result,
      tables: [
        .list(
          "Segments", ["Name", "Filters", "By", "Changed"], rows,
          empty: "None yet: filter a page such as Explore, then save its filters.")
      ])
    if reader.canEdit, !segments.isEmpty {
      page.forms = [
        .form(
          "Change a segment", button: "Change", "change", to: links.segments,
          help: "Filters are a JSON array, as in questions. An empty field stays as it is.",
          [
            .choice("Segment", "id", segments.map { ($0.id.description, shown($0.name)) }), .field("New name", "name"),
            .field("New filters", "filters", placeholder: #"[["is", "country", ["DE"]]]"#),
          ])
      ]
    }
    return management(page, app: app, apps: apps, place: .segments)
  }
}

extension PortalLinks {
  /// The address of the app's saved segments.
  var segments: String { "/apps/\(app)/segments" }
}
