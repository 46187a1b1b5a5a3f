import TernBase
import TernEvents
import Warehouse

package enum ViewReports {
  /// All of them, in the order of the pages.
  static let all = [
    overview, screens, landing, exits, depth, flow, events, exceptions, timings, ecommerce, shopping, checkout,
    promotions, lists, social, devices, versions, acquisition, custom, realtime, late, hits,
  ]
}

extension ReportDefinition {
  /// Creates a report from breakdowns of a view.
  static func breakdown(
    _ name: String, _ title: String, _ explanation: String, group: ViewReportGroup = .audience, tables: Set<ViewTable>,
    storedFacts: StoredFacts? = nil, showsChanges: Bool = false,
    lists: @escaping @Sendable (ViewBreakdowns) -> [ReportList]
  ) -> ReportDefinition {
    ofView(
      name, title, explanation, group: group, storedFacts: storedFacts, showsChanges: showsChanges
    ) { view, request, store in
      let metrics = try await store.viewMetrics(
        view, days: request.days, tables: tables, now: request.now.millisecondsSince1970)
      return lists(ViewBreakdowns(view: view, request: request, metrics: metrics))
    }
  }

  static func ofView(
    _ name: String, _ title: String, _ explanation: String, group: ViewReportGroup, showsPersonalData: Bool = false,
    storedFacts: StoredFacts? = nil, showsChanges: Bool = false, isLive: Bool = false,
    read: @escaping @Sendable (View, ReportRequest, any MetricsStore) async throws -> [ReportList]
  ) -> ReportDefinition {
    ReportDefinition(
      name, title: title, explanation: explanation, showsPersonalData: showsPersonalData, storedFacts: storedFacts,
      showsChanges: showsChanges, isLive: isLive, viewGroup: group
    ) { request, store in
      guard let view = request.view else {
        throw ReportError(.unknownView, "The report \"\(name)\" is one of a view. Choose a view with --view NUMBER.")
      }
      let currency = view.currency(on: request.days)
      return ReportContent(
        try await read(view, request, store).map { $0.labelled(currency: currency).limited(to: request.viewLimit) },
        values: currency.isEmpty ? [:] : ["currency": .text(currency)])
    }
  }
}

extension ReportRequest {
  /// The rows of each list of a view's report.
  var viewLimit: Int { limit ?? 200 }
}

extension View {
  /// The currency label of amounts: several if it changed within the days, empty if there is none.
  func currency(on days: ClosedRange<Day>) -> String {
    var labels: [String] = []
    for rules in rules(on: days) where !labels.contains(rules.settings.currency) {
      labels.append(rules.settings.currency)
    }
    return labels == [""] ? "" : labels.map { $0.isEmpty ? "(not set)" : $0 }.joined(separator: ", ")
  }
}

extension ReportList {
  /// The list with the currency in its title, which terminals show, and in the headings of pages, if it has amounts.
  fileprivate func labelled(currency: String) -> ReportList {
    guard !currency.isEmpty, columns.contains(where: { $0.unit == .money }) else { return self }
    var list = self
    list.title += "\(title.isEmpty ? "" : " ")(\(currency))"
    for index in columns.indices where columns[index].unit == .money {
      list.columns[index].title += " (\(currency))"
    }
    return list
  }
}

extension ReportList {
  /// The list as one with at most so many rows; days are never cut.
  fileprivate func limited(to limit: Int) -> ReportList {
    guard columns.first?.name != "date" else { return self }
    var list = self
    list.limit = limit
    return list
  }
}

/// The breakdowns of a view's report.
struct ViewBreakdowns {
  let view: View
  let request: ReportRequest
  let metrics: ViewMetrics

  /// All rows of a breakdown.
  func all(_ table: ViewTable) -> [ViewMetrics.Row] { metrics.tables[table] ?? [] }

  /// The rows of a breakdown up to the limit.
  func rows(_ table: ViewTable) -> ArraySlice<ViewMetrics.Row> { limited(all(table)) }

  func limited(_ rows: [ViewMetrics.Row]) -> ArraySlice<ViewMetrics.Row> { rows.prefix(request.viewLimit) }

  /// Creates a list of keys, numbers and users.
  func plain(
    _ name: String, title: String = "", _ columns: [ReportColumn], _ rows: ArraySlice<ViewMetrics.Row>
  ) -> ReportList {
    ReportList(
      name, title: title, columns: columns + [.users],
      rows: rows.map { row in row.texts + row.numbers.map { .count($0) } + [.count(row.users)] })
  }
}

extension ViewMetrics.Row {
  /// The parts of the key as values.
  var texts: [ReportValue] { key.map { .text($0) } }
}

extension ReportValue {
  /// Creates an integer from a number of a view.
  static func count(_ number: SaturatingInt64) -> ReportValue { .count(number.rawValue) }

  /// Creates a duration from milliseconds of a view.
  static func duration(_ milliseconds: SaturatingInt64) -> ReportValue {
    .duration(Int(clamping: milliseconds.rawValue))
  }

  /// Returns a share as a percentage.
  static func share(_ part: SaturatingInt64, of whole: SaturatingInt64) -> ReportValue {
    .share(part.rawValue, of: whole.rawValue)
  }

  /// Returns a quotient with two decimals.
  static func quotient(_ part: SaturatingInt64, _ whole: SaturatingInt64) -> ReportValue {
    .quotient(part.rawValue, whole.rawValue)
  }

  /// Returns a ratio; 0 if the whole is 0.
  static func ratio(_ part: some BinaryInteger, _ whole: some BinaryInteger) -> Double {
    whole == 0 ? 0 : Double(part) / Double(whole)
  }

  /// Returns a share as a percentage.
  static func share(_ part: some BinaryInteger, of whole: some BinaryInteger) -> ReportValue {
    .share(ratio(part, whole))
  }

  /// Returns a quotient with two decimals.
  static func quotient(_ part: some BinaryInteger, _ whole: some BinaryInteger) -> ReportValue {
    .decimal(ratio(part, whole))
  }

  /// Returns an average duration; 0 if the count is 0.
  static func averageDuration(_ sum: SaturatingInt64, _ count: SaturatingInt64) -> ReportValue {
    .duration(average(sum, count))
  }

  /// Returns an average; 0 if the count is not positive.
  static func average(_ sum: SaturatingInt64, _ count: SaturatingInt64) -> SaturatingInt64 {
    count > 0 ? sum.divided(by: count) ?? 0 : 0
  }

  /// Converts millionths to an amount of money.
  static func millionths(_ millionths: SaturatingInt64) -> ReportValue {
    let magnitude = millionths.magnitude
    var decimals = String(magnitude % 1_000_000)
    decimals = String(repeating: "0", count: 6 - decimals.count) + decimals
    while decimals.hasSuffix("0"), decimals.count > 2 { decimals.removeLast() }
    return .amount("\(millionths < 0 ? "-" : "")\(magnitude / 1_000_000).\(decimals)")
  }
}
