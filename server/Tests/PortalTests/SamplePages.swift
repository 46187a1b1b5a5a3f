import Alerts
import Ingest
import Outgoing
import Questions
import Reports
import ReportsTestSupport
import ServerBase
import TernBase
import TernEvents
import Testing
import Warehouse
import WarehouseContract

@testable import Portal

/// Every page of a small app in which every text that a client or a reader chooses is the same.
struct SamplePages {
  /// 2026-05-30 10:00 UTC.
  static let now = Timestamp(millisecondsSince1970: 1_780_135_200_000)

  let server: PortalServer
  var reader = PortalReader()
  var segments: [SavedSegment] = []
  var notes: [ChartNote] = []
  var unknownValues: [NamedValue: [String]] = [:]
  var rangeMistake: RangeMistake?
  let warehouse = NaiveWarehouse()
  /// The warehouse with metrics in every report of views.
  let source: SampleViews
  /// The number of the crash.
  private(set) var occurrence: Int64 = 0
  let app: App
  let text: String

  init(_ text: String) throws {
    self.text = text
    server = try PortalServer(address: "https://tern.example/\(text)")
    var app = App(
      id: AppID(1), name: text, key: text, appSecret: text, trackingID: text, zone: ZoneRules("Europe/Berlin")!,
      created: Self.now)
    app.writeKeys = [text]
    self.app = app
    let device = IncomingDevice(
      osName: text, osVersion: text, model: text, locale: text, country: text, appVersion: text, appBuild: text)
    let (warehouse, today) = (warehouse, ReportZone(ZoneRules("Europe/Berlin")!).day(of: Self.now))
    for back in 0..<3 {
      let (day, time) = (today.advanced(by: -back), Self.now - .seconds(86_400 * back + 60))
      func add(_ kind: StoredKind, _ name: String = "", properties: [Properties.Element] = []) throws {
        try warehouse.add(
          kind, name, on: day, at: time, install: 1, user: text, device: device, session: 1,
          startsSession: kind == .sessionStart, properties: properties)
      }
      try add(.screen, text)
      try add(.sessionStart)
      try add(.drops, properties: [.init(name: text, value: 2)])
      try add(.event, text, properties: [.init(name: text, value: .string(text)), .init(name: "n", value: 1)])
    }
    for kind in [StoredKind.handledError, .crash] {
      let error = IncomingError(
        event: 0, id: text, type: text, message: text, place: text, stack: text + "\n  at " + text, fingerprint: 1,
        raw: Array(text.utf8))
      occurrence = try warehouse.add(
        error, kind, at: Self.now, install: 1, user: text, device: device, session: 1,
        properties: [.init(name: text, value: .string(text))])
    }
    var file = IncomingBatch(
      source: .native, received: Self.now, installs: ["1"], devices: [device],
      events: [IncomingEvent(index: 0, kind: .attachment, duplicateKey: nil, time: Self.now, name: "")])
    file.attachments = [
      IncomingAttachment(
        event: 0, eventID: "", error: text, id: text, name: text, contentType: text,
        data: Array(repeating: 0, count: 12))
    ]
    try warehouse.store(file, app: app.id)
    segments = [
      SavedSegment(
        id: 1, app: app.id, name: text, filters: #"[["is", "country", ["DE"]]]"#, author: text, changed: Self.now)
    ]
    source = SampleViews(base: warehouse, text, day: today, time: Self.now.millisecondsSince1970)
  }

  var visit: PageVisit {
    PageVisit(
      server, reader: reader, segments: segments, notes: notes, unknownValues: unknownValues,
      rangeMistake: rangeMistake)
  }

  /// A view with the text as its name and filter.
  var view: View {
    let start = Timestamp(millisecondsSince1970: 0)
    var view = View(
      id: ViewID(1), app: app.id, name: text, zones: [View.Zone(ZoneRules("Europe/Berlin")!, start: start)])
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
    try await ReportPage(visit, try viewRequest(name), app: app, apps: [app, app], from: source).html()
  }

  func request(_ name: String, _ parameters: [String: String] = [:]) throws -> ReportRequest {
    var parameters = parameters
    parameters["event"] = parameters["event"] ?? text
    parameters["group"] = "2"
    return try ReportRequest(
      name, of: .app(app.id, zone: app.zone), parameters: parameters, now: Self.now)
  }

  func report(_ name: String, _ parameters: [String: String] = [:]) async throws -> String {
    try await ReportPage(
      visit, try request(name, parameters), app: app, apps: [app, app], from: source,
      ask: QuestionAsker {
        try ask($0, isEmpty: false)
      }
    ).html()
  }

  private func find(_ search: String, _ today: Day) async throws -> String {
    // Whatever the text, all of them are found.
    var names = try await FindPage.Names(app: app.id, days: today.advanced(by: -6)...today, from: warehouse)
    for list in [\FindPage.Names.events, \.screens, \.releases] { names[keyPath: list].append("\(text) song") }
    for index in names.errors.indices { names.errors[index].type += " song" }
    let board = Dashboard(id: 1, app: app.id, name: "\(text) song", cards: [], author: text, changed: Self.now)
    return FindPage(visit, search, names, dashboards: [board], segments: segments, app: app, apps: [app]).html()
  }

  private func annotations(_ today: Day) -> String {
    AnnotationsPage(
      visit, [Annotation(id: 1, app: app.id, day: today, text: text, author: text, created: Self.now)],
      releases: [Release(day: today, version: text)], app: app, apps: [app], today: today
    ).html()
  }

  private func alerts() throws -> String {
    let question = AlertQuestion(page: "explore", query: text, period: .hour)
    let conditions: [AlertCondition] = [.above(1, question), .newError]
    let alerts = try conditions.enumerated().map { index, condition in
      StoredAlert(
        Alert(
          id: Int64(index), app: app.id, name: text, condition: condition,
          destinations: [try Destination("chat:https://example.org/x"), try Destination("mail:a@example.org")],
          mutedUntil: index == 0 ? Self.now + .seconds(60) : nil, author: text), state: AlertState(), stateText: "")
    }
    let message = OutgoingMessage(
      id: UniqueID(high: 0, low: 1), time: Self.now, event: "alert.breached", title: text, text: text)
    let delivery = AlertNotification.Delivery(destination: text, status: .failed, failures: 3, answer: text)
    return AlertsPage(
      visit, alerts, history: [AlertNotification(source: 1, message: message, deliveries: [delivery])],
      form: AlertForm(["name": text, "limit": text, "question": text, "to": text, "kind": text, "d1": text]),
      destinations: AlertDestinations([try Destination("chat:https://example.org/x")]), app: app, apps: [app],
      now: Self.now, result: FormResult(message: text)
    ).html()
  }

  private func mailReports() throws -> String {
    let address = try #require(MailAddress("a@example.org"))
    let reports = [MailReport.Subject.overview, .dashboard(1)].enumerated().map { index, subject in
      StoredMailReport(
        MailReport(
          id: Int64(index), app: app.id, subject: subject, cadence: .week, hour: 7,
          recipients: index == 0 ? [address] : [], author: text), sent: Day(number: 0), isRequested: index == 0)
    }
    let mail = OutgoingMessage(
      id: UniqueID(high: 0, low: 1), time: Self.now, event: "report.mail", title: text, text: text)
    let delivery = AlertNotification.Delivery(destination: text, status: .failed, failures: 3, answer: text)
    let dashboard = Dashboard(id: 1, app: app.id, name: text, cards: [], author: text, changed: Self.now)
    return MailReportsPage(
      visit, reports, history: [AlertNotification(source: 1, message: mail, deliveries: [delivery])],
      dashboards: [dashboard],
      form: MailReportForm(["subject": text, "every": text, "hour": text, "to": text]), app: app, apps: [app],
      result: FormResult(message: text)
    ).html()
  }

  private func dashboard(_ today: Day) async throws -> String {
    let cards = [
      DashboardCard(name: text, page: "explore", query: "event=\(PercentCoding.encode(text))"),
      DashboardCard(name: text, page: "funnels", query: "s1=event+a&s2=screen+b"),
      DashboardCard(name: text, page: "explore", query: "days=\(PercentCoding.encode(text))"),
      DashboardCard(name: text, page: text, query: text),
    ]
    let dashboard = Dashboard(id: 1, app: app.id, name: text, cards: cards, author: text, changed: Self.now)
    var other = dashboard
    other.id = 2
    return try await DashboardPage(
      visit, dashboard, of: [dashboard, other], app: app, apps: [app], today: today,
      ask: QuestionAsker {
        try ask($0, isEmpty: false)
      }
    ).html()
  }

  private func ask(_ question: Question, isEmpty: Bool) throws -> AnsweredQuestion {
    try #require(
      AnsweredQuestion(
        question, QuestionResult(isEmpty ? Self.emptyAnswer(question.kind) : answer(question), rowsRead: 1_234),
        milliseconds: 5))
  }

