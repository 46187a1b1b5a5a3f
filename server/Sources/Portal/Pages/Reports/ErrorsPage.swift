import Alerts
import Ingest
import Reports
import Warehouse

/// The page of crashes and handled errors, grouped.
struct ErrorsPage: CustomReportPage {
  static let report = AppReports.errors

  let page: ReportVisit

  func html() async throws -> String {
    let metrics = try await ErrorsMetrics(page.request, from: page.store)
    func list(_ heading: String, _ groups: [ErrorGroup]) -> TemplateValues {
      ["heading": heading, "lines": groups.map { line($0, page) }]
    }
    let chosen = page.request[.status] ?? ErrorStatus.open.rawValue
    let values: TemplateValues = [
      "lead": page.request.report.explanation,
      "crashfree": try await CrashFreeFigures(visit: visit).crashFree(
        page, crashesWithoutSession: metrics.crashesWithoutSession),
      "statuses": (ErrorStatus.allCases.map(\.rawValue) + ["all"]).map { status in
        TemplateValues.link(
          titled(status), page.links.page(AppReports.errors, [.status: status]), isActive: status == chosen)
      },
      "alerts": visit.reader.canEdit
        ? [
          .link("Alert me about new errors", PortalLinks(app: page.request.app).alert(.newError)),
          .link("Alert me when a closed one comes back", PortalLinks(app: page.request.app).alert(.cameBack)),
        ] : [TemplateValues](),
      "lists": [list("Crashes", metrics.crashes), list("Handled errors", metrics.handled)],
    ]
    return visit.page(page.shell, body: visit.templates.render("errors", values))
  }

  private func line(_ group: ErrorGroup, _ page: ReportVisit) -> TemplateValues {
    let versions = group.versions.prefix(3).map { shown($0.key, empty: "Unknown", limit: 40) }.joined(separator: ", ")
    let rest = group.versions.count - 3
    return [
      "type": shown(group.type), "message": shown(group.message, empty: "No message", limit: 200),
      "place": shown(group.place, empty: "–"), "link": page.links.page(AppReports.error, [.group: String(group.id)]),
      "count": grouped(group.count), "users": grouped(group.users),
      "usersLink": visit.people(page.request, error: group.id),
      "versions": versions + (rest > 0 ? " and \(rest) more" : ""), "last": page.request.zone.dateTime(of: group.last),
      "badge": group.triage.reopenedIn.map { "Back in \(shown($0, limit: 40))" }
        ?? (group.triage.status == .open ? nil : titled(group.triage.status.rawValue)),
      "note": group.triage.state.flatMap { $0.note.isEmpty ? nil : shown($0.note, limit: 200) },
    ]
  }
}
