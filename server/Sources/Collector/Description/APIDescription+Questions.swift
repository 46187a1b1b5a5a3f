import HTTPTypes
import Questions
import Reports

extension APIDescription {
  /// One operation for each kind of question.
  static let questions: [APIOperation] = Question.Kind.allCases.map { kind in
    APIOperation(
      method: .post, path: "/api/v1/apps/{app}/\(kind.rawValue)", name: kind.rawValue, summary: kind.summary,
      parameters: [app, .query("format", .choice(AnswerFormat.self))],
      body: ["application/json": .named("\(kind.schemaName)Question")],
      answers: [
        "application/json": .anyOf(.named("\(kind.schemaName)Answer"), .named("Rows")), "text/csv": .text,
        "application/x-ndjson": .text,
      ],
      errors: [400, 404, 413, 422, 503])
  }

  /// The schemas of questions; docs/questions.md has the meaning.
  static let questionSchemas: Schema.Members = [
    "QueryQuestion": question(
      ["metrics": .list(.named("Metric"), 1...20)],
      optional: [
        "dimensions": .list(.anyOf(.named("Dimension"), .named("BinnedDimension")), 0...6),
        "order_by": .list(.tuple(.text, .choice(["asc", "desc"])), 0...26),
        "compare": .choice(["previous_period"]),
        "include": .list(.choice(["totals", "time_labels", "total_rows"]), 0...3),
        "pagination": .object([:], optional: ["limit": .limited(1...100_000), "offset": .limited(0...10_000_000)]),
      ]),
    "FunnelQuestion": question(["steps": steps], optional: funnel),
    "RetentionQuestion": question([:], optional: retention),
    "PathsQuestion": question([:], optional: paths),
    "LifecycleQuestion": question([:], optional: ["interval": interval]),
    "StickinessQuestion": question([:], optional: ["interval": interval]),
    "PersonsQuestion": question(
      [:],
      optional: [
        "funnel": object(
          ["steps": steps, "step": .limited(1...12)], optional: funnel,
          more: [
            "dropped": .boolean,
            "value": .list(.anyOf(.text, .number), 0...1).described(
              "The value of the breakdown; an empty list for persons without one."),
          ]),
        "paths": object(
          ["step": .limited(1...19), "from": node, "to": node], optional: paths, more: [:]),
        "cohort": object(["of": .date], optional: retention, more: ["after": .limited(0...366)]),
        "new": .object(
          [:], optional: ["interval": .choice(TimeUnit.self), "of": .text.described("The unit of the first row ever.")]),
        "lifecycle": .object(
          ["of": .date, "state": .choice(LifecycleFold.State.self)], optional: ["interval": interval]),
        "stickiness": .object(["intervals": .limited(1...3_660)], optional: ["interval": interval]),
        "limit": .limited(1...1_000), "before": .text.described("`next` of the answer before."),
      ]),
    "DateRange": .anyOf(
      .choice(["today", "7d", "28d", "30d", "90d", "month", "12mo"]), .pattern("^[1-9][0-9]{0,2}d$"),
      .tuple(.date, .date)),
    "Metric": .anyOf(
      .choice(QuestionMetric.Plain.self),
      .pattern("^(\(QuestionMetric.Aggregate.allCases.map(\.rawValue).joined(separator: "|"))):property:")),
    "PlainDimension": .choice([
      "event", "screen", "kind", "version", "os", "model", "country", "language", "install", "user", "time:hour",
      "time:day", "time:week", "time:month",
    ]),
    "PropertyDimension": .pattern("^property:"),
    "Dimension": .anyOf(.named("PlainDimension"), .named("PropertyDimension")),
    "BinnedDimension": .tuple(
      .named("PropertyDimension"), .object(["bins": .list(.number, 1...100).described("Ascending bounds.")])),
    "Selector": .anyOf(
      .object(["event": .text], optional: rowFilters), .object(["screen": .text], optional: rowFilters),
      .object(["kind": .choice(["crash", "handled_error", "session_start"])], optional: rowFilters),
      .object(["any": .yes], optional: rowFilters)),
    "RowFilter": .anyOf(
      .tuple(.choice(["is", "is_not"]), .named("PlainDimension"), .list(.text, 1...1_000)),
      .tuple(
        .choice(["is", "is_not"]), .named("PropertyDimension"),
        .list(.anyOf(.text, .number, .boolean), 1...1_000)),
      .tuple(.choice(["contains"]), .named("Dimension"), .list(.text, 1...1_000)),
      .tuple(.choice(["gt", "gte", "lt", "lte"]), .named("PropertyDimension"), .number),
      .tuple(.choice(["set", "not_set"]), .named("Dimension")),
      .tuple(.choice(["and", "or"]), .list(.named("RowFilter"), 1...50)),
      .tuple(.choice(["not"]), .named("RowFilter"))),
    "Filter": .anyOf(
      .named("RowFilter"), .tuple(.choice(["and", "or"]), .list(.named("Filter"), 1...50)),
      .tuple(.choice(["not"]), .named("Filter")), .tuple(.choice(["has_done"]), .named("Selector")),
      .tuple(
        .choice(["has_done"]), .named("Selector"), .object(["at_least": .limited(1...1_000_000_000)])),
      .tuple(.choice(["has_not_done"]), .named("Selector")), .tuple(.choice(["segment"]), segmentNumber)),
  ]

