import HTTP
import HTTPTypes
import Hummingbird
import JSON
import TernEvents
import Warehouse

/// `/healthz`, `/readyz` and `/metrics`, for monitoring; without data about apps.
struct HealthEndpoints: Sendable {
  let ingestion: Ingestion
  let hasPublicMetrics: Bool
  /// Returns what fails in the store: events are stored, but reports may lack some.
  let problems: @Sendable () -> [WarehouseProblem]
  /// The state of everything else that `/metrics` shows.
  let gauges: @Sendable () -> CollectorGauges

  func add(to root: EndpointGroup) {
    root.on(
      .get, "/healthz",
      APIOperation(
        "health", "Answers as long as the process runs.",
        answers: ["application/json": .object(["status": .choice(["ok"])])])
    ) { _ in .json(Array("{\"status\":\"ok\"}".utf8)) }
    root.on(
      .get, "/readyz",
      APIOperation(
        "readiness", "Answers with success while events can be stored.",
        answers: [
          "application/json": .object(["status": .choice(["ready", "degraded"])], optional: ["reasons": .list(.text)])
        ], errors: [503])
    ) { _ in try ready() }
    root.group("", hasPublicMetrics ? .nothing : .server).on(
      .get, "/metrics", APIOperation("metrics", "Figures for Prometheus.", answers: ["text/plain": .text])
    ) { _ in metrics() }
  }

  private func ready() throws -> Response {
    guard ingestion.hasRoom() else {
      var full = APIError.notStored(retryAfterSeconds: ingestion.limits.retryAfterSeconds)
      full.message = """
        Nothing is collected, because less than the reserve is free on the server's disk. Free some space, or choose a smaller \
        --disk-reserve.
        """
      throw full
    }
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
