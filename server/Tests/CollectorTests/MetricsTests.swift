import Foundation
import TernEvents
import Testing
import Warehouse

@testable import HTTP

/// Tests the text for Prometheus, and what refers to it.
@Suite struct MetricsTests {
  private static let root = URL(filePath: #filePath).appending(path: "../../../..").standardized

  /// Returns the content of a file of the repository.
  private static func content(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// Returns the metrics that a text names. The parts of a histogram count as one.
  private static func metrics(in text: some StringProtocol) -> Set<String> {
    let names = String(text).matches(of: /\b(?:tern|process)_[a-z_]+/).map { String($0.0) }
    return Set(names.map { $0.replacing(/_seconds_(?:bucket|sum|count)$/, with: "_seconds") })
  }

  /// Returns the families of a server that uses everything.
  private static func families() -> Set<String> {
    var gauges = CollectorGauges(droppedLogLines: 0, certificateExpiry: 0)
    gauges.storage.freeDiskBytes = 0
    gauges.storage.scrub.position = Timestamp(millisecondsSince1970: 0)
    gauges.cluster = ClusterStatus()
    gauges.backups = BackupHealth(interval: .seconds(1), latest: nil, isFailing: false)
    gauges.deliveries.waiting = [:]
    gauges.process = ProcessStatus(
      processorTime: .zero, residentBytes: 0, openDescriptors: 0, maximumDescriptors: 0, startTime: 0)
    let text = CollectorMetrics().text(gauges)
    return Set(text.matches(of: /(?m)^# TYPE ([a-z_]+)\b/).map { String($0.1) })
  }

  @Test func `the documentation has exactly the metrics that exist`() throws {
    let families = Self.families()
    #expect(families.count > 40)
    let page = try Self.content("docs/operations.md")
    let begin = try #require(page.range(of: "\n| Metrics | Show |\n"))
    let end = try #require(page.range(of: "\n\n", range: begin.upperBound..<page.endIndex))
    let told = Self.metrics(in: page[begin.upperBound..<end.lowerBound])
    #expect(told.symmetricDifference(families).sorted() == [])
    let folder = Self.root.appending(path: "server/Sources/HTTP/Metrics").path
    let sources = try FileManager.default.contentsOfDirectory(atPath: folder).map {
      try Self.content("server/Sources/HTTP/Metrics/\($0)")
    }
    // Otherwise this test doesn't set a gauge that is left out when it is nil.
    let written = sources.flatMap { $0.matches(of: /"((?:tern|process)_[a-z_]+)"/).map { String($0.1) } }
    #expect(Set(written).symmetricDifference(families).sorted() == [])
  }

  @Test func `the Grafana dashboard has exactly the metrics that exist`() throws {
    let file = Data(try Self.content("docs/grafana.json").utf8)
    let dashboard = try #require(try JSONSerialization.jsonObject(with: file) as? [String: Any])
    let panels = try #require(dashboard["panels"] as? [[String: Any]])
    let expressions = panels.flatMap { $0["targets"] as? [[String: String]] ?? [] }.compactMap { $0["expr"] }
    let shown = expressions.map { Self.metrics(in: $0) }
    #expect(!shown.contains([]))
    #expect(shown.reduce(Set()) { $0.union($1) }.symmetricDifference(Self.families()).sorted() == [])
    let identifiers = panels.compactMap { $0["id"] as? Int }
    #expect(Set(identifiers).count == panels.count)
  }

  @Test func `the sample alerts and their tests name only metrics that exist`() throws {
    let rules = Self.metrics(in: try Self.content("docs/prometheus-rules.yml"))
    let tests = Self.metrics(in: try Self.content("server/Tests/ClientTests/prometheus-rules-test.yml"))
    #expect(rules.count > 20 && rules.subtracting(Self.families()).sorted() == [])
    #expect(tests.symmetricDifference(rules).sorted() == [])
  }

  @Test func `labels may contain any text`() {
    var text = MetricsText()
    text.family("a_total", "counter", "Things.")
    text.sample("a_total", [("name", "quote \" backslash \\ break \n")], 3)
    #expect(
      text.text == """
        # HELP a_total Things.
        # TYPE a_total counter
        a_total{name="quote \\" backslash \\\\ break \\n"} 3

        """)
  }

  @Test func `a histogram's buckets add up`() {
    var histogram = Histogram()
    for duration: Duration in [.zero, .microseconds(500), .milliseconds(2), .seconds(10), .seconds(11)] {
      histogram.observe(duration)
    }
    var text = MetricsText()
    text.histogram("t", histogram)
    #expect(text.text.contains("t_bucket{le=\"0.0005\"} 2\n"))
    #expect(text.text.contains("t_bucket{le=\"0.0025\"} 3\n"))
    #expect(text.text.contains("t_bucket{le=\"10.0\"} 4\n"))
    #expect(text.text.contains("t_bucket{le=\"+Inf\"} 5\n"))
    #expect(text.text.contains("t_count 5\n"))
  }
}
