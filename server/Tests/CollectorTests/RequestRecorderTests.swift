import Hummingbird
import Portal
import TernBase
import Testing
import Warehouse

@testable import HTTP
@testable import TernServer

/// The record of requests for pages and reports.
@Suite struct RequestRecorderTests {
  /// Keeps the requests that were begun, and refuses reports.
  private final class Journal: RequestJournal {
    let begun = Locked<[String]>([])
    let open = Locked(0)

    func begin(request: String) throws(WarehouseError) -> @Sendable () -> Void {
      if request.contains("/reports/") { throw WarehouseError(.held, "It stopped the server.") }
      begun.withLock { $0.append(request) }
      open.withLock { $0 += 1 }
      return { [open] in open.withLock { $0 -= 1 } }
    }
  }

  @Test func `pages and shared links are recorded while they are answered, without secrets and names`() async throws {
    let (fixture, journal) = (try Fixture(), Journal())
    var dependencies = fixture.dependencies
    dependencies.requestJournal = journal
    let collector = try CollectorApplication(
      dependencies: dependencies, address: "http://localhost", settings: fixture.settings)
    let cookie = try fixture.cookie()
    try await TestClient(collector, logger: dependencies.logger).use { client in
      for uri in ["/shared/a-secret", "/apps/1/people/users/ann", "/apps/1/events?days=7", "/apps/1/events?days=8"] {
        _ = try await client.execute(uri: uri, method: .get, headers: [.cookie: cookie])
      }
      for uri in ["/healthz", "/readyz", "/collect?v=1"] { _ = try await client.execute(uri: uri, method: .get) }
      _ = try await client.execute(uri: "/v1/events", method: .post, headers: fixture.keyed)
    }
    let begun = journal.begun.withLock { $0 }
    #expect(begun.count == 4 && Set(begun).count == 4, "\(begun)")
    #expect(begun.first?.hasPrefix("GET /shared/:secret, number ") == true, "\(begun)")
    #expect(begun.allSatisfy { !$0.contains("a-secret") && !$0.contains("ann") && !$0.contains("days=") }, "\(begun)")
    #expect(journal.open.withLock { $0 } == 0, "all have ended")
  }

  @Test func `a request that stopped the server is refused with the reason`() async throws {
    let (fixture, journal) = (try Fixture(), Journal())
    var dependencies = fixture.dependencies
    dependencies.requestJournal = journal
    let collector = try CollectorApplication(
      dependencies: dependencies, address: "http://localhost", settings: fixture.settings)
    try await TestClient(collector, logger: dependencies.logger).use { client in
      let answer = try await client.execute(
        uri: "/api/v1/apps/1/reports/overview", method: .get, headers: fixture.authorized)
      #expect(answer.status == .serviceUnavailable && answer.headers[.retryAfter] == "60")
      #expect(String(buffer: answer.body).contains("It stopped the server."))
      let other = try await client.execute(uri: "/apps/1/events", method: .get, headers: fixture.authorized)
      #expect(other.status != .serviceUnavailable)
    }
  }
}
