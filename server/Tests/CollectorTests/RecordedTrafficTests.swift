import AppCatalog
import Foundation
import HTTPTypes
import Hummingbird
import Ingest
import NIOCore
import Portal
import TernEvents
import Testing
import Warehouse
import WarehouseSQLite

@testable import TernServer
@testable import WarehouseUpkeep

/// Tests that requests of App Center's clients result in the metrics given with them.
@Suite struct RecordedTrafficTests {
  /// 2026-05-10T12:00:00Z throughout a test: a time one minute within a limit stays within it, however long the test
  /// takes.
  private static let now = Date(timeIntervalSince1970: 1_778_414_400)

  @Test(arguments: RecordedRequest.all)
  func `each client's request is counted once, however often and in whatever encoding it is sent`(
    request: RecordedRequest
  ) async throws {
    try await withCollector { client, app, warehouse in
      let body = request.body(at: Self.now)
      var headers = HTTPFields()
      for (name, value) in request.headers { headers[try #require(HTTPField.Name(name))] = value }
      for (secret, isCompressed) in [(app.appSecret, false), (app.appSecret.uppercased(), true), (app.appSecret, true)]
      {
        headers[.appSecret] = secret
        headers[.contentEncoding] = isCompressed ? "gzip" : nil
        let response = try await client.execute(
          uri: request.uri, method: .post, headers: headers,
          body: ByteBuffer(bytes: isCompressed ? storedGzip(Array(body.utf8)) : Array(body.utf8)))
        #expect(response.status == .ok)
        let answer = try object(response)
        #expect(answer["status"] as? String == "Success")
        #expect(answer["validDiagnosticsIds"] as? [String] == request.diagnosticsIDs)
        #expect(answer["throttledDiagnosticsIds"] as? [String] == [])
      }
      try await warehouse.flush()
      // Logs without an id, and rejected ones, are counted by their bytes or per request.
      var expected = request.metrics
      expected.refused *= 3
      #expect(try await metrics(warehouse, app.id) == expected)
      #expect(try await warehouse.reader.verify().isClean)
    }
  }

  private func metrics(_ source: SQLiteWarehouse, _ app: AppID) async throws -> RecordedRequest.Metrics {
    let today = Day(number: Int(Self.now.timeIntervalSince1970 / 86_400))
    let days = today.advanced(by: -30)...today.advanced(by: 5)
    func counts(_ metrics: [KeyTotals]) -> [String: Int] {
      Dictionary(metrics.map { ($0.key, $0.count) }, uniquingKeysWith: +)
    }
    var metrics = RecordedRequest.Metrics(
      events: counts(try await source.reader.totals(app: app, dimension: .event, days: days, limit: nil)),
      screens: counts(try await source.reader.totals(app: app, dimension: .screen, days: days, limit: nil)))
    for event in metrics.events.keys {
      for property in try await source.reader.properties(app: app, event: event, days: days, limit: 10) {
        for value in property.values { metrics.properties["\(event)/\(property.property)/\(value.key)"] = value.count }
      }
    }
    metrics.sessions = try await source.reader.total(app: app, dimension: .session, key: "", days: days).count
    metrics.installs = try await source.reader.total(app: app, dimension: .total, key: "", days: days).users
    let kinds = counts(try await source.reader.totals(app: app, dimension: .kind, days: days, limit: nil))
    metrics.handled = kinds["handled_error"] ?? 0
    metrics.crashes = kinds["crash"] ?? 0
    metrics.attachments = kinds["attachment"] ?? 0
    metrics.keptRaw = kinds["other"] ?? 0
    let dropped = counts(try await source.reader.totals(app: app, dimension: .dropped, days: days, limit: nil))
    metrics.refused = dropped.filter { $0.key.hasPrefix("rejected:") }.values.reduce(0, +)
    return metrics
  }

  private func withCollector(
    _ body: @escaping @Sendable (TestClient, App, SQLiteWarehouse) async throws -> Void
  ) async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tern-recorded-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let catalog = try Catalog(directory: directory)
    let warehouse = try SQLiteWarehouse(directory: directory, catalog: catalog)
    let dependencies = CollectorDependencies(
      of: warehouse, catalog,
      wallTime: { Timestamp(millisecondsSince1970: Int64(Self.now.timeIntervalSince1970) * 1_000) })
    let app = try catalog.createApp(name: "Notes")
    let collector = try CollectorApplication(
      dependencies: dependencies, address: "http://localhost",
      settings: CollectorSettings())
    try await TestClient(collector, logger: dependencies.logger).use { client in
      try await body(client, app, warehouse)
    }
    try await warehouse.close()
    try catalog.close()
  }
}

/// A gzip stream (RFC 1952) whose blocks are not compressed.
func storedGzip(_ bytes: [UInt8]) -> [UInt8] {
  var stream: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
  func append(_ value: UInt32, _ count: Int) {
    for index in 0..<count { stream.append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
  }
  var start = 0
  repeat {
    let end = min(start + 0xFFFF, bytes.count)
    stream.append(end == bytes.count ? 1 : 0)
    append(UInt32(end - start), 2)
    append(~UInt32(end - start), 2)
    stream += bytes[start..<end]
    start = end
  } while start < bytes.count
  var checksum: UInt32 = 0xFFFF_FFFF
  for byte in bytes {
    checksum ^= UInt32(byte)
    for _ in 0..<8 { checksum = checksum >> 1 ^ (0xEDB8_8320 & (0 &- checksum & 1)) }
  }
  append(~checksum, 4)
  append(UInt32(truncatingIfNeeded: bytes.count), 4)
  return stream
}
