import Ingest
import Reports
import TernEvents
import Warehouse

/// The page of events dropped by clients or rejected by the server, with an explanation of each reason.
struct DroppedPage: CustomReportPage {
  static let report = AppReports.dropped

  let page: ReportVisit

  func html() async throws -> String {
    let request = page.request
    let metrics = try await DroppedMetrics(request, from: page.store)
    let events = try await page.store.total(app: request.app, dimension: .total, key: "", days: request.days).count
    let part = Double(metrics.total) / max(Double(metrics.total) + Double(events), 1)
    let chart = Chart(
      "dropped", "Dropped events", days: metrics.days.map(\.day),
      [.init(name: "Dropped or rejected", values: metrics.days.map(\.count), mark: .bar, color: 2)], in: request)
    let values: TemplateValues = [
      "isEmpty": metrics.total == 0, "days": request.days.text,
      "unnamed": metrics.unnamed > 0 ? Self.unnamed(metrics.unnamed) : nil, "app": request.app.description,
      "tiles": visit.tiles([
        .tile(
          "Dropped or rejected", grouped(metrics.total), hint: "Compared with \(counted(events, "event")) in reports",
          about: "Events that a device or this server discarded. No other report includes them."),
        .tile(
          "Share", part < 0.0005 && part > 0 ? "< 0.1 %" : percentage(part), hint: "Of all recorded events",
          about: "Discarded events divided by all that were recorded."),
        .tile(
          "Reasons", grouped(metrics.reasons.count), hint: "Listed below",
          about: "Different reasons for discarding events."),
      ]),
      "chart": visit.drawn(chart), "table": visit.table(chart), "reasons": metrics.reasons.map(Self.reason),
      "ledger": ledger(metrics.ledger, request),
    ]
    return visit.page(page.shell, body: visit.templates.render("dropped", values))
  }

  private static func unnamed(_ count: Int) -> String {
    count == 1
      ? "1 event is stored and counted, but reported" : "\(grouped(count)) events are stored and counted, but reported"
  }

  /// The totals reported by devices, or `nil` if none has reported any.
  private func ledger(_ ledger: LedgerTotals, _ request: ReportRequest) -> TemplateValues? {
    guard let updated = ledger.updated else { return nil }
    return [
      "tiles": visit.tiles([
        .tile(
          "Waiting on devices", grouped(ledger.waiting), hint: "Recorded, but not sent yet",
          about: "Events stored on devices, which will arrive later."),
        .tile(
          "Last batch", grouped(ledger.inFlight), hint: "On their way at the latest report",
          about: "Events that devices were sending when they last reported."),
        .tile(
          "Delivered", grouped(ledger.delivered), hint: "Of \(grouped(ledger.tracked)) recorded events",
          about: "Events that this server has confirmed."),
        .tile(
          "Dropped by the app", grouped(ledger.dropped), hint: "Since installation, for any reason",
          about: "Events that devices discarded without sending them."),
      ]),
      "installs": counted(ledger.installs, "install"), "days": String(LedgerTotals.lifetimeDays),
      "updated": request.zone.dateTime(of: updated),
    ]
  }

  private static func reason(_ row: RankedKey) -> TemplateValues {
    let isRejection = row.key.hasPrefix(Dimension.rejectedPrefix)
    let name = isRejection ? String(row.key.dropFirst(Dimension.rejectedPrefix.count)) : row.key
    let meaning = isRejection ? RejectionReason(rawValue: name)?.message : meaning(of: name)
    return [
      "reason": shown(name), "origin": isRejection ? "Rejected by this server" : "Dropped on the device",
      "meaning": meaning ?? "This reason comes from the client. See its documentation.", "count": grouped(row.count),
      "percent": percentage(row.share), "bar": ShareBar.svg(row.share, color: 2),
    ]
  }

  /// The meaning of a client's reason, and the remedy.
  private static func meaning(of reason: String) -> String? {
    switch DropReason(reason) {
    case .queueFull: "The queue was full. Raise maximumQueueBytes, or track important events as critical."
    case .expired: "The device was offline longer than events are kept. Raise maximumAge to keep them longer."
    case .damaged: "Stored data was damaged. The events around it were kept."
    case .tooLarge: "The event was larger than the protocol allows. Shorten its values."
    case .storageFailed: "The event couldn't be stored: the disk was full, read-only or missing."
    case .rejected: "The server rejected the event. See the server's reasons in this list."
    case .disabled: "Tracking was switched off in the app."
    case .erased: "The queue was erased, for example by an opt-out."
    default: nil
    }
  }
}
