import Foundation
import Reports
import Warehouse

/// The page of an app's notes about days, which posts to `/apps/ID/annotations`.
package struct AnnotationsPage: AppPage {
  package static let place = AppPlace.notes

  let visit: PageVisit
  let annotations: [Annotation]
  let releases: [Release]
  let app: App
  let apps: [App]
  let today: Day
  /// The day of the form.
  var day: Day
  let result: FormResult

  /// - Parameter releases: The releases of the latest days, which need no note.
  init(
    _ visit: PageVisit, _ annotations: [Annotation], releases: [Release], app: App, apps: [App], today: Day,
    day: Day? = nil, result: FormResult = FormResult()
  ) {
    (self.visit, self.annotations, self.releases, self.app, self.apps, self.today, self.result) = (
      visit, annotations, releases, app, apps, today, result
    )
    self.day = day ?? today
  }

  /// The days whose releases are listed.
  private static let listedDays = 90

  package init(_ request: some PageRequest) async throws {
    let app = request.app
    let today = ReportZone(app.zone).day(of: request.now)
    let releases = try await request.read {
      try await Releases.find(app: app.id, days: today.advanced(by: 1 - Self.listedDays)...today, from: $0)
    }
    self.init(
      try await request.visit(), try request.catalog.annotations(app: app.id), releases: releases, app: app,
      apps: request.apps, today: today, day: request.parameters["day"].flatMap { Day($0) }, result: request.result)
  }

  package func html() -> String {
    let address = PortalLinks(app: app.id).page(.notes)
    let rows = annotations.reversed().map { note -> TemplateValues in
      .row(
        [note.day.longText, shown(note.text), shown(note.author, empty: "–"), listed(note.created, of: app)],
        visit.reader.canEdit ? [.button("Delete", "delete", id: note.id, to: address, destroys: true)] : [])
    }
    let found = releases.reversed().map { TemplateValues.row([$0.day.longText, shown($0.version)]) }
    var page = ManagementPage(
      title: "Notes", lead: "Charts mark the days of these notes, and the days on which versions were released.",
      result: result,
      tables: [
        .list("Notes", ["Day", "Note", "By", "Created"], rows, empty: "No notes yet"),
        .list(
          "Releases of the last 90 days", ["Day", "Version"], found,
          empty: "None found. A version counts as released on the first day on which 1 % of users have it."),
      ])
    if visit.reader.canEdit {
      page.forms = [
        .form(
          "Add a note", button: "Add", "create", to: address, anchor: "add",
          [
            .day("Day", "day", day),
            .field("Note", "text", placeholder: "Campaign in Berlin begins", isRequired: true),
          ])
      ]
    }
    return visit.management(page, app: app, apps: apps, place: .notes)
  }
}

extension PortalLinks {
  /// The address of the form for a note about a day.
  func note(about day: Day) -> String { "\(page(.notes))?day=\(day)#add" }
}

extension AppPlace {
  package static let notes = AppPlace("Notes", "annotations", right: .read)
}
