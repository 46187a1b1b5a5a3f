import Ingest
import Portal
import Reports
import ReportsTestSupport
import TernEvents
import Testing
import Warehouse

/// Every page of a small app in which every text that a client or a reader chooses is the same.
struct SamplePages {
  /// 2026-05-30 10:00 UTC.
  static let now = Timestamp(millisecondsSince1970: 1_780_135_200_000)

  let pages: PortalPages
  let source: MemoryStore
  let app: PortalApp
  let text: String

  init(_ text: String) throws {
    self.text = text
    pages = try PortalPages(collector: "https://tern.example/\(text)")
    app = PortalApp(id: AppID(1), name: text, key: text, appSecret: text, trackingID: text, timeZone: "Europe/Berlin")
    let device = IncomingDevice(
      osName: text, osVersion: text, model: text, locale: text, country: text, appVersion: text, appBuild: text)
    var source = MemoryStore()
    let today = try ReportZone("Europe/Berlin").day(of: Self.now)
    for back in 0..<3 {
      let day = today.advanced(by: -back)
      source.rows += [
        .init(
          day: day, name: text, install: 1, device: device,
          properties: [.init(name: text, value: .string(text)), .init(name: "n", value: 1)]),
        .init(day: day, kind: .screen, name: text, install: 1, device: device),
        .init(day: day, kind: .sessionStart, install: 1, device: device, startsSession: true),
        .init(day: day, install: 1, dropped: (text, 2)),
      ]
    }
    source.latest = [
      StoredEvent(
        id: 7, kind: .event, name: text, time: Self.now, received: Self.now, install: 1, user: text, device: device,
        properties: [.init(name: text, value: .string(text))])
    ]
    let occurrence = ErrorOccurrence(
      id: 9, group: 1, name: text, time: Self.now, received: Self.now, install: 1, user: text, device: device)
    source.groups = [StoredKind.crash, .handledError].enumerated().map { index, kind in
      ErrorGroup(
        id: Int64(index + 1), kind: kind, type: text, place: text, message: text, count: 3, users: 2,
        versions: [KeyTotals(key: text, count: 3, users: 0)], days: [DailyTotals(day: today, count: 3, users: 2)],
        last: Self.now)
    }
    source.occurrences = [occurrence]
    source.detail = ErrorDetail(
      occurrence: occurrence, kind: .crash, type: text, message: text, stack: text + "\n  at " + text, raw: text,
      isTextKept: true,
      properties: [.init(name: text, value: .string(text))], before: source.latest,
      attachments: [AttachmentFacts(id: 3, name: text, contentType: text, bytes: 12)])
    source.views = MemoryViews(text, day: today, time: Self.now.millisecondsSince1970)
    self.source = source
  }

  /// A view with the text as its name and filter.
  var view: View {
    let start = Timestamp(millisecondsSince1970: 0)
    var view = View(
      id: ViewID(1), app: app.id, name: text, zones: [View.Zone(identifier: "Europe/Berlin", start: start)])
    if var filter = ViewFilter("av=1") {
      filter.value = text
      view.first.filters = [filter]
      view.changes = [View.Rules(start: Day(number: 2), filters: [filter])]
    }
    return view
  }

  func viewRequest(_ name: String) throws -> ReportRequest {
    try ReportRequest(name, of: .view(view), parameters: [:], now: Self.now)
  }

  func viewReport(_ name: String, from source: any MetricsStore) async throws -> String {
    try await pages.report(try viewRequest(name), app: app, apps: [app, app], from: source)
  }

  func request(_ name: String, _ parameters: [String: String] = [:]) throws -> ReportRequest {
    var parameters = parameters
    parameters["event"] = parameters["event"] ?? text
    parameters["group"] = "1"
    return try ReportRequest(
      name, of: .app(app.id, timeZone: app.timeZone), parameters: parameters, now: Self.now)
  }

  func report(_ name: String, _ parameters: [String: String] = [:]) async throws -> String {
    try await pages.report(try request(name, parameters), app: app, apps: [app, app], from: source)
  }

  /// All pages by name.
  func all() async throws -> [(name: String, html: String)] {
    var all: [(String, String)] = []
    for report in ReportRegistry.standard.app { all.append((report.name, try await self.report(report.name))) }
    all.append(("longer", try await report("overview", ["days": "400"])))
    all.append(("occurrence", try await report("error", ["occurrence": "9"])))
    all.append(("one app", try await pages.report(try request("events"), app: app, from: source)))
    all.append(("empty", try await pages.report(try request("overview"), app: app, from: MemoryStore())))
    all.append(("quiet", try await pages.report(try request("dropped"), app: app, from: MemoryStore())))
    all.append(("silent", try await pages.report(try request("live"), app: app, from: MemoryStore())))
    for report in ReportRegistry.standard.view {
      all.append(("view \(report.name)", try await viewReport(report.name, from: source)))
      all.append(("view \(report.name), empty", try await viewReport(report.name, from: MemoryStore())))
    }
    all.append(("views", pages.views([view, view], app: app, apps: [app])))
    all.append(("settings", pages.settings(app: app, apps: [app])))
    all.append(("home", try await pages.home([app], message: text, now: Self.now, from: source)))
    all.append(("login", pages.login(message: text, next: "/" + text)))
    all.append(("error", pages.error(status: 404, message: text)))
    return all
  }
}
