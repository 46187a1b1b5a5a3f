import BenchSupport

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Sends App Center batches of 50 events, or of `--batch` events, over loopback from one thread.
///
/// `--rate 0` (default) keeps every connection busy and measures throughput. A rate in events/s sends on a schedule and
/// measures latency from the moment a request is due. `--gzip` compresses the bodies beforehand. `--tracking-id` sends
/// Measurement Protocol hits instead. `--readers 8 --token T --reports PATH,PATH` adds clients that request reports
/// without pause. `--days 24 --events N` spreads the times of so many events over the days before now, in order.
@main
struct Main {
  static func main() {
    let options = Options(
      usage:
        "bench-load --port N --app-secret UUID|--tracking-id UA-… [--seconds N] [--events N [--days N]] [--rate N] [--gzip]"
    )
    var load = Load(options)
    let result = load.run()
    printLine([
      "figure": .text(options.text("figure", default: "collector_load")),
      "connections": .count(options.number("connections", default: 32)),
      "target_events_per_second": .count(options.number("rate", default: 0)),
      "seconds": .number(result.seconds), "requests": .count(result.requests), "events": .count(result.events),
      "refused": .count(result.refused), "failed": .count(result.failed),
      "events_per_second": .count(Int(Double(result.events) / max(result.seconds, 1e-9))),
      "p50_ms": .number(Double(result.quantiles[0]) / 1e6), "p99_ms": .number(Double(result.quantiles[1]) / 1e6),
      "max_ms": .number(Double(result.quantiles[2]) / 1e6), "reports": .count(result.reports),
      "reports_refused": .count(result.refusedReports),
      "report_p50_ms": .number(Double(result.reportQuantiles[0]) / 1e6),
      "report_max_ms": .number(Double(result.reportQuantiles[1]) / 1e6),
    ])
    exit(result.failed > 0 ? 1 : 0)
  }
}

/// The results of a run.
struct LoadResult {
  var seconds = 0.0
  var requests = 0
  var events = 0
  /// Responses other than 200: not stored, so not counted as events.
  var refused = 0
  /// Broken connections.
  var failed = 0
  var quantiles: [Int64] = [0, 0, 0]
  /// Reports with status 200.
  var reports = 0
  /// Reports with any other status.
  var refusedReports = 0
  var reportQuantiles: [Int64] = [0, 0]
}