  private static let interval = Schema.choice(["day", "week", "month"])
  private static let steps = Schema.list(.named("Selector"), 2...12)
  private static let rowFilters: Schema.Members = ["filters": .list(.named("RowFilter"), 0...50)]

  private static let funnel: Schema.Members = [
    "order": .choice(FunnelOrder.self), "window": .pattern("^[1-9][0-9]{0,2}[mhd]$"),
    "exclude": .list(
      .anyOf(exclusion(["event": .text]), exclusion(["screen": .text]), exclusion(["any": .yes])), 0...12),
    "breakdown": .named("Dimension"),
  ]

  private static let paths: Schema.Members = [
    "nodes": .choice(PathsQuestion.Nodes.self), "start": .named("Selector"), "end": .named("Selector"),
    "depth": .limited(2...20), "limit": .limited(1...1_000),
  ]

  /// A screen or an event of paths.
  private static let node = Schema.anyOf(.object(["screen": .text]), .object(["event": .text]))

  private static let retention: Schema.Members = [
    "start": .named("Selector"), "return": .named("Selector"), "interval": interval, "intervals": .limited(1...366),
    "cohort": .choice(RetentionQuestion.Cohort.self), "mode": .choice(RetentionQuestion.Mode.self),
    "breakdown": .named("Dimension"),
  ]

  private static func exclusion(_ selector: Schema.Members) -> Schema {
    .object(
      selector,
      optional: [
        "filters": .list(.named("RowFilter"), 0...50), "from": .limited(1...11), "to": .limited(2...12),
      ])
  }

  /// A question: its own members and those that all questions have.
  private static func question(
    _ required: Schema.Members, optional: Schema.Members
  ) -> Schema {
    object(
      required, optional: optional,
      more: [
        "date_range": .named("DateRange"), "filters": .list(.named("Filter"), 0...50), "by": .choice(PersonKey.self),
      ])
  }

  /// An object whose optional members may be `null`, which means that they are missing.
  private static func object(
    _ required: Schema.Members, optional: Schema.Members,
    more: Schema.Members
  ) -> Schema {
    .object(required, optional: Schema.Members((optional + more).list.map { ($0.0, .nullable($0.1)) }))
  }
}

extension Question.Kind {
  fileprivate var summary: String {
    switch self {
    case .query: "Metrics by dimensions."
    case .funnel: "How many persons take steps one after the other."
    case .retention: "How many persons come back after they started."
    case .paths: "Which screens and events follow each other within sessions."
    case .lifecycle: "New, returning, resurrected and dormant persons in each interval."
    case .stickiness: "In how many intervals persons were active."
    case .persons: "The persons behind a figure, the latest first."
    }
  }

  /// The first part of the names of the question's schemas.
  var schemaName: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }
}
