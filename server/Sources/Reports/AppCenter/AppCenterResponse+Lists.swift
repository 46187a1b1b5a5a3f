import Ingest
import TernBase
import Warehouse

extension AppCenterQuery {
  func users(_ source: any MetricsStore, in range: ClosedRange<Day>? = nil) async throws -> Int {
    try await source.total(app: app, dimension: .total, key: "", days: range ?? days).users
  }

  func counts(_ metrics: some Sequence<KeyTotals>) -> [ExactText: Int] {
    Dictionary(metrics.map { (ExactText($0.key), $0.users) }, uniquingKeysWith: { $1 })
  }

  func sessions(_ source: any MetricsStore, _ range: ClosedRange<Day>) async throws -> [Day: Int] {
    try await source.dailyCounts(app: app, dimension: .session, days: range).summedByDay()
  }

  /// Sums the counts of the range by steps of the interval.
  func steps(_ counts: [Day: Int]) -> [AppCenterCount<Int>] {
    stride(from: days.lowerBound, through: days.upperBound, by: interval).map { start in
      let length = min(interval, start.distance(to: days.upperBound) + 1)
      return AppCenterCount(start, (0..<length).map { counts[start.advanced(by: $0)] ?? 0 }.saturatingSum)
    }
  }

  func versionList(_ source: any MetricsStore) async throws -> AppCenterList {
    let now = try await source.versions(app: app, names: versionNames.isEmpty ? nil : versionNames, days: days)
      .prefix(top)
    let before = counts(try await source.versions(app: app, names: now.map(\.key), days: previousDays))
    return AppCenterList("versions", "version", now, before, total: try await users(source))
  }

  func list(
    _ plural: String, _ noun: String, _ dimension: Dimension, _ source: any MetricsStore
  ) async throws -> AppCenterList {
    // Most devices first, as in App Center; the store orders by events.
    let now = try await source.totals(app: app, dimension: dimension, days: days, limit: nil)
      .sorted { ($1.users, $0.key) < ($0.users, $1.key) }
      .prefix(top)
    let before = counts(
      try await source.totals(app: app, dimension: dimension, keys: now.map(\.key), days: previousDays))
    return AppCenterList(plural, noun, now, before, total: try await users(source))
  }
}

/// The count of a step, with the step's first day.
struct AppCenterCount<Value: Encodable>: Encodable {
  var datetime: String
  var count: Value

  init(_ day: Day, _ count: Value) {
    datetime = "\(day)T00:00:00Z"
    self.count = count
  }
}

/// `{"total":n,"<plural>":[{"<noun>":…,"count":n,"previous_count":n}]}`, where counts are devices.
struct AppCenterList: Encodable {
  private let plural: String
  private let noun: String
  private let rows: [(name: String, count: Int, before: Int)]
  private let total: Int

  init(
    _ plural: String, _ noun: String, _ metrics: some Sequence<KeyTotals>, _ before: [ExactText: Int], total: Int
  ) {
    self.plural = plural
    self.noun = noun
    self.total = total
    rows = metrics.map { ($0.key, $0.users, before[ExactText($0.key)] ?? 0) }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: MemberName.self)
    try container.encode(total, forKey: MemberName("total"))
    var list = container.nestedUnkeyedContainer(forKey: MemberName(plural))
    for row in rows {
      var item = list.nestedContainer(keyedBy: MemberName.self)
      try item.encode(row.name, forKey: MemberName(noun))
      try item.encode(row.count, forKey: MemberName("count"))
      try item.encode(row.before, forKey: MemberName("previous_count"))
    }
  }
}