  /// A page that asks a question: with an answer, without any row, with a fault in the address, and before its form is
  /// filled in.
  func questionPages(_ page: QuestionPage) async throws -> [(name: String, html: String)] {
    let filled = [
      "k0": "event", "n0": text, "by": "property:\(text)", "f1": "property:\(text)", "o1": "contains",
      "v1": text, "f2": "country", "v2": text, "k1": "screen", "n1": text, "n2": text, "anchor": "end", "nodes": "both",
      "group": page == .people ? "funnel" : "", "step": "2", "metric": "avg", "property": text,
      "compare": "before",
    ]
    return [
      ("\(page)", try await question(page, filled)),
      ("\(page), segment", try await question(page, filled.merging(["segment": "1", "compare": "segment-1"]) { $1 })),
      ("\(page), table", try await question(page, filled.merging(["show": "table", "interval": "week"]) { $1 })),
      (
        "\(page), figure",
        try await question(
          page, filled.merging(["group": "figure", "at": text, "type": "text", "value": text, "metric": "sum"]) { $1 })
      ),
      ("\(page), no rows", try await question(page, filled, isEmpty: true)),
      (
        "\(page), fault", try await question(page, ["days": text, "by": text, "metric": text, "n1": text, "n2": text])
      ),
      ("\(page), new", try await question(page, [:], isEmpty: true)),
    ]
  }

