package import Ingest
import TernBase
import TernEvents
package import Warehouse

/// The collector's metrics. They contain no data about apps, because `/metrics` may be public.
package final class CollectorMetrics: Sendable {
  private struct State {
    var requests: [RequestKey: Int] = [:]
    var events: [EventKey: Int] = [:]
    var unknownApps: [IngestProtocol: Int] = [:]
    var unreadable: [IngestProtocol: Int] = [:]
    var turnedAway = 0
    var failedCommits = 0
    var unnamed = 0
    var commits = Histogram()
    var durations: [String: Histogram] = [:]
  }

  private struct RequestKey: Hashable {
    var endpoint: String
    var status: Int
  }

  private struct EventKey: Hashable {
    var source: IngestProtocol
    var outcome: String
  }

  private let state = Locked(State())
  private let started: ContinuousClock.Instant

  package init(started: ContinuousClock.Instant = .now) {
    self.started = started
  }

  /// Counts a request whose response is ready to be sent.
  ///
  /// - Parameters:
  ///   - endpoint: The route's pattern. Unlike paths, patterns are limited in number.
  ///   - duration: The time since the request was handed to its endpoint.
  package func answered(endpoint: String, status: Int, took duration: Duration) {
    state.withLock { state in
      state.requests[RequestKey(endpoint: endpoint, status: status), default: 0] += 1
      state.durations[endpoint, default: Histogram()].observe(duration)
    }
  }

  /// Counts the outcome of a batch.
  package func committed(_ source: IngestProtocol, _ receipt: CommitReceipt, rejected: Int, took duration: Duration) {
    state.withLock { state in
      state.events[EventKey(source: source, outcome: "accepted"), default: 0] += receipt.accepted
      state.events[EventKey(source: source, outcome: "duplicate"), default: 0] += receipt.duplicates.count
      state.events[EventKey(source: source, outcome: "rejected"), default: 0] += rejected
      state.unnamed += receipt.unnamed
      state.commits.observe(duration)
    }
  }

  /// Counts a commit that failed.
  package func commitFailed() { state.withLock { $0.failedCommits += 1 } }

  /// Counts a request that was told to retry later.
  package func turnedAway() { state.withLock { $0.turnedAway += 1 } }

  /// Counts a request or hit for an unknown app.
  package func unknownApp(_ source: IngestProtocol) { state.withLock { $0.unknownApps[source, default: 0] += 1 } }

  /// Counts an unreadable body.
  package func unreadable(_ source: IngestProtocol) { state.withLock { $0.unreadable[source, default: 0] += 1 } }

  /// Returns all metrics as Prometheus text.
  package func text(_ gauges: CollectorGauges, now: ContinuousClock.Instant = .now) -> String {
    let state = state.withLock { $0 }
    var text = MetricsText()
    text.family("tern_build_info", "gauge", "The running version.")
    text.sample("tern_build_info", [("version", ternVersion)], 1)
    text.single("tern_uptime_seconds", "gauge", "Seconds since the collector started.", (now - started) / .seconds(1))
    text.single("tern_ready", "gauge", "1 if events can be stored, else 0.", gauges.isReady ? 1 : 0)
    write(requests: state.requests, to: &text)
    write(durations: state.durations, to: &text)
    write(events: state.events, to: &text)
    write(state, to: &text)
    write(gauges, to: &text)
    write(gauges.storage, to: &text)
    if let cluster = gauges.cluster { write(cluster, to: &text) }
    write(gauges.process, to: &text)
    return text.text
  }

  private func write(requests: [RequestKey: Int], to text: inout MetricsText) {
    text.family("tern_http_requests_total", "counter", "Requests by endpoint and status.")
    for (key, count) in requests.sorted(by: { ($0.key.endpoint, $0.key.status) < ($1.key.endpoint, $1.key.status) }) {
      text.sample("tern_http_requests_total", [("endpoint", key.endpoint), ("status", "\(key.status)")], count)
    }
  }

  private func write(durations: [String: Histogram], to text: inout MetricsText) {
    let name = "tern_http_request_seconds"
    text.family(name, "histogram", "Time until a response is ready to be sent, by endpoint.")
    for (endpoint, histogram) in durations.sorted(by: { $0.key < $1.key }) {
      text.histogram(name, histogram, labels: [("endpoint", endpoint)])
    }
  }

  private func write(events: [EventKey: Int], to text: inout MetricsText) {
    text.family("tern_events_total", "counter", "Events by protocol and outcome.")
    for source in IngestProtocol.allCases {
      for outcome in ["accepted", "duplicate", "rejected"] {
        let count = events[EventKey(source: source, outcome: outcome)] ?? 0
        text.sample("tern_events_total", [("protocol", source.rawValue), ("outcome", outcome)], count)
      }
    }
  }

  private func write(_ state: State, to text: inout MetricsText) {
    for (name, help, counts) in [
      ("tern_unknown_app_total", "Requests and hits for unknown apps.", state.unknownApps),
      ("tern_unreadable_total", "Unreadable request bodies.", state.unreadable),
    ] {
      text.family(name, "counter", help)
      for source in IngestProtocol.allCases {
        text.sample(name, [("protocol", source.rawValue)], counts[source] ?? 0)
      }
    }
    text.single(
      "tern_turned_away_total", "counter",
      "Requests told to retry later and bodies aborted because of overload or a stalled transfer.",
      state.turnedAway)
    text.single("tern_commit_failures_total", "counter", "Batches that could not be stored.", state.failedCommits)
    text.single(
      "tern_unnamed_events_total", "counter",
      "Stored events reported as (other) because their app brings too many names.",
      state.unnamed)
    text.family("tern_commit_seconds", "histogram", "Time from a parsed batch to its commit.")
    text.histogram("tern_commit_seconds", state.commits)
  }
}
