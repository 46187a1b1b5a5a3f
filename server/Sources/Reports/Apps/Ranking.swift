import Ingest
package import Warehouse

/// The keys of a dimension in the order of their counts, for reports and pages.
package struct Ranking: Sendable, Hashable {
  /// The kinds of codes that reports show with English names.
  package enum Codes: Sendable, Hashable {
    /// ISO 3166 codes of countries.
    case countries
    /// ISO 639 codes of languages.
    case languages
  }

  /// The list's member in JSON.
  package var name: String
  /// The heading above the list; empty in a report with one list.
  package var title: String
  /// The noun for a key: the heading of the first column.
  package var noun: String
  /// The label of the count on pages.
  package var countLabel: String
  package var dimension: Dimension
  /// The number of rows unless the request has a limit.
  package var limit: Int
  /// The text for an empty key on pages.
  package var emptyKey: String
  /// The codes that the keys are; `nil` for plain names.
  package var codes: Codes?
  /// The number of the bars' color on pages.
  package var color: Int

  package init(
    _ name: String, title: String = "", noun: String, countLabel: String = "Events", dimension: Dimension,
    limit: Int = 200, emptyKey: String = "Unknown", codes: Codes? = nil, color: Int = 1
  ) {
    self.name = name
    self.title = title
    self.noun = noun
    self.countLabel = countLabel
    self.dimension = dimension
    self.limit = limit
    self.emptyKey = emptyKey
    self.codes = codes
    self.color = color
  }

  /// The meaning of the figures in one sentence.
  package var meaning: String {
    switch dimension {
    case .event: "How often each event was tracked, and how many different users did; share is its part of all events."
    case .screen:
      "How often each screen was shown, and to how many different users; share is its part of all screens shown."
    default:
      "\(countLabel) with each \(noun), and the different users behind them; share is the part of all "
        + "\(countLabel.lowercased())."
    }
  }

  /// The rows as a list of a report.
  func list(_ rows: [RankedKey], limit: Int) -> ReportList {
    let key = ReportColumn(codes == nil ? "name" : "code", heading: codes == nil ? noun : "code")
    let label = codes == nil ? [] : [ReportColumn("name", heading: noun)]
    return ReportList(
      name, title: title, columns: [key] + label + [.count, .users, .share],
      rows: rows.map { row in
        [.text(row.key)] + (codes == nil ? [] : [.text(row.name)])
          + [.count(row.count), .count(row.users), .share(row.share)]
      }, limit: limit)
  }
}

/// One row of a ranking.
package struct RankedKey: Sendable, Hashable {
  /// The key; empty when the client did not send one.
  package var key: String
  /// The key for display: the English name of a country, otherwise the key itself.
  package var name: String
  /// The number of occurrences.
  package var count: Int
  /// The number of distinct installs.
  package var users: Int
  /// The share of all occurrences, from 0 to 1, including those of rows beyond the limit.
  package var share: Double
}

extension ReportRequest {
  /// Returns the most frequent keys of a ranking.
  ///
  /// - Parameter limit: The number of rows; `nil` for the request's limit, or else the ranking's.
  package func ranking(
    _ ranking: Ranking, limit: Int? = nil, from store: any MetricsStore
  ) async throws -> [RankedKey] {
    let rows = try await rankedKeys(ranking.dimension, limit: limit ?? self.limit ?? ranking.limit, from: store)
    guard let codes = ranking.codes else { return rows }
    return rows.map { row in
      var row = row
      row.name = codes.name(of: row.key)
      return row
    }
  }

  /// Returns the most frequent keys of a dimension, each with its share of all keys except the omitted one.
  ///
  /// Shares need the count of all keys, but user sets are read only for the returned rows.
  func rankedKeys(
    _ dimension: Dimension, limit: Int, omitting omitted: String? = nil, from store: any MetricsStore
  ) async throws -> [RankedKey] {
    // One more than needed, in case the omitted key is among them.
    var (rows, whole) = try await store.largest(
      app: app, dimension: dimension, days: days, limit: omitted == nil ? limit : limit + 1)
    if let omitted {
      whole -= min(whole, try await store.total(app: app, dimension: dimension, key: omitted, days: days).count)
    }
    return rows.filter { $0.key != omitted }.prefix(limit).map {
      RankedKey(key: $0.key, name: $0.key, count: $0.count, users: $0.users, share: share($0.count, of: whole))
    }
  }
}

/// Returns a share from 0 to 1, rounded to millionths so that output stays readable; 0 if the whole is 0.
func share(_ part: Int, of whole: Int) -> Double {
  guard whole > 0 else { return 0 }
  return (Double(part) / Double(whole) * 1_000_000).rounded() / 1_000_000
}
