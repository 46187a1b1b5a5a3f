import Questions
import Reports
import Warehouse

/// The names of shared pages in words, such as `Overview · Germany · 3.3.0 · last 30 days`.
struct SharedName {
  let today: Day
  let segments: [SavedSegment]
  /// True to leave out what may name a person, because the audit log stays when that person is deleted.
  let isForAudit: Bool

  /// The name of what a link shows.
  func name(of content: SharedContent) -> String {
    let parts: [String] =
      switch content {
      case .report(let request): parts(request)
      case .question(let page, let parameters): parts(QuestionForm(page, parameters, segments: segments))
      case .dashboard(let dashboard, let scope):
        ["Dashboard", shown(dashboard.name)] + words(FilterRows(json: scope.filter.json))
          + [segment(scope.filter.segment), days(of: scope)].compactMap { $0 }
      }
    return parts.joined(separator: " · ")
  }

  private func parts(_ request: ReportRequest) -> [String] {
    let subject = [request.view.map { shown($0.name) }, request.report.title].compactMap { $0 }
    let parameters = request.report.parameters.compactMap { request[$0] }.map { shown($0, limit: 60) }
    let filters = request.isFilterable ? words(FilterRows(json: request.filter.json)) : []
    let others = [segment(request.filter.segment), compared(request.comparison)].compactMap { $0 }
    return subject + parameters + filters + others + [words(request.days, isRelative: true)]
  }

  private func parts(_ form: QuestionForm) -> [String] {
    let sentence = form.page.definition.sentence(form).compactMap(\.words).joined(separator: " ")
    let others = [segment(form["segment"].flatMap { Int64($0) }), compared(form["compare"].flatMap { .init($0) })]
    let days = (try? form.range())?.resolved(today: today)
    return [form.page.title, sentence].filter { !$0.isEmpty } + words(FilterRows(form.rows, others: form.otherFilters))
      + others.compactMap { $0 }
      + [days.map { words($0, isRelative: form["from"] == nil && form["to"] == nil) }].compactMap { $0 }
  }

  private func segment(_ number: Int64?) -> String? {
    number.map(segments.name(of:))
  }

  private func compared(_ comparison: ReportComparison?) -> String? {
    switch comparison {
    case .periodBefore: "compared with the previous period"
    case .segment(let number): segment(number).map { "compared with \($0)" }
    case nil: nil
    }
  }

  private func days(of scope: DashboardScope) -> String? {
    guard let range = scope.range else { return nil }
    let isRelative = if case .dates = range { false } else { true }
    return words(range.resolved(today: today), isRelative: isRelative)
  }

  /// The range in words. One that ends today moves on with the days.
  ///
  /// - Parameter isRelative: False for two dates.
  private func words(_ days: ClosedRange<Day>, isRelative: Bool) -> String {
    guard days.upperBound == today, isRelative else { return days.text }
    return days.count == 1 ? "today" : "last \(counted(days.count, "day"))"
  }

  private func words(_ filters: FilterRows) -> [String] {
    filters.rows.map(words) + filters.others.map { isForAudit ? "another filter" : FilterRows.words($0) }
  }

  /// A filter in words: a value speaks for itself unless it is that of a property.
  private func words(_ row: FilterRow) -> String {
    let dimension = QuestionDimension(row.ofStep?.row.dimension ?? row.dimension)
    if case .property = dimension { return isForAudit ? "by \(shown(FilterRow.name(of: row.dimension)))" : row.words }
    guard row.ofStep == nil else { return row.words }
    return row.comparison == "is" && !row.value.isEmpty
      ? dimension?.words(for: row.value) ?? shown(row.value, limit: 60) : row.words
  }
}
