import Ingest
package import JSON

/// Metrics by dimensions.
package struct QueryQuestion: Hashable, Sendable {
  package var scope: QuestionScope
  package var metrics: [QuestionMetric]
  package var groups: [Group]
  package var order: [Order]
  package var comparesPreviousPeriod: Bool
  package var includesTotals: Bool
  package var includesTimeLabels: Bool
  package var includesTotalRows: Bool
  package var limit: Int
  package var offset: Int

  package init(
    scope: QuestionScope = QuestionScope(), metrics: [QuestionMetric], groups: [Group] = [], order: [Order] = [],
    comparesPreviousPeriod: Bool = false, includesTotals: Bool = false, includesTimeLabels: Bool = false,
    includesTotalRows: Bool = false, limit: Int = QueryQuestion.defaultLimit, offset: Int = 0
  ) {
    self.scope = scope
    self.metrics = metrics
    self.groups = groups
    self.order = order
    self.comparesPreviousPeriod = comparesPreviousPeriod
    self.includesTotals = includesTotals
    self.includesTimeLabels = includesTimeLabels
    self.includesTotalRows = includesTotalRows
    self.limit = limit
    self.offset = offset
  }

  /// The most rows of an answer, also without `pagination`: what is left out is said with every format.
  package static let defaultLimit = 100_000

  /// A dimension, its numeric values in buckets if it has bins.
  package struct Group: Hashable, Sendable {
    package var dimension: QuestionDimension
    /// Ascending lower bounds of half-open buckets; empty for the values themselves.
    package var bins: [Double]

    package init(_ dimension: QuestionDimension, bins: [Double] = []) {
      self.dimension = dimension
      self.bins = bins
    }

    /// The name of the bucket of a value: `..0`, `0..10`, `10..`; `nil` for a value that is no number.
    package func bucket(of value: QuestionValue?) -> QuestionValue? {
      guard !bins.isEmpty else { return value }
      guard let number = value?.number else { return nil }
      let index = bins.firstIndex { number < $0 } ?? bins.count
      let lower = index == 0 ? "" : JSONNumber.plain(bins[index - 1])
      let upper = index == bins.count ? "" : JSONNumber.plain(bins[index])
      return .text("\(lower)..\(upper)")
    }
  }

  /// A column that orders the results.
  package struct Order: Hashable, Sendable {
    package var column: Column
    package var isDescending: Bool

    package init(_ column: Column, isDescending: Bool = false) {
      self.column = column
      self.isDescending = isDescending
    }

    /// The index of a metric or of a dimension.
    package enum Column: Hashable, Sendable {
      case metric(Int)
      case group(Int)
    }
  }

  /// The order of the results: as asked, else by time, else by the first metric descending; ties by all dimensions.
  package var effectiveOrder: [Order] {
    let ties = groups.indices.map { Order(.group($0)) }
    if !order.isEmpty { return order + ties }
    let times = groups.indices.filter { if case .time = groups[$0].dimension { true } else { false } }
    return (times.isEmpty ? [Order(.metric(0), isDescending: true)] : times.map { Order(.group($0)) }) + ties
  }
}

extension QueryQuestion: ScopedQuestion {
  package static let standard = QueryQuestion(metrics: [])
  package static let members: [JSONMember<QueryQuestion>] = [
    .required("metrics", \.metrics, .list(.metric, 1...20)),
    .optional("dimensions", \.groups, .list(.group, 0...6)),
    .optional("order_by", \.order, widest: standard) { .list(.order(of: $0), 0...26) },
    .optional("compare", \.comparison, .choice),
    .optional("include", \.inclusions, .list(.choice, 0...3)),
    .nested(
      "pagination",
      [
        .optional("limit", \.limit, .integer(1...defaultLimit)),
        .optional("offset", \.offset, .integer(0...10_000_000)),
      ]),
  ]

