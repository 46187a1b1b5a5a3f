import HTTPTypes
import Ingest
import NIOCore
import Testing
import Warehouse

@testable import HTTP
@testable import Ingestion
@testable import TernServer

/// Tests that reports do not hold up ingestion, and that no app or client holds up the others.
@Suite struct FairnessTests {
  /// A native body that is too large to be parsed immediately.
  private func largeBody() -> ByteBuffer {
    ByteBuffer(string: (1...400).map { line("Large", id: $0) }.joined(separator: "\n"))
  }

  @Test(.timeLimit(.minutes(30)))
  func `batches are stored while every report blocks its thread`() async throws {
    let fixture = try Fixture(CollectorSettings(limits: CollectorLimits(maximumReportWait: .zero)))
    let limit = fixture.settings.limits.maximumConcurrentReports
    fixture.warehouse.reports.close()
    try await fixture.routed { client in
      try await withThrowingTaskGroup(of: HTTPResponse.Status.self) { group in
        // When both shared threads, as many blocked reports as processors also blocked the decoding of larger bodies.
        for _ in 0..<limit {
          group.addTask {
            try await client.execute(
              uri: "/api/v1/apps/1/reports/events", method: .get, headers: fixture.authorized
            ).status
          }
        }
        await fixture.warehouse.reports.blocks(limit)
        // Further reports are rejected instead of blocking more threads.
        for _ in 0..<System.coreCount * 2 {
          let busy = try await client.execute(
            uri: "/api/v1/apps/1/reports/events", method: .get, headers: fixture.authorized)
          #expect(busy.status == .serviceUnavailable)
          #expect(busy.headers[.retryAfter] == "5")
          #expect(try error(busy)["code"] as? String == "too_many_reports")
        }
        let stored = try await client.execute(
          uri: "/v1/events", method: .post, headers: fixture.keyed, body: largeBody())
        #expect(stored.status == .ok)
        #expect(fixture.warehouse.names.count == 400)
        fixture.warehouse.reports.open()
        for try await status in group { #expect(status == .ok) }
      }
    }
  }

  @Test(.timeLimit(.minutes(30)))
  func `compressed bodies are decoded apart from requests, however small they are`() async throws {
    let fixture = try Fixture()
    let (limits, dependencies) = (fixture.settings.limits, fixture.dependencies)
    let ingestion = Ingestion(
      catalog: fixture.catalog, sink: fixture.warehouse, duplicateKey: dependencies.duplicateKey,
      reader: BodyReader(gate: AdmissionGate(limits), limits: limits, metrics: CollectorMetrics()), live: LiveHub(),
      usage: UsageGate(
        catalog: fixture.catalog, sink: fixture.warehouse, addressLimits: .address, freeBytes: { nil },
        clocks: dependencies.clocks),
      clocks: dependencies.clocks, logger: dependencies.logger, hasRoom: { true })
    // One stored block that contains a space.
    let compressed = ByteBuffer(bytes: [1, 1, 0, 0xFE, 0xFF, 0x20])
    for (bytes, encoding, isApart) in [
      (compressed, "deflate", true), (ByteBuffer(repeating: 0x20, count: 64 << 10), nil, false),
      (ByteBuffer(repeating: 0x20, count: 64 << 10 + 1), nil, true),
    ] {
      let reservation = try #require(ingestion.reader.gate.reserve(bytes.readableBytes, owners: []))
      let body = BodyReader.Body(bytes: bytes, owners: [.app(1)], reservation: reservation)
      let limits = IngestLimits.native
      // Only a thread of a task has a current task.
      let hasTask = try await ingestion.parse(body, encoding: encoding, limits: limits) { _ in
        withUnsafeCurrentTask { $0 != nil }
      }
      #expect(hasTask == !isApart)
    }
  }
}
