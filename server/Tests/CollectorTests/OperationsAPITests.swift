import AppCatalog
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Portal
import TernBase
import TernEvents
import Testing
import Warehouse

@testable import Answering
@testable import TernServer

/// The audit log, jobs, the deletion of apps and backups through the API.
@Suite struct OperationsAPITests {
  @Test func `the audit log is read in pages, from the latest entry to the first`() async throws {
    let fixture = try Fixture()
    for number in 0..<25 { try fixture.catalog.record(.exported, "number \(number)") }
    try await fixture.administered { api in
      var (seen, next): ([Int], Int?) = ([], nil)
      repeat {
        let page = try await api.object(.get, "/audit?limit=7" + (next.map { "&before=\($0)" } ?? ""))
        let entries = try #require(page["entries"] as? [[String: Any]])
        #expect(entries.count <= 7)
        seen += entries.compactMap { $0["id"] as? Int }
        next = page["next"] as? Int
      } while next != nil
      let all = try fixture.catalog.audit(limit: 1_000).map { Int($0.id) }
      #expect(seen == all)
      for query in ["limit=0", "limit=1001", "limit=x", "before=0", "before=x", "before=-1"] {
        #expect(try await api.send(.get, "/audit?\(query)").status == .badRequest, "\(query)")
      }
    }
  }

  @Test func `old entries of the audit log are deleted, and failed logins are listed`() async throws {
    let time = Locked(Timestamp(millisecondsSince1970: 1_700_000_000_000))
    let fixture = try Fixture(wallTime: { time.withLock { $0 } })
    try fixture.catalog.recordFailedLogin("eve")
    try await fixture.administered { api in
      #expect(try await api.list("/failed-logins", "logins").first?["name"] as? String == "eve")
      for query in ["", "?days=0", "?days=x", "?days=3651"] {
        #expect(try await api.send(.delete, "/audit\(query)").status == .badRequest, "\(query)")
      }
      #expect(try await api.object(.delete, "/audit?days=1")["deleted"] as? Int == 0)
      // The entries have the time of the system's clock: from ten years later on, all of them are old.
      time.withLock { $0 = WallClock.system() + .seconds(10 * 366 * 86_400) }
      let pruned = try await api.object(.delete, "/audit?days=1")
      #expect((pruned["deleted"] as? Int ?? 0) > 0)
      let rest = try await api.list("/audit", "entries")
      #expect(rest.count == 1 && rest.first?["action"] as? String == "audit log pruned")
      #expect(rest.first?["who"] as? String == "token admin")
    }
  }

  @Test func `an app is deleted by a job, once, if its name confirms it`() async throws {
    let fixture = try Fixture()
    try await fixture.administered { api in
      for query in ["", "?confirm=", "?confirm=player+%26+%3CFriends%3E"] {
        #expect(try await api.send(.delete, "/apps/1\(query)").status == .badRequest, "\(query)")
      }
      #expect(try fixture.catalog.nextJob() == nil)
      let path = "/apps/1?confirm=Player+%26+%3CFriends%3E"
      let job = try await api.object(.delete, path, status: .accepted)
      #expect(job["kind"] as? String == "delete app" && job["state"] as? String == "pending")
      let again = try await api.object(.delete, path, status: .accepted)
      #expect(again["id"] as? Int == job["id"] as? Int)
      let number = try #require(job["id"] as? Int)
      #expect(try await api.object(.get, "/jobs/\(number)")["state"] as? String == "pending")
      #expect(try await api.object(.get, "/apps/1/jobs/\(number)")["app"] as? Int == 1)
      try fixture.catalog.note(DataJob.Progress(text: "The disk is full.", obstacle: .disk), ofJob: Int64(number))
      let blocked = try await api.object(.get, "/jobs/\(number)")
      #expect(blocked["state"] as? String == "blocked" && blocked["text"] as? String == "The disk is full.")
      try fixture.catalog.finishDeletion(of: AppID(1), job: Int64(number), DataJob.Result(message: "Gone."))
      let done = try await api.object(.get, "/jobs/\(number)")
      #expect(done["state"] as? String == "done" && done["text"] as? String == "Gone.")
      #expect(try await api.send(.get, "/apps/1").status == .notFound)
      #expect(try await api.send(.delete, path).status == .notFound)
    }
    #expect(try fixture.catalog.audit(limit: 1_000).count { $0.action == "app deleted" } == 1)
  }