  func question(_ page: QuestionPage, _ parameters: [String: String], isEmpty: Bool = false) async throws -> String {
    let today = ReportZone(ZoneRules("Europe/Berlin")!).day(of: Self.now)
    return try await QuestionFormPage(
      visit, page, parameters, app: app, apps: [app], days: today.advanced(by: -2)...today, from: source,
      ask: QuestionAsker { try ask($0, isEmpty: isEmpty) }
    ).html()
  }

  /// An answer with the text wherever a client chooses one.
  private func answer(_ question: Question) -> Answer {
    let value = QuestionValue.text(text)
    switch question {
    case .query(let question):
      var answer = QueryAnswer()
      let isTimeline = question.groups.first?.dimension.timeUnit != nil
      let days = ["2026-05-29", "2026-05-30"]
      let values = [value, .number(2.5), nil]
      let rows: [[QuestionValue?]] =
        if question.groups.count > 1 {
          days.flatMap { day in values.map { [.text(day), $0] } }
        } else {
          isTimeline ? days.map { [.text($0)] } : values.map { [$0] }
        }
      let metrics = question.metrics.map { _ in 1_234.5 }
      answer.rows = rows.map { .init(dimensions: $0, metrics: metrics) }
      answer.timeLabels = days
      answer.totals = question.metrics.map { _ in 2_469 }
      if question.comparesPreviousPeriod { answer.comparedTotals = [2_000] }
      answer.totalRows = 3
      return .query(answer)
    case .funnel:
      return .funnel(FunnelAnswer(groups: [.init(value: value, steps: 2, attempts: [[0, 2_500], [0]])]))
    case .paths:
      let node = PathsAnswer.Node(isScreen: true, name: value)
      return .paths(
        PathsAnswer(edges: [.init(step: 1, from: node, to: node, sessions: 5)], other: [2], ended: [1]))
    case .persons:
      var person = PersonsAnswer.Person(
        install: text, user: text, firstSeen: 0, last: PersonsCursor(time: 1_780_000_000_000, row: 7))
      (person.version, person.model, person.country) = (text, text, text)
      let install = PersonsAnswer.Person(install: text, firstSeen: 0, last: PersonsCursor(time: 0, row: 1))
      return .persons(PersonsAnswer(persons: [person] + Array(repeating: install, count: 99), total: 1_234))
    default: return SampleAnswers.answer(question.kind)
    }
  }