  package var dimensions: [QuestionDimension] {
    groups.map(\.dimension) + metrics.flatMap(\.terms).flatMap { $0.rows?.dimensions ?? [] }
  }

  /// The period with which a query compares, as in JSON.
  private enum Comparison: String, CaseIterable {
    case previousPeriod = "previous_period"
  }

  private var comparison: Comparison? {
    get { comparesPreviousPeriod ? .previousPeriod : nil }
    set { comparesPreviousPeriod = newValue != nil }
  }

  /// The parts of an answer that a query asks for, as in JSON.
  private enum Inclusion: String, CaseIterable {
    case totals
    case timeLabels = "time_labels"
    case totalRows = "total_rows"
  }

  private var inclusions: [Inclusion] {
    get {
      Inclusion.allCases.filter { inclusion in
        switch inclusion {
        case .totals: includesTotals
        case .timeLabels: includesTimeLabels
        case .totalRows: includesTotalRows
        }
      }
    }
    set {
      includesTotals = newValue.contains(.totals)
      includesTimeLabels = newValue.contains(.timeLabels)
      includesTotalRows = newValue.contains(.totalRows)
    }
  }
}

extension JSONCodec<QueryQuestion.Group> {
  /// The name of a dimension, or a property with bins: `["property:Length", {"bins": [0, 10, 60]}]`.
  fileprivate static var group: JSONCodec {
    JSONCodec(.anyOf(.named("Dimension"), .named("BinnedDimension"))) { node throws(JSONFault) in
      guard case .array = node.value else { return .init(try JSONCodec<QuestionDimension>.dimension.decode(node)) }
      let parts = try node.elements(2...2)
      let dimension = try JSONCodec<QuestionDimension>.dimension.decode(parts[0])
      guard case .property = dimension else { throw parts[0].fault("Only property:NAME can have bins.") }
      let bins = try parts[1].members(["bins"]).required("bins")
      let bounds = try QueryQuestion.bins.decode(bins)
      guard zip(bounds, bounds.dropFirst()).allSatisfy({ $0 < $1 }) else {
        throw bins.fault("Expected ascending numbers.")
      }
      return .init(dimension, bins: bounds)
    } encode: { group in
      let name = JSONTree.text(group.dimension.name)
      return group.bins.isEmpty ? name : .array([name, .object([("bins", QueryQuestion.bins.encode(group.bins))])])
    }
  }
}

private enum OrderDirection: String, CaseIterable {
  case asc, desc
}

extension JSONCodec<QueryQuestion.Order> {
  /// A metric or dimension of a query, and a direction.
  fileprivate static func order(of query: QueryQuestion) -> JSONCodec {
    JSONCodec(.tuple(.text, .choice(OrderDirection.self))) { node throws(JSONFault) in
      let parts = try node.elements(2...2)
      let name = try parts[0].text()
      let column: QueryQuestion.Order.Column
      if let index = query.metrics.firstIndex(where: { $0.name.hasBytes(of: name) }) {
        column = .metric(index)
      } else if let index = query.groups.firstIndex(where: { $0.dimension.name.hasBytes(of: name) }) {
        column = .group(index)
      } else {
        throw parts[0].fault("Results can be ordered by a metric or dimension of the question.")
      }
      return .init(column, isDescending: try JSONCodec<OrderDirection>.choice.decode(parts[1]) == .desc)
    } encode: { order in
      let name =
        switch order.column {
        case .metric(let index): query.metrics[index].name
        case .group(let index): query.groups[index].dimension.name
        }
      return .array([.text(name), .text((order.isDescending ? OrderDirection.desc : .asc).rawValue)])
    }
  }
}

extension QueryQuestion {
  /// The bounds of bins.
  fileprivate static let bins = JSONCodec<[Double]>.list(.number, 1...100)

  /// The schema of a property with bins.
  static var binnedSchema: Schema {
    .tuple(.named("PropertyDimension"), .object(["bins": bins.schema.described("Ascending bounds.")]))
  }
}