  @Test func `jobs are listed without their arguments, those of an app only for it`() async throws {
    let fixture = try Fixture()
    let catalog = fixture.catalog
    let other = try catalog.createApp(name: "Other")
    let request = PersonDeletionRequest(person: .user("secret-user"), refusesLater: false)
    let job = try catalog.requestDeletion(request, app: fixture.app.id)
    let second = try catalog.requestDeletion(of: other)
    try catalog.finishJob(second.id, DataJob.Result(isFailed: true, message: "No."))
    _ = try catalog.requestRetirement(before: WallClock.system())
    try await fixture.administered { api in
      let all = try await api.list("/jobs", "jobs")
      #expect(all.map { $0["kind"] as? String } == ["retire rows", "delete app", "delete person"])
      #expect(all.map { $0["state"] as? String } == ["pending", "failed", "pending"])
      #expect(all[0]["app"] is NSNull)
      #expect(!String(buffer: try await api.send(.get, "/jobs").body).contains("secret-user"))
      #expect(try await api.list("/apps/1/jobs", "jobs").count == 1)
      #expect(try await api.send(.get, "/apps/2/jobs/\(job.id)").status == .notFound)
      #expect(try await api.send(.get, "/jobs/99").status == .notFound)
      let first = try await api.object(.get, "/jobs?limit=2")
      #expect((first["jobs"] as? [Any])?.count == 2 && first["next"] as? Int == Int(second.id))
    }
  }

  @Test func `a request for a person's deletion answers with its job`() async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      let api = APIClient(client: client, headers: fixture.authorized)
      let job = try await api.object(.delete, "/apps/1/persons?user=nobody&refuseLater=true", status: .accepted)
      #expect(job["kind"] as? String == "delete person")
      let number = try #require(job["id"] as? Int)
      #expect(try await api.object(.get, "/apps/1/jobs/\(number)")["state"] as? String == "pending")
    }
  }

  /// Backups that are made when a test says so.
  private final class FakeBackups: BackupControl {
    let requests = Locked(0)

    func status() throws -> BackupStatus {
      BackupStatus(
        interval: .seconds(86_400), kept: 7,
        backups: [.init(name: "tern-20261123T014200Z", created: Timestamp(millisecondsSince1970: 0), events: 5)],
        isRequested: requests.withLock { $0 > 0 }, failure: "no room")
    }

    var health: BackupHealth {
      BackupHealth(interval: .seconds(86_400), latest: Timestamp(millisecondsSince1970: 9_000), isFailing: true)
    }

    func request() { requests.withLock { $0 += 1 } }
  }

  @Test func `backups are listed, and another one is asked for`() async throws {
    let fixture = try Fixture()
    let backups = FakeBackups()
    var dependencies = fixture.dependencies
    dependencies.backups = backups
    let collector = try CollectorApplication(
      dependencies: dependencies, address: "http://127.0.0.1:8787",
      settings: fixture.settings
    )
    try await TestClient(collector, logger: dependencies.logger).use { client in
      let api = APIClient(client: client, headers: fixture.authorized)
      let before = try await api.object(.get, "/backups")
      #expect(before["everySeconds"] as? Int == 86_400 && before["kept"] as? Int == 7)
      #expect(before["requested"] as? Bool == false && before["failure"] as? String == "no room")
      #expect((before["backups"] as? [[String: Any]])?.first?["events"] as? Int == 5)
      #expect(try await api.object(.post, "/backups", status: .accepted)["requested"] as? Bool == true)
      #expect(backups.requests.withLock { $0 } == 1)
      let metrics = try await client.execute(uri: "/metrics", method: .get, headers: fixture.authorized)
      #expect(String(buffer: metrics.body).contains("\ntern_backup_timestamp_seconds 9\n"))
    }
    try await fixture.routed { client in
      let none = try await APIClient(client: client, headers: fixture.authorized).send(.post, "/backups")
      #expect(none.status == .notFound)
      #expect(try error(none)["code"] as? String == "no_backups")
    }
  }
}