  private static func emptyAnswer(_ kind: Question.Kind) -> Answer {
    switch kind {
    case .query: .query(QueryAnswer())
    case .funnel: .funnel(FunnelAnswer(groups: []))
    case .retention: .retention(RetentionAnswer(cohorts: [], partial: []))
    case .paths: .paths(PathsAnswer(edges: [], other: [], ended: []))
    case .lifecycle: .lifecycle([])
    case .stickiness: .stickiness([])
    case .persons: .persons(PersonsAnswer(persons: [], total: 0))
    case .releases: .releases(ReleasesAnswer(releases: [], days: [], dayUsers: [], otherUsers: []))
    }
  }

  /// All pages by name.
  func all() async throws -> [(name: String, html: String)] {
    var all: [(String, String)] = []
    for report in ReportRegistry.standard.app { all.append((report.name, try await self.report(report.name))) }
    all.append(("longer", try await report("overview", ["days": "400"])))
    let today = ReportZone(ZoneRules("Europe/Berlin")!).day(of: Self.now)
    var noted = self
    noted.notes = [
      ChartNote(Annotation(id: 1, app: app.id, day: today, text: text, author: text, created: Self.now)),
      ChartNote(Release(day: today, version: text)),
    ]
    all.append(("notes", try await noted.report("overview")))
    all.append(("annotations", annotations(today)))
    all.append(("alerts", try alerts()))
    all.append(("mail reports", try mailReports()))
    all.append(("unsubscribing", UnsubscribePage(server, text, address: text).html()))
    all.append(("unsubscribed", UnsubscribePage(server, nil).html()))
    all.append(("segments", SegmentsPage(visit, segments, app: app, apps: [app]).html()))
    all.append(("dashboard", try await dashboard(today)))
    all.append(("occurrence", try await report("error", ["occurrence": String(occurrence)])))
    all.append(("one app", try await ReportPage(visit, try request("events"), app: app, from: source).html()))
    all.append(("empty", try await ReportPage(visit, try request("overview"), app: app, from: NaiveWarehouse()).html()))
    all.append(("quiet", try await ReportPage(visit, try request("dropped"), app: app, from: NaiveWarehouse()).html()))
    all.append(("silent", try await ReportPage(visit, try request("live"), app: app, from: NaiveWarehouse()).html()))
    for report in ReportRegistry.standard.view {
      all.append(("view \(report.name)", try await viewReport(report.name, from: source)))
      all.append(("view \(report.name), empty", try await viewReport(report.name, from: NaiveWarehouse())))
    }
    all.append(("find", try await find("", today)))
    all.append(("find, found", try await find("Song \(text)", today)))
    all.append(("views", ViewsPage(visit, [view, view], app: app, apps: [app]).html()))
    all.append(("settings", AppSettingsPage(visit, app: app, apps: [app]).html()))
    all.append(("zone", ZonePage(visit, app: app, apps: [app], events: 1_234, given: text, mistake: text).html()))
    all.append(("setup", SetupPage(visit, app: app, apps: [app], first: nil).html()))
    all.append(
      (
        "limits",
        LimitsPage(visit, UsageLimitChanges(), app: app, apps: [app], result: FormResult(message: text)).html()
      ))
    all.append(
      (
        "home",
        try await HomePage(
          visit, [app], result: FormResult(message: text, done: text), given: ["name": text, "twin": ""], now: Self.now,
          from: source
        ).html()
      ))
    let account = Account(id: 1, name: text, role: .editor, apps: [app.id], hasPassword: true)
    let session = LoginSession(
      id: 1, account: account, created: Self.now, used: Self.now, address: text, browser: text)
    let result = FormResult(message: text, done: text, secret: text)
    let token = AccessToken(id: 1, name: text, scopes: [.read], app: app.id, created: Self.now)
    let link = SharedLink(
      id: 1, app: app.id, report: text, query: text, sites: [text], created: Self.now, expires: nil)
    let access = AccessOverview(accounts: [account], tokens: [token], links: [link])
    all.append(
      ("users", UsersPage(visit, access, sessions: [session], apps: [app], edited: account, result: result).html()))
    var storage = StorageStatus()
    (storage.diskBytes, storage.freeDiskBytes) = (["rows": 7_000_000, text: 5_000], 10_000_000)
    all.append(
      (
        "storage",
        StoragePage(visit, try await StorageReport(storage, apps: [app], from: GrowingApp(), now: Self.now)).html()
      ))
    all.append(("account", AccountPage(visit, session, sessions: [session], result: result).html()))
    all.append(("account", AccountPage(visit, session, sessions: [session], newKey: text, result: result).html()))
    var owner = session
    owner.account.hasSecondFactor = true
    all.append(("account", AccountPage(visit, owner, sessions: [owner], result: result).html()))
    all.append(("welcome", WelcomePage(server, owner.account, code: text, message: text).html()))
    all.append(("tokens", TokensPage(visit, [token], apps: [app], result: result).html()))
    all.append(
      (
        "links",
        LinksPage(
          visit, [(link, visible(text))], page: PageToShare(report: text, query: text, name: visible(text)), app: app,
          apps: [app],
          result: result
        ).html()
      ))
    let entry = AuditEntry(
      id: 1, time: Self.now, actor: AuditActor(name: text, address: text), action: "login", subject: text,
      count: 2)
    let failed = FailedLogins(name: text, address: text, first: Self.now, last: Self.now, count: 3)
    all.append(("audit", AuditPage(visit, [entry], hasMore: true, failed: [failed]).html()))
    let guest = PageVisit(
      server, reader: PortalReader(canEdit: false, isOwner: false, isGuest: true, sharedName: visible(text)),
      segments: segments)
    all.append(("shared", try await ReportPage(guest, try request("events"), app: app, from: source).html()))
    all.append(
      (
        "trail",
        try PersonPage(
          visit, SampleAnswers.trail(text), of: .user(text), SampleAnswers.summary(text), app: app, apps: [app],
          later: PersonsCursor(time: 3, row: 4), earlier: PersonsCursor(time: 1, row: 2)
        ).html()
      ))
    all.append(("trail, empty", try PersonPage(visit, [], of: .install(text), nil, app: app, apps: [app]).html()))
    for page in QuestionPage.allCases { all += try await questionPages(page) }
    all.append(("login", LoginPage(server, message: text, next: "/" + text).html()))
    all.append(("login", CodePage(server, message: text, next: "/" + text).html()))
    all.append(("login", ConfirmPage(server, owner.account, logout: nil, message: text, next: "/" + text).html()))
    all.append(("error", ErrorPage(server, status: 404, message: text).html()))
    return all
  }
}

/// An app with rows of the last hundred days.
private struct GrowingApp: RowUsageSource {
  func rowUsage(of app: AppID, before times: [Int64]) async throws -> RowUsage {
    var usage = RowUsage()
    (usage.rows, usage.columnBytes) = (100, 1_000)
    usage.earliest = SamplePages.now.millisecondsSince1970 - 100 * 86_400_000
    usage.rowsBefore = times.map { time in
      (0..<100).count { SamplePages.now.millisecondsSince1970 - Int64($0 + 1) * 86_400_000 < time }
    }
    return usage
  }
}
