import Reports
import Warehouse

extension ErrorGroupPage {
  /// The status of an error group with its history, and for editors the form that changes it, as HTML.
  func statusPanel(_ metrics: ErrorMetrics, _ page: ReportVisit) -> String {
    let (triage, state) = (metrics.triage, metrics.triage.state)
    // Unlike errors share this group, so no status fits.
    let isChangeable = visit.reader.canEdit && metrics.group?.isOverflow != true
    guard isChangeable || state != nil else { return "" }
    let options = ErrorStatus.allCases.map { status -> TemplateValues in
      ["value": status.rawValue, "text": titled(status.rawValue), "isChosen": status == triage.status]
    }
    return visit.templates.render(
      "errorstatus",
      [
        "status": titled(triage.status.rawValue), "kind": triage.status.rawValue,
        "history": state.map { Self.history($0, triage, page) },
        "note": state.flatMap { $0.note.isEmpty ? nil : shownLines($0.note) },
        "action": isChangeable ? "/apps/\(page.request.app)/error-status" : nil, "group": metrics.number.description,
        "mergeLink": isChangeable
          ? PortalLinks(app: page.request.app).page(.errorGroups) + "?group=\(metrics.number)" : nil,
        "options": options, "version": state?.version ?? "", "written": state?.note ?? "",
      ])
  }

  private static func history(_ state: ErrorState, _ triage: ErrorTriage, _ page: ReportVisit) -> String {
    let verb =
      switch state.status {
      case .open: "Opened"
      case .closed: state.version.isEmpty ? "Closed" : "Closed in \(shown(state.version, limit: 60))"
      case .ignored: "Ignored"
      }
    let author = state.author.isEmpty ? "" : " by \(shown(state.author))"
    let back = triage.reopenedIn.map { " It came back in \(shown($0, limit: 60))." } ?? ""
    return "\(verb)\(author) on \(page.request.zone.dateTime(of: state.changed)).\(back)"
  }
}
