import Foundation
import Warehouse

/// The page of an app's saved segments, which posts to `/apps/ID/segments`.
package struct SegmentsPage: AppPage {
  package static let place = AppPlace.segments

  let visit: PageVisit
  let segments: [SavedSegment]
  let form: SegmentForm
  let app: App
  let apps: [App]
  let result: FormResult

  /// - Parameter form: The form that creates or changes a segment.
  init(
    _ visit: PageVisit, _ segments: [SavedSegment], form: SegmentForm = SegmentForm(), app: App, apps: [App],
    result: FormResult = FormResult()
  ) {
    (self.visit, self.segments, self.form, self.app, self.apps, self.result) = (
      visit, segments, form, app, apps, result
    )
  }

  package init(_ request: some PageRequest) async throws {
    let segments = try request.segments()
    func segment(_ id: String?) -> SavedSegment? { segments.first { $0.id.description == id } }
    let edited = segment(request.parameters["edit"])
    let sent = request.fields.map { fields in
      SegmentForm(fields, changing: fields["do"] == "change" ? segment(fields["id"]) : nil)
    }
    let form = sent ?? edited.map { SegmentForm($0) } ?? SegmentForm()
    self.init(
      try await request.visit(naming: form.namedValues(segments)), segments, form: form, app: request.app,
      apps: request.apps, result: request.result)
  }

  package func html() -> String {
    let links = PortalLinks(app: app.id)
    let rows = segments.map { segment -> TemplateValues in
      let words = ([FilterRows(json: segment.filters).words.joined(separator: ", ")] + visit.unknownWords(of: segment))
        .filter { !$0.isEmpty }.joined(separator: ". ")
      return .row(
        [segment.name, words, segment.author, listed(segment.changed, of: app)].map { shown($0, empty: "–") },
        visit.reader.canEdit
          ? [
            .changeLink(segment.id, on: links.page(.segments)),
            .button("Delete", "delete", id: segment.id, to: links.page(.segments), destroys: true),
          ] : [])
    }
    let page = ManagementPage(
      title: "Segments",
      lead: "A segment is a group of users with a name. Every page of figures can use it, and be compared with it.",
      result: result,
      tables: [
        .list(
          "Segments", ["Name", "Who", "By", "Changed"], rows,
          empty: visit.reader.canEdit ? "None yet. Create the first one below." : "None yet.")
      ])
    return visit.page(
      Shell(app: app, apps: apps, report: nil, title: page.title, place: .segments),
      body: visit.content(page)
        + (visit.reader.canEdit
          ? visit.templates.render("segmentform", form.values(links, hints: visit.words(of: form.namedFields))) : ""))
  }
}

extension AppPlace {
  package static let segments = AppPlace("Segments", "segments", right: .read)
}
