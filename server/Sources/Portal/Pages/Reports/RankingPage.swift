import Ingest
import Reports
import TernBase
import Warehouse

/// The page of a report that consists of rankings: each row with its trend and its change since the previous period.
struct RankingPage: Page {
  let page: ReportVisit
  var visit: PageVisit { page.visit }

  func html() async throws -> String {
    let rankings = page.request.report.rankings
    var lists: [TemplateValues] = []
    for ranking in rankings { lists.append(try await list(ranking, page)) }
    let values: TemplateValues = ["lists": lists, "countLabel": rankings.first?.countLabel]
    return visit.page(page.shell, body: visit.templates.render("ranking", values))
  }

  private func list(_ ranking: Ranking, _ page: ReportVisit) async throws -> TemplateValues {
    let (request, store) = (page.request, page.store)
    // Two at a time, as questions are answered.
    async let ranked = request.ranking(ranking, from: store)
    let daily = try await store.dailyCounts(app: request.app, dimension: ranking.dimension, days: request.days)
    let changes = try await page.changes { wanted, store in
      // The days that are over are among those of the trends.
      let counts =
        wanted.filter == request.filter && request.days.contains(wanted.days.upperBound)
        ? daily.filter { wanted.days.contains($0.day) }
        : try await store.dailyCounts(app: request.app, dimension: ranking.dimension, days: wanted.days)
      return counts.reduce(into: [ExactText: Int]()) { $0[ExactText($1.key), default: 0].addSaturated($1.count) }
    }
    let rows = try await ranked
    let trends = Trends(daily, request)
    let isCut = rows.count == request.limit && rows.count < ReportRequest.maximumLimit
    return [
      "heading": ranking.title.isEmpty ? nil : ranking.title,
      "about": ranking.meaning, "noun": titled(ranking.noun),
      "shownCount": isCut ? grouped(rows.count) : nil,
      "allLink": page.links.page(request.report, limit: ReportRequest.maximumLimit),
      "lines": rows.map { row -> TemplateValues in
        [
          "label": ModelNames.isModel(row.key, of: ranking.dimension)
            ? modelName(row.key) : shown(row.name, empty: ranking.emptyKey),
          "code": ranking.codes != nil || ModelNames.isModel(row.key, of: ranking.dimension)
            ? shown(row.key, empty: "–") : nil,
          "link": ranking.dimension == .event ? page.links.page(AppReports.event, [.event: row.key]) : nil,
          "filterLink": visit.filterLink(request, ranking.dimension, row.key),
          "spark": Sparkline.svg(trends[row.key], color: ranking.color), "count": grouped(row.count),
          "change": changes?.of { Double($0[ExactText(row.key)] ?? 0) }?.values, "users": grouped(row.users),
          "usersLink": row.users == 0 ? nil : visit.people(request, ranking.dimension, row.key),
          "perUser": row.users > 0 ? decimal(Double(row.count) / Double(row.users)) : "–",
          "percent": percentage(row.share), "bar": ShareBar.svg(row.share, color: ranking.color),
        ]
      },
    ]
  }
}

/// Counts per key over the range, in at most sixty steps.
struct Trends {
  private var values: [ExactText: [Int]] = [:]
  private let steps: Int
  private let settled: Int

  /// Sums daily counts; longer ranges by steps of equal length.
  init(_ counts: [DailyCount], _ request: ReportRequest) {
    let (days, length) = (request.days, request.length)
    steps = min(length, 60)
    // An incomplete day stands out only if a step is a single day.
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
