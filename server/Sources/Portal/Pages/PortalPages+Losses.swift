import Ingest
import Reports
import TernEvents
import Warehouse

extension PortalPages {
  /// What clients dropped and the server refused, with what each reason means.
  func lossesPage(
    _ report: LossesReport, _ shell: Shell, _ request: ReportRequest, _ source: any FigureSource
  ) async throws -> String {
    let events = try await source.total(app: request.app, dimension: .total, key: "", days: request.days).count
    let part = Double(report.total) / max(Double(report.total) + Double(events), 1)
    let chart = Chart(
      id: "losses", title: "Losses per day, \(request.days.text)", days: report.days.map(\.date),
      series: [.init(name: "Lost or refused", values: report.days.map(\.count), isBars: true, color: 2)],
      endsToday: request.days.upperBound == request.today)
    let view = LossesView(
      isEmpty: report.total == 0, days: request.days.text,
      unnamed: report.unnamed > 0 ? grouped(report.unnamed) : nil, app: request.app.description,
      tiles: tiles([
        Tile(
          "Lost or refused", grouped(report.total), hint: "Beside \(grouped(events)) events that are in the reports"),
        Tile("Share", part < 0.0005 && part > 0 ? "< 0.1 %" : percentage(part), hint: "Of everything clients recorded"),
        Tile("Reasons", grouped(report.losses.count), hint: "Each is counted, none is silent"),
      ]),
      chart: chart.html(),
      table: table(
        ["Day", "Lost or refused"], report.days.reversed().map { [$0.date.weekdayText, grouped($0.count)] }),
      reasons: report.losses.map { ReasonRow($0) }, ledger: ledger(report.ledger, request))
    return page(shell, body: templates.render("losses", view))
  }
}

extension PortalPages {
  /// What devices say of themselves; `nil` when none has.
  private func ledger(_ figures: LedgerFigures, _ request: ReportRequest) -> LedgerView? {
    guard let updated = figures.updated else { return nil }
    return LedgerView(
      tiles: tiles([
        Tile("Waiting on devices", grouped(figures.waiting), hint: "Recorded, kept, and not sent yet"),
        Tile("In flight", grouped(figures.inFlight), hint: "Sent; the device had not seen an answer"),
        Tile("Delivered", grouped(figures.delivered), hint: "Of \(grouped(figures.tracked)) that apps have recorded"),
        Tile("Given up", grouped(figures.dropped), hint: "Since the apps were installed, for any reason"),
      ]),
      installs: grouped(figures.installs), days: String(LedgerFigures.lifetimeDays),
      updated: "\(request.zone.day(of: updated).weekdayText), \(request.zone.timeOfDay(of: updated))")
  }
}

private struct LedgerView {
  var tiles: String
  var installs: String
  var days: String
  var updated: String
}

private struct LossesView {
  var isEmpty: Bool
  var days: String
  var unnamed: String?
  var app: String
  var tiles: String
  var chart: String
  var table: String
  var reasons: [ReasonRow]
  var ledger: LedgerView?
}

private struct ReasonRow {
  var reason: String
  var origin: String
  var meaning: String
  var count: String
  var percent: String
  var bar: String

  init(_ figures: RankedFigures) {
    let isRefusal = figures.name.hasPrefix(LossesReport.refusedPrefix)
    let name = isRefusal ? String(figures.name.dropFirst(LossesReport.refusedPrefix.count)) : figures.name
    reason = shown(name)
    origin = isRefusal ? "Refused by this server" : "Dropped on the device"
    meaning =
      (isRefusal ? RejectionReason(rawValue: name)?.message : Self.meaning(of: name))
      ?? "The client gave this reason; its documentation says what it stands for."
    count = grouped(figures.count)
    percent = percentage(figures.share)
    bar = ShareBar.svg(figures.share, color: 2)
  }

  /// What a client's reason means, and what to do about it.
  private static func meaning(of reason: String) -> String? {
    switch DropReason(reason) {
    case .queueFull: "The queue was full. Raise maximumQueueBytes, or send important events as critical."
    case .expired: "The device was offline for longer than events are kept."
    case .damaged: "Stored bytes did not check out; the events around them were kept."
    case .tooLarge: "An event was larger than the protocol allows. Shorten its values."
    case .storageFailed: "The disk refused the write: full, read-only, or gone."
    case .rejected: "The server refused the event for good. The reasons of this server say why."
    case .disabled: "Tracking was switched off in the app."
    case .erased: "The queue was erased, as an opt-out demands."
    default: nil
    }
  }
}
