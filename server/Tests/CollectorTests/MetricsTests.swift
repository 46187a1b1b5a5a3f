import Foundation
import Testing
import Warehouse

@testable import HTTP

/// Tests the text for Prometheus.
@Suite struct MetricsTests {
  @Test func `every metric of the Grafana dashboard exists`() throws {
    let metrics = CollectorMetrics()
    metrics.answered(endpoint: "/healthz", status: 200, took: .zero)
    var gauges = CollectorGauges(droppedLogLines: 0, certificateExpiry: 0)
    gauges.storage.diskBytes = ["rows": 0]
    gauges.storage.freeDiskBytes = 0
    gauges.process = ProcessStatus(processorTime: .zero, residentBytes: 0, openDescriptors: 0)
    let shown = Set(metrics.text(gauges).matches(of: /(?m)^([a-z_]+)[ {]/).map { String($0.1) })
    let file = URL(filePath: #filePath).appending(path: "../../../../docs/grafana.json").standardized
    let dashboard = try #require(
      try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
    let panels = try #require(dashboard["panels"] as? [[String: Any]])
    let expressions = panels.flatMap { $0["targets"] as? [[String: String]] ?? [] }.compactMap { $0["expr"] }
    #expect(expressions.count > 20)
    for expression in expressions {
      let names = expression.matches(of: /(?:tern|process)_[a-z_]+/).map { String($0.0) }
      #expect(!names.isEmpty && names.allSatisfy(shown.contains), "\(expression)")
    }
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
