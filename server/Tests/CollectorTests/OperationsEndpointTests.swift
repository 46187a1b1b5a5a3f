import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Portal
import TernEvents
import Testing
import Warehouse
import WarehouseSQLite

@testable import HTTP
@testable import Ingestion
@testable import TernServer

/// Tests health, metrics, unknown addresses and the header fields of every response.
@Suite struct OperationsEndpointTests {
  @Test func `health and readiness differ when storing fails`() async throws {
    // A failure counts only for a while.
    let fixture = try Fixture(uptime: { .seconds(1) })
    try await fixture.routed { client in
      #expect(try await client.execute(uri: "/healthz", method: .get).status == .ok)
      #expect(try await client.execute(uri: "/readyz", method: .get).status == .ok)
      fixture.warehouse.fail(with: WarehouseError(.full, "disk full"))
      let body = ByteBuffer(string: line("Play"))
      _ = try await client.execute(uri: "/v1/events", method: .post, headers: fixture.keyed, body: body)
      #expect(try await client.execute(uri: "/healthz", method: .get).status == .ok)
      #expect(try await client.execute(uri: "/readyz", method: .get).status == .serviceUnavailable)
      fixture.warehouse.fail(with: nil)
      _ = try await client.execute(uri: "/v1/events", method: .post, headers: fixture.keyed, body: body)
      #expect(try await client.execute(uri: "/readyz", method: .get).status == .ok)
    }
  }

  @Test func `a server without room on the disk is not ready, also before a batch has failed`() async throws {
    let fixture = try Fixture()
    var dependencies = fixture.dependencies
    dependencies.hasRoom = { false }
    let collector = try CollectorApplication(
      dependencies: dependencies, address: "http://127.0.0.1:8787",
      settings: fixture.settings
    )
    try await TestClient(collector, logger: dependencies.logger).use { client in
      let ready = try await client.execute(uri: "/readyz", method: .get)
      let health = try await client.execute(uri: "/healthz", method: .get)
      #expect(ready.status == .serviceUnavailable && health.status == .ok)
      #expect(String(buffer: ready.body).contains("less than the reserve is free on the server's disk"))
    }
  }

  @Test func `an app that is being deleted does not make the server unready for all others`() async throws {
    let fixture = try Fixture(uptime: { .seconds(1) })
    try await fixture.routed { client in
      fixture.warehouse.fail(with: WarehouseError(.unknownApp, "being deleted"))
      let body = ByteBuffer(string: line("Play"))
      let answer = try await client.execute(uri: "/v1/events", method: .post, headers: fixture.keyed, body: body)
      #expect(answer.status == .serviceUnavailable)
      #expect(try await client.execute(uri: "/readyz", method: .get).status == .ok)
      let probe = try await client.execute(uri: "/v1/events", method: .post, headers: fixture.keyed)
      #expect(probe.status == .ok && fixture.warehouse.writeProbes == 0)
    }
  }

