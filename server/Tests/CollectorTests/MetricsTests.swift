import Testing

@testable import Collector

/// Tests the text for Prometheus.
@Suite struct MetricsTests {
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
