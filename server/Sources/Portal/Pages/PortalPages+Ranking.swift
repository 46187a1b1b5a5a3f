import Ingest
import Mustache
import Reports
import Warehouse

extension PortalPages {
  /// A page with one or two lists: events, screens, versions, devices, countries.
  func rankingPage(
    _ report: Report, _ shell: Shell, _ request: ReportRequest, _ source: any FigureSource
  ) async throws -> String {
    let links = PortalLinks(request)
    func list(_ heading: String, _ noun: String, _ dimension: Dimension, _ lines: [RankingLine]) async throws
      -> RankingList
    {
      let context = RankingContext(
        before: Dictionary(
          try await source.totals(app: request.app, dimension: dimension, days: request.previous.days, limit: nil)
            .map { (ExactText($0.key), $0.count) }, uniquingKeysWith: { $0.addingSaturated($1) }),
        trends: Trends(
          try await source.dailyCounts(app: request.app, dimension: dimension, days: request.days), request),
        request: request)
      let isCut = lines.count == request.limit && lines.count < ReportRequest.maximumLimit
      return RankingList(
        heading: heading, hasHeading: !heading.isEmpty, noun: noun, isEmpty: lines.isEmpty, isCut: isCut,
        shownCount: lines.count, allLink: links.page(request.name, limit: ReportRequest.maximumLimit),
        lines: lines.map { RankingRow($0, context) })
    }
    let lists: [RankingList]
    switch report.content {
    case .events(let figures):
      lists = [
        try await list(
          "", "Event", .event, figures.events.map { RankingLine($0, link: links.page(.event, event: $0.name)) })
      ]
    case .screens(let figures): lists = [try await list("", "Screen", .screen, figures.screens.map { RankingLine($0) })]
    case .versions(let figures):
      lists = [
        try await list("", "Version", .version, figures.versions.map { RankingLine($0, empty: "Unknown", color: 4) })
      ]
    case .devices(let figures):
      lists = [
        try await list("Models", "Model", .model, figures.models.map { RankingLine($0, empty: "Unknown") }),
        try await list("Systems", "System", .os, figures.systems.map { RankingLine($0, empty: "Unknown", color: 4) }),
      ]
    case .countries(let figures):
      lists = [try await list("", "Country", .country, figures.countries.map(RankingLine.init))]
    case .overview, .event, .errors, .error, .live, .losses: lists = []
    }
    return page(
      shell, body: templates.render("ranking", RankingView(lists: lists, countLabel: Self.noun(request.name))))
  }

  private static func noun(_ name: ReportName) -> String { name == .screens ? "Views" : "Events" }
}

/// One line of a list before it is made into text.
private struct RankingLine {
  var figures: RankedFigures
  var label: String
  var code = ""
  var link: String?
  var color = 1

  init(_ figures: RankedFigures, empty: String = "(no name)", link: String? = nil, color: Int = 1) {
    self.figures = figures
    label = shown(figures.name, empty: empty)
    self.link = link
    self.color = color
  }

  init(_ country: CountriesReport.Country) {
    figures = RankedFigures(name: country.code, count: country.count, users: country.users, share: country.share)
    label = shown(country.name)
    code = country.code.isEmpty ? "–" : shown(country.code)
    color = 3
  }
}

/// What a list compares its lines with.
private struct RankingContext {
  /// Counts of the period before.
  var before: [ExactText: Int]
  var trends: Trends
  var request: ReportRequest
}

/// Counts per key over the range, in at most sixty steps.
struct Trends {
  private var values: [ExactText: [Int]] = [:]
  private let steps: Int
  private let settled: Int

  /// Adds up daily counts; longer ranges by steps of equal length.
  init(_ counts: [DailyCount], _ request: ReportRequest) {
    let (days, length) = (request.days, request.length)
    steps = min(length, 60)
    // Only where a step is a day does the one that is still growing stand out.
    settled = steps == length ? request.settledDays : steps
    for count in counts where days.contains(count.day) {
      let step = days.lowerBound.distance(to: count.day) * steps / length
      values[ExactText(count.key), default: Array(repeating: 0, count: steps)][step].addSaturated(count.count)
    }
  }

  /// The counts of a key, oldest first.
  subscript(key: String) -> [Int] {
    Array((values[ExactText(key)] ?? Array(repeating: 0, count: steps)).prefix(settled))
  }
}

private struct RankingView {
  var lists: [RankingList]
  var countLabel: String
}

private struct RankingList {
  var heading: String
  var hasHeading: Bool
  var noun: String
  var isEmpty: Bool
  var isCut: Bool
  var shownCount: Int
  var allLink: String
  var lines: [RankingRow]
}

/// Answers the template itself: reflection over thousands of rows would take longer than the query.
private struct RankingRow: MustacheParent {
  private let values: [String: Any]

  init(_ line: RankingLine, _ context: RankingContext) {
    let figures = line.figures
    let change = Change(
      Double(figures.count), before: Double(context.before[ExactText(figures.name)] ?? 0), in: context.request)
    values = [
      "label": line.label, "hasCode": !line.code.isEmpty, "code": line.code, "hasLink": line.link != nil,
      "link": line.link ?? "", "spark": Sparkline.svg(context.trends[figures.name], color: line.color),
      "count": grouped(figures.count), "hasChange": change != nil, "direction": change?.direction ?? "",
      "change": change?.text ?? "", "explanation": change?.explanation ?? "", "users": grouped(figures.users),
      "perUser": figures.users > 0 ? decimal(Double(figures.count) / Double(figures.users)) : "–",
      "percent": percentage(figures.share), "bar": ShareBar.svg(figures.share, color: line.color),
    ]
  }

  func child(named name: String) -> Any? { values[name] }
}
