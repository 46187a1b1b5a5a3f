import HTTPTypes
import Hummingbird
import TernEvents
import Warehouse

/// `/healthz`, `/readyz` and `/metrics`, for monitoring; without data about apps.
struct HealthRoutes: Sendable {
  let ingestion: Ingestion
  let hasPublicMetrics: Bool
  /// Returns what fails in the store: events are stored, but reports may lack some.
  let problems: @Sendable () -> [WarehouseProblem]
  /// The state of everything else that `/metrics` shows.
  let gauges: @Sendable () -> CollectorGauges

  func add(to routes: RouteTable) {
    routes.on("/healthz", [.get: .open { _, _ in .json(Array("{\"status\":\"ok\"}".utf8)) }])
    routes.on("/readyz", [.get: .open { _, _ in try ready() }])
    routes.on(
      "/metrics", [.get: .api(hasPublicMetrics ? .nothing : .server) { _, _ in metrics() }])
  }

  private func ready() throws -> Response {
    guard ingestion.isReady else {
      throw APIError.notStored(retryAfterSeconds: ingestion.limits.retryAfterSeconds)
    }
    let problems = problems()
    guard !problems.isEmpty else { return .json(Array("{\"status\":\"ready\"}".utf8)) }
    var writer = JSONWriter(capacity: 256)
    writer.raw("{\"status\":\"degraded\",\"reasons\":[")
    for (index, summary) in Set(problems.map(\.summary)).sorted().enumerated() {
      if index > 0 { writer.raw(",") }
      writer.string(summary)
    }
    writer.raw("]}")
    return .json(writer.bytes)
  }

  private func metrics() -> Response {
    var gauges = gauges()
    gauges.isReady = ingestion.isReady
    gauges.pendingBytes = ingestion.reader.gate.bytes
    gauges.liveStreams = ingestion.live.openStreams
    gauges.process = .current()
    let text = ingestion.metrics.text(gauges)
    return Response(
      status: .ok,
      headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
  }
}
