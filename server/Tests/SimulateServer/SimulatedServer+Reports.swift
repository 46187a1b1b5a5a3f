import AppCatalog
import Foundation
import Questions
import TernBase
import TernEvents
import Views
import Warehouse
import WarehouseSQLite
import WarehouseUpkeep

extension SimulatedServer {
  /// Everything that reports show, in words.
  func reports() async throws -> [String] {
    await warehouse.finishQuarantine()
    try await warehouse.flush()
    let days = ServerSteps.days
    let reader = warehouse.reader
    var lines: [String] = []
    for app in try catalog.apps() {
      lines.append("app \(app.id) \(app.name) \(app.timeZone)")
      for dimension in Dimension.allCases where ![.property, .dropped].contains(dimension) {
        let counts = try await reader.dailyCounts(app: app.id, dimension: dimension, days: days)
        let totals = try await reader.totals(app: app.id, dimension: dimension, days: days, limit: nil)
        lines += (counts.map { "\($0)" } + totals.map { "\($0)" }).sorted()
      }
      lines.append("\(try await reader.dailyOverview(app: app.id, days: days).users)")
      for view in try catalog.views(app: app.id) {
        let now = Int64(days.upperBound.number - 8) * 86_400_000
        let metrics = try await reader.viewMetrics(view, days: days, tables: [], now: now)
        lines += metrics.days.map { "view \(view.id): \($0)" }
      }
      lines += try await answers(app)
      for file in try catalog.symbols(app: app.id) {
        let content = FileManager.default.contents(atPath: catalog.symbolPath(hash: file.hash))
        lines.append("\(file) \(content.map { String(decoding: $0, as: UTF8.self) } ?? "is missing")")
      }
      lines += try await rows(app)
    }
    return lines
  }

  /// The answer to a question, which is read from columns.
  private func answers(_ app: App) async throws -> [String] {
    let days = ServerSteps.days
    let question = QueryQuestion(
      scope: QuestionScope(range: .dates(days.lowerBound, days.upperBound)),
      metrics: [.plain(.events), .plain(.users), .plain(.sessions)], groups: [.init(.event)])
    let result = try await warehouse.reader.answer(
      .query(question), app: app.id, calendar: QuestionCalendar(app.zone), today: days.upperBound)
    guard case .query(let answer) = result.answer else { return [] }
    return answer.rows.map { "\($0)" }.sorted()
  }

  /// The rows of an app without their numbers.
  private func rows(_ app: App) async throws -> [String] {
    String(decoding: try await export(app.id, .csv), as: UTF8.self).split(whereSeparator: \.isNewline).map { line in
      String(line.drop { $0 != "," })
    }.sorted()
  }
}
