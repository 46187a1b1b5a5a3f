package import Ingest
import JSON
import Warehouse

/// A figure of a query, over the rows that pass.
package indirect enum QuestionMetric: Hashable, Sendable {
  case plain(Plain)
  case property(Aggregate, ExactText)
  case derived(DerivedMetric)

  /// The metrics that name no property.
  package enum Plain: String, CaseIterable, Sendable {
    case events, screens, errors, crashes, users
    case newUsers = "new_users"
    case sessions
    case sessionStarts = "session_starts"
    case eventsPerUser = "events_per_user"
    case sessionsPerUser = "sessions_per_user"
    case sessionDurationAverage = "session_duration_avg"
    case sessionDurationMedian = "session_duration_p50"
    case sessionDurationP90 = "session_duration_p90"
    case crashFreeUsers = "crash_free_users"
    case crashFreeSessions = "crash_free_sessions"
  }

  /// A summary of the numeric values of a property.
  package enum Aggregate: String, CaseIterable, Sendable {
    case sum, avg, min, max, p50, p90, p99

    /// The share of values below a percentile, in percent.
    package var percent: Int? {
      switch self {
      case .p50: 50
      case .p90: 90
      case .p99: 99
      default: nil
      }
    }
  }

  /// Parses a metric such as `users` or `p90:property:Length`.
  package init?(_ name: String) {
    if let plain = Plain(rawValue: name) {
      self = .plain(plain)
      return
    }
    let parts = name.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[1] == "property", let aggregate = Aggregate(rawValue: String(parts[0])) else {
      return nil
    }
    self = .property(aggregate, ExactText(String(parts[2])))
  }

  /// True for figures of how long sessions last, in seconds.
  package var isSessionDuration: Bool {
    switch self {
    case .plain(.sessionDurationAverage), .plain(.sessionDurationMedian), .plain(.sessionDurationP90): true
    case .derived(let derived): derived.divisor == nil && derived.term.metric.isSessionDuration
    case .plain, .property: false
    }
  }

  /// True for a metric of some rows only, or one that is divided.
  package var isDerived: Bool { if case .derived = self { true } else { false } }

  /// The terms of which the metric is made.
  package var terms: [DerivedMetric.Term] {
    if case .derived(let derived) = self { derived.terms } else { [.init(self)] }
  }

  /// The metric's value by those of its terms.
  package func value(_ value: (DerivedMetric.Term) -> Double?) -> Double? {
    if case .derived(let derived) = self { derived.value(value) } else { value(.init(self)) }
  }

  /// True for figures that are no counts: also whole ones are fractions.
  package var isFraction: Bool {
    switch self {
    case .plain(.events), .plain(.screens), .plain(.errors), .plain(.crashes), .plain(.users), .plain(.newUsers),
      .plain(.sessions), .plain(.sessionStarts):
      false
    case .derived(let derived): derived.divisor != nil || derived.term.metric.isFraction
    case .plain, .property: true
    }
  }

  /// A sentence that belongs beside each figure of the metric; `nil` for none.
  package var note: String? { isSessionDuration ? "Session durations: \(SessionPauses.note)" : nil }

  /// The name in questions and answers.
  package var name: String {
    switch self {
    case .plain(let plain): plain.rawValue
    case .property(let aggregate, let property): "\(aggregate.rawValue):property:\(property.text)"
    case .derived(let derived): derived.name
    }
  }
}

extension QuestionMetric {
  /// Decodes the name of a metric that isn't derived.
  init(name node: JSONNode) throws(JSONFault) {
    guard let metric = QuestionMetric(try node.text()) else {
      let plain = Plain.allCases.map(\.rawValue).joined(separator: ", ")
      let aggregates = Aggregate.allCases.map(\.rawValue).joined(separator: ", ")
      throw node.fault(
        "There is no such metric; possible are \(plain), and one of \(aggregates) followed by :property:NAME.")
    }
    self = metric
  }

  static var nameSchema: Schema {
    .anyOf(
      .choice(Plain.self), .pattern("^(\(Aggregate.allCases.map(\.rawValue).joined(separator: "|"))):property:"))
  }

  static var schema: Schema { .anyOf(.named("MetricName"), DerivedMetric.schema) }
}

extension JSONCodec<QuestionMetric> {
  /// The name of a metric, or an object with some of its rows or what it is divided by.
  static var metric: JSONCodec {
    JSONCodec(.named("Metric")) { node throws(JSONFault) in
      if case .object = node.value { .derived(try DerivedMetric(node)) } else { try QuestionMetric(name: node) }
    } encode: {
      if case .derived(let derived) = $0 { derived.json } else { .text($0.name) }
    }
  }
}

/// Returns the percentile of ascending values by nearest rank, the ⌈p·n⌉-th smallest; `nil` if there is none.
package func percentile<Value>(_ percent: Int, ofSorted values: [Value]) -> Value? {
  values.isEmpty ? nil : values[max((percent * values.count + 99) / 100, 1) - 1]
}
