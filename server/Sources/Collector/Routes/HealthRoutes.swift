import HTTPTypes
import Hummingbird
import TernEvents
import Warehouse

/// `/healthz`, `/readyz` and `/metrics`, for monitoring; without data about apps.
struct HealthRoutes: Sendable {
  let ingestion: Ingestion
  let hasPublicMetrics: Bool
  /// The state of everything else that `/metrics` shows.
  let gauges: @Sendable () -> CollectorGauges

  func add(to routes: RouteTable) {
    routes.on("/healthz", [.get: .open { _, _ in .json(Array("{\"status\":\"ok\"}".utf8)) }])
    routes.on("/readyz", [.get: .open { _, _ in try ready() }])
    routes.on(
      "/metrics", [.get: .api(hasPublicMetrics ? .nothing : .permission(.read)) { _, _ in metrics() }])
  }

  private func ready() throws -> Response {
    guard ingestion.isReady else {
      throw APIError.notStored(retryAfterSeconds: ingestion.limits.retryAfterSeconds)
    }
    return .json(Array("{\"status\":\"ready\"}".utf8))
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