  @Test func `metrics count requests, events and commits, and name no app`() async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      let body = ByteBuffer(string: line("Secret event"))
      for _ in 0..<2 {
        _ = try await client.execute(uri: "/v1/events", method: .post, headers: fixture.keyed, body: body)
      }
      _ = try await client.execute(uri: "/never/heard/of/it", method: .get)
      let response = try await client.execute(uri: "/metrics", method: .get, headers: fixture.authorized)
      #expect(response.headers[.contentType] == "text/plain; version=0.0.4; charset=utf-8")
      let text = String(buffer: response.body)
      for sample in [
        "tern_http_requests_total{endpoint=\"/v1/events\",status=\"200\"} 2",
        "tern_http_requests_total{endpoint=\"NotFound\",status=\"404\"} 1",
        "tern_http_request_seconds_count{endpoint=\"/v1/events\"} 2",
        "tern_http_request_seconds_bucket{endpoint=\"/v1/events\",le=\"+Inf\"} 2",
        "tern_events_total{protocol=\"native\",outcome=\"accepted\"} 1",
        "tern_events_total{protocol=\"native\",outcome=\"duplicate\"} 1",
        "tern_commit_seconds_count 2", "tern_commit_seconds_bucket{le=\"+Inf\"} 2", "tern_queue_bytes 0",
        "tern_ready 1",
      ] {
        #expect(text.contains(sample + "\n"), "\(sample) is missing in\n\(text)")
      }
      #expect(!text.contains("Secret") && !text.contains("Player") && !text.contains("/never"))
    }
  }

  @Test func `metrics need a token, unless they are public`() async throws {
    for isPublic in [false, true] {
      var settings = CollectorSettings()
      settings.hasPublicMetrics = isPublic
      let fixture = try Fixture(settings)
      try await fixture.routed { client in
        let response = try await client.execute(uri: "/metrics", method: .get)
        #expect(response.status == (isPublic ? .ok : .unauthorized))
        let allowed = try await client.execute(uri: "/metrics", method: .get, headers: fixture.authorized)
        #expect(allowed.status == .ok)
      }
    }
  }

  @Test func `metrics show the process and the disk`() throws {
    var storage = StorageStatus()
    storage.viewCacheBytes = 7
    storage.diskBytes = ["rows": 20, "keys": 10]
    storage.freeDiskBytes = 300
    storage.reservedDiskBytes = 200
    storage.scrub = ScrubStatus(
      files: 11, bytes: 12, mended: 13, position: Timestamp(millisecondsSince1970: 14_000), damaged: ["keys": 15])
    let process = ProcessStatus(
      processorTime: .milliseconds(1_500), residentBytes: 4_096, openDescriptors: 12, maximumDescriptors: 1_024,
      startTime: 1_764_460_800.25)
    var gauges = CollectorGauges(
      reports: (1, 2), questions: (3, 4), recentAnswers: 5, droppedLogLines: 6, certificateExpiry: 8, storage: storage,
      process: process)
    gauges.backups = BackupHealth(
      interval: .seconds(3_600), latest: Timestamp(millisecondsSince1970: 16_900), isFailing: true)
    gauges.deliveries = DeliveryStatus(kinds: ["mail", "chat"])
    gauges.deliveries.waiting = ["mail": 17, "unheard-of": 1]
    gauges.deliveries.count("mail", .failed)
    gauges.deliveries.count("mail", .failed)
    gauges.deliveries.count("chat", .givenUp)
    let text = CollectorMetrics().text(gauges)
    for sample in [
      "tern_view_cache_bytes 7", "tern_disk_used_bytes{part=\"keys\"} 10\ntern_disk_used_bytes{part=\"rows\"} 20",
      "tern_disk_free_bytes 300", "tern_disk_reserve_bytes 200", "process_cpu_seconds_total 1.5",
      "process_resident_memory_bytes 4096", "tern_reports{state=\"running\"} 1",
      "tern_questions{state=\"waiting\"} 4", "tern_recent_answers 5", "tern_access_log_dropped_total 6",
      "tern_tls_certificate_expiry_timestamp_seconds 8", "process_open_fds 12",
      "tern_scrub_files_total 11", "tern_scrub_bytes_total 12", "tern_scrub_mended_total 13",
      "tern_scrub_timestamp_seconds 14", "tern_damaged_files{kind=\"keys\"} 15",
      "tern_backup_timestamp_seconds 16", "tern_backup_interval_seconds 3600", "tern_backup_failed 1",
      "tern_messages_waiting{destination=\"mail\"} 17", "tern_messages_waiting{destination=\"chat\"} 0",
      "tern_message_attempts_total{destination=\"mail\",outcome=\"delivered\"} 0",
      "tern_message_attempts_total{destination=\"mail\",outcome=\"failed\"} 2",
      "tern_message_attempts_total{destination=\"chat\",outcome=\"given_up\"} 1",
      "process_max_fds 1024", "process_start_time_seconds 1764460800.25",
    ] {
      #expect(text.contains(sample + "\n"), "\(sample) is missing in\n\(text)")
    }
    #expect(!text.contains("unheard-of"))
  }

  @Test func `a server without backups shows none, and one without a complete backup shows 0`() {
    #expect(!CollectorMetrics().text(.empty).contains("tern_backup"))
    var gauges = CollectorGauges()
    gauges.backups = BackupHealth(interval: .seconds(3_600), latest: nil, isFailing: false)
    let text = CollectorMetrics().text(gauges)
    #expect(text.contains("\ntern_backup_timestamp_seconds 0\n") && text.contains("\ntern_backup_failed 0\n"))
  }

  @Test func `the start of a process is read from the system's files, whatever its name is`() {
    let fields = (4...21).map(String.init).joined(separator: " ")
    let system = "cpu  1 2 3\nintr 5\nctxt 6\nbtime 1764460000\nprocesses 7\n"
    func start(_ process: String, _ system: String) -> Double? {
      ProcessStatus.startTime(process: process, system: system, ticksPerSecond: 100)
    }
    #expect(start("17 (tern) S \(fields) 80025 23 24\n", system) == 1_764_460_800.25)
    #expect(start("17 (a b) c) S \(fields) 80025 23 24\n", system) == 1_764_460_800.25)
    #expect(start("17 (tern) S \(fields)", system) == nil && start("", system) == nil)
    #expect(start("17 (tern) S \(fields) 80025 23", "cpu 1") == nil)
  }

  #if os(Linux)
    @Test func `the process knows its own resources`() throws {
      let process = ProcessStatus.current()
      #expect(try #require(process.processorTime) > .zero)
      #expect(try #require(process.residentBytes) > 1 << 20)
      let (open, maximum) = try (#require(process.openDescriptors), #require(process.maximumDescriptors))
      #expect(open > 2 && maximum >= open)
      let start = try #require(process.startTime)
      #expect(start > 1_500_000_000 && start <= Date().timeIntervalSince1970 + 1)
    }
  #endif

  @Test func `unknown addresses get a 404, known ones with another method a 405`() async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      let unknown = try await client.execute(uri: "/nowhere", method: .get)
      #expect(unknown.status == .notFound)
      #expect(try error(unknown)["code"] as? String == "not_found")
      let page = try await client.execute(uri: "/nowhere", method: .get, headers: [.accept: "text/html"])
      #expect(page.status == .notFound)
      #expect(page.headers[.contentType] == "text/html; charset=utf-8")
      for (uri, method, allow) in [
        ("/v1/events", HTTPRequest.Method.get, "POST"), ("/logs", .put, "POST"),
        ("/healthz", .post, "GET, HEAD"), ("/batch", .get, "POST, OPTIONS"),
        ("/api/v1/apps", .delete, "GET, HEAD, POST"),
      ] {
        let response = try await client.execute(uri: uri, method: method)
        #expect(response.status == .methodNotAllowed, "\(method) \(uri)")
        #expect(response.headers[.allow] == allow)
      }
      let head = try await client.execute(uri: "/healthz", method: .head)
      #expect(head.status == .ok)
      #expect(head.body.readableBytes == 0)
      #expect(head.headers[.contentLength] == "15")
    }
  }

  @Test(arguments: ["/", "/login", "/nowhere", "/healthz", "/metrics", "/assets/nothing", "/api/v1/apps", "/collect"])
  func `every response has the security header fields`(uri: String) async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      let response = try await client.execute(uri: uri, method: .get, headers: [.accept: "text/html"])
      #expect(response.headers[.contentSecurityPolicy]?.contains("default-src 'none'") == true)
      #expect(response.headers[.xContentTypeOptions] == "nosniff")
      let policy = HTTPField.Name("Referrer-Policy").flatMap { response.headers[$0] }
      #expect(policy == "no-referrer" || policy == "same-origin")
    }
  }
}
