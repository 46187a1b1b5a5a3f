import Questions
import TernEvents

@testable import WarehouseSQLite

extension FuzzTarget {
  /// Questions in JSON, answered by a warehouse with random traffic, in every format.
  static var questions: FuzzTarget {
    lazy var rows = OpenWarehouse(batches: 60)
    return FuzzTarget(
      changes: 100, mutator: .json(names: QuestionVocabulary.names, values: QuestionVocabulary.values)
    ) { input in
      guard let question = try? Question(json: Array(input)) else { return }
      rows.wait { try await WarehouseCheck.answer(question, $0.reader) }
    }
  }
}

/// The members of questions.
enum QuestionVocabulary {
  static let names =
    """
    kind metrics dimensions order_by compare include pagination limit offset date_range filters by bins steps event screen \
    any window breakdown exclude order from to start return interval intervals cohort mode nodes end depth funnel paths \
    new lifecycle stickiness step dropped value of after before at_least
    """.split(separator: " ").map(String.init)

  static let values =
    [
      "query", "funnel", "retention", "paths", "lifecycle", "stickiness", "persons", "users", "events", "sessions",
      "session_duration_p90", "sum:property:Count", "p99:property:Length", "event", "country", "time:day", "time:hour",
      "time:zoned_hour", "time:week", "time:month", "property:Category", "user", "install", "30d", "12mo", "month",
      "previous_period",
      "totals", "total_rows", "time_labels", "name 1", "is", "is_not", "contains", "gt", "lte", "set", "has_done", "5m",
      "3660d", "new_users", "crash_free_sessions", "property:Count", "property:HD", "kind", "crash",
    ].map { "\"\($0)\"" }
    + [#"["2026-02-01","2026-02-03"]"#, #"["is","event",["name 1"]]"#, #"["and",[]]"#, "[]", "{}", "null", "true"]
}
