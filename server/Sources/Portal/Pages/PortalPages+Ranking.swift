import Ingest
import Mustache
import Reports
import TernBase
import Warehouse

extension PortalPages {
  /// The page of a report that consists of rankings: each row with its trend and its change since the previous period.
  func rankingPage(_ page: PageContext) async throws -> String {
    let rankings = page.request.report.rankings
    var lists: [RankingList] = []
    for ranking in rankings { lists.append(try await list(ranking, page)) }
    let view = RankingView(lists: lists, countLabel: rankings.first?.countLabel ?? "")
    return self.page(page.shell, body: templates.render("ranking", view))
  }

  private func list(_ ranking: Ranking, _ page: PageContext) async throws -> RankingList {
    let (request, store) = (page.request, page.store)
    let rows = try await request.ranking(ranking, from: store)
    func dailyCounts(_ days: ClosedRange<Day>) async throws -> [DailyCount] {
      try await store.dailyCounts(app: request.app, dimension: ranking.dimension, days: days)
    }
    let context = RankingContext(
      ranking: ranking,
      before: try await dailyCounts(request.previous.days).reduce(into: [:]) {
        $0[ExactText($1.key), default: 0].addSaturated($1.count)
      }, trends: Trends(try await dailyCounts(request.days), request), request: request, links: page.links)
    return RankingList(
      heading: ranking.title, hasHeading: !ranking.title.isEmpty,
      noun: ranking.noun.prefix(1).uppercased() + ranking.noun.dropFirst(), isEmpty: rows.isEmpty,
      isCut: rows.count == request.limit && rows.count < ReportRequest.maximumLimit, shownCount: grouped(rows.count),
      allLink: page.links.page(request.report, limit: ReportRequest.maximumLimit),
      lines: rows.map { RankingRow($0, context) })
  }
}

/// The data shared by all rows of a ranking.
private struct RankingContext {
  var ranking: Ranking
  /// The counts of the previous period.
  var before: [ExactText: Int]
  var trends: Trends
  var request: ReportRequest
  var links: PortalLinks
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
  var shownCount: String
  var allLink: String
  var lines: [RankingRow]
}

/// Supplies values to the template directly: reflection over thousands of rows would take longer than reading them.
private struct RankingRow: MustacheParent {
  private let values: [String: Any]

  init(_ row: RankedKey, _ context: RankingContext) {
    let ranking = context.ranking
    let change = Change(
      Double(row.count), before: Double(context.before[ExactText(row.key)] ?? 0), in: context.request)
    let link = ranking.dimension == .event ? context.links.page(AppReports.event, [.event: row.key]) : nil
    values = [
      "label": shown(row.name, empty: ranking.emptyKey), "hasCode": ranking.isCountries,
      "code": shown(row.key, empty: "–"), "hasLink": link != nil, "link": link ?? "",
      "spark": Sparkline.svg(context.trends[row.key], color: ranking.color), "count": grouped(row.count),
      "hasChange": change != nil, "direction": change?.direction ?? "", "change": change?.text ?? "",
      "explanation": change?.explanation ?? "", "users": grouped(row.users),
      "perUser": row.users > 0 ? decimal(Double(row.count) / Double(row.users)) : "–",
      "percent": percentage(row.share), "bar": ShareBar.svg(row.share, color: ranking.color),
    ]
  }

  func child(named name: String) -> Any? { values[name] }
}
