import Ingest
import Questions
import Warehouse

extension QuestionForm {
  /// The metrics in words.
  static let metrics: [(String, String)] = [
    ("users", "Users"), ("events", "Events"), ("screens", "Screens"), ("sessions", "Sessions"),
    ("session_starts", "Session starts"), ("new_users", "New users"), ("events_per_user", "Events per user"),
    ("sessions_per_user", "Sessions per user"), ("session_duration_avg", "Average session"),
    ("session_duration_p50", "Median session"), ("session_duration_p90", "90th percentile of sessions"),
    ("errors", "Errors"), ("crashes", "Crashes"), ("crash_free_users", "Crash-free users"),
    ("crash_free_sessions", "Crash-free sessions"), ("sum", "Sum of a property"), ("avg", "Average of a property"),
    ("min", "Minimum of a property"), ("max", "Maximum of a property"), ("p50", "Median of a property"),
    ("p90", "90th percentile of a property"), ("p99", "99th percentile of a property"),
  ]

  /// True for metrics from 0 to 1.
  var isShare: Bool { format == .highShare }

  /// The unit of the metric.
  var format: ChartFormat {
    if divisor != nil { return .number }
    return switch QuestionMetric(metric) {
    case .plain(.crashFreeUsers), .plain(.crashFreeSessions): .highShare
    case let metric? where metric.isSessionDuration: .duration
    case .plain(.eventsPerUser), .plain(.sessionsPerUser), .property: .number
    default: .count
    }
  }

  /// The metric in words, with what it is divided by.
  var metricName: String {
    guard let divisor else { return plainMetricName }
    let divisorName = Self.metrics.first { $0.0 == divisor }?.1 ?? shown(divisor)
    return "\(plainMetricName)\(words(subject)) ÷ \(divisorName.lowercased())\(words(rows("perof")))"
  }

  /// The metric over time in words.
  var timelineName: String { "\(metricName) \(divisor == nil ? "per" : "by") \(unit.rawValue)" }

  private func words(_ rows: RowChoice?) -> String {
    rows.map { $0.kind == "any" ? "" : " of \(shown($0.title))" } ?? ""
  }

  private var plainMetricName: String {
    let name = self["metric"] ?? "users"
    let words = Self.metrics.first { $0.0 == name }?.1 ?? shown(name)
    guard QuestionMetric.Aggregate(rawValue: name) != nil else { return words }
    return words.replacing("a property", with: shown(self["property"] ?? "", empty: "a property"))
  }

  /// One sentence that says what the metric counts.
  var metricAbout: String {
    if divisor != nil {
      return "The first figure divided by the second, without a value where that is 0. The total divides the totals."
    }
    return switch QuestionMetric(metric) {
    case .plain(let metric): metric.about
    case .property(let aggregate, let name): aggregate.about(shown(name.text))
    case .derived, nil: "Choose a metric."
    }
  }
}

extension QuestionMetric.Plain {
  /// One sentence that says what the metric counts.
  var about: String {
    switch self {
    case .users: "Everyone with at least one row that matches the filters, counted once in each unit of time."
    case .events: "Every event that the app sent and that matches the filters."
    case .screens: "Every time a screen was shown."
    case .errors: "Every error that the app caught and reported."
    case .crashes: "Every time the app crashed."
    case .newUsers: "Users whose very first row, of all that is stored, falls in this unit of time."
    case .sessions: "Sessions with at least one row that matches the filters."
    case .sessionStarts: "Sessions, counted when they began."
    case .eventsPerUser: "Events divided by users."
    case .sessionsPerUser: "Sessions divided by users."
    case .sessionDurationAverage: "The mean time from the first to the last row of a session. \(SessionPauses.note)"
    case .sessionDurationMedian: "Half of all sessions are shorter than this. \(SessionPauses.note)"
    case .sessionDurationP90: "Nine out of ten sessions are at most this long. \(SessionPauses.note)"
    case .crashFreeUsers: "The share of users without a crash: 1 − users with a crash ÷ all users."
    case .crashFreeSessions: "The share of sessions without a crash: 1 − sessions with a crash ÷ all sessions."
    }
  }
}

extension QuestionMetric.Aggregate {
  /// One sentence that says what the metric summarizes.
  fileprivate func about(_ property: String) -> String {
    switch self {
    case .sum: "All numbers in the property \(property), added up."
    case .avg: "The mean of all numbers in the property \(property)."
    case .min: "The smallest number in the property \(property)."
    case .max: "The largest number in the property \(property)."
    case .p50: "Half of the numbers in the property \(property) are at most this large."
    case .p90: "Nine out of ten numbers in the property \(property) are at most this large."
    case .p99: "Ninety-nine out of a hundred numbers in the property \(property) are at most this large."
    }
  }
}
