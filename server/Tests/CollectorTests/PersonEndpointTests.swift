import AppCatalog
import HTTPTypes
import NIOCore
import Portal
import Testing
import Warehouse

/// The deletion of persons, for programs and on the person's page.
@Suite struct PersonEndpointTests {
  private static func form(_ fixture: Fixture) throws -> HTTPFields {
    [
      .cookie: try fixture.cookie(), .contentType: "application/x-www-form-urlencoded", .secFetchSite: "same-origin",
    ]
  }

  @Test func `a program deletes a person, and the audit log does not name them`() async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      let response = try await client.execute(
        uri: "/api/v1/apps/1/persons?user=a%2Fb&refuseLater=true", method: .delete, headers: fixture.authorized)
      #expect(response.status == .accepted)
    }
    let job = try #require(try fixture.catalog.nextJob())
    #expect(job.kind == .deletePerson && job.app == fixture.app.id)
    #expect(
      PersonDeletionRequest(job.argument) == PersonDeletionRequest(person: .user("a/b"), refusesLater: true))
    let entry = try #require(try fixture.catalog.audit(limit: 1).first)
    #expect(entry.action == "person deleted" && entry.actor.name == "token test")
    #expect(entry.subject == "app 1, a user, later events refused")
    try fixture.catalog.finishJob(job.id, DataJob.Result(message: "done"))
    #expect(try fixture.catalog.nextJob() == nil)
  }

  @Test func `a program must name one person whom the app knows`() async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      let mistakes: [(String, HTTPResponse.Status)] = [
        ("", .badRequest), ("install=known%20id&user=a", .badRequest), ("install=", .badRequest),
        ("install=known%20id&refuseLater=yes", .badRequest), ("install=unknown", .notFound), ("user=ann", .notFound),
      ]
      for (query, status) in mistakes {
        let response = try await client.execute(
          uri: "/api/v1/apps/1/persons?\(query)", method: .delete, headers: fixture.authorized)
        #expect(response.status == status, "\(query)")
      }
      #expect(try fixture.catalog.nextJob() == nil)
      // Someone who has sent nothing can be refused.
      let response = try await client.execute(
        uri: "/api/v1/apps/1/persons?user=ann&refuseLater=true", method: .delete, headers: fixture.authorized)
      #expect(response.status == .accepted)
    }
  }

  @Test func `a person without rows is deleted from a filter that names them`() async throws {
    let fixture = try Fixture()
    _ = try fixture.catalog.createSegment(app: fixture.app.id, name: "S", filters: #"[["is","user",["ann"]]]"#)
    try await fixture.routed { client in
      for (name, status) in [("bob", HTTPResponse.Status.notFound), ("ann", .accepted)] {
        let response = try await client.execute(
          uri: "/api/v1/apps/1/persons?user=\(name)", method: .delete, headers: fixture.authorized)
        #expect(response.status == status, "\(name)")
      }
    }
    let request = PersonDeletionRequest(person: .user("ann"), refusesLater: false)
    #expect(try fixture.catalog.nextJob().flatMap { PersonDeletionRequest($0.argument) } == request)
  }

  @Test func `a person is deleted on their page, once its name is typed`() async throws {
    let fixture = try Fixture()
    let headers = try Self.form(fixture)
    try await fixture.routed { client in
      let path = "/apps/1/people/installs/known%20id"
      let page = try await client.execute(uri: path, method: .get, headers: headers)
      #expect(String(buffer: page.body).contains("<strong><bdi>Install known id</bdi></strong>"))
      func post(_ form: String) async throws -> TestResponse {
        try await client.execute(uri: path, method: .post, headers: headers, body: ByteBuffer(string: form))
      }
      for typed in ["", "&confirm=", "&confirm=1", "&confirm=known", "&confirm=KNOWN+ID"] {
        let refused = try await post("do=delete\(typed)")
        #expect(refused.status == .badRequest && String(buffer: refused.body).contains("id=\"mistake\""), "\(typed)")
      }
      #expect(try fixture.catalog.nextJob() == nil)
      let response = try await post("do=delete&confirm=known+id")
      #expect(response.status == .seeOther && response.headers[.location] == "/apps/1/people")
    }
    let request = PersonDeletionRequest(person: .install("known id"), refusesLater: false)
    #expect(try fixture.catalog.nextJob().flatMap { PersonDeletionRequest($0.argument) } == request)
  }

  @Test func `an install is named by its first part, and a user in full`() {
    let install = Person.install("0F5C27A1-9F5E-4A0B-8D4E-2F1F3F6F7A10")
    #expect(install.isNamed(by: "0F5C27A1") && install.isNamed(by: "0F5C27A1…"))
    #expect(install.isNamed(by: "0F5C27A1-9F5E-4A0B-8D4E-2F1F3F6F7A10"))
    #expect(!install.isNamed(by: "0F5C27A") && !install.isNamed(by: "") && !install.isNamed(by: "0F5C27A1-9F5E"))
    let user = Person.user("0F5C27A1-9F5E-4A0B-8D4E-2F1F3F6F7A10")
    #expect(!user.isNamed(by: "0F5C27A1") && user.isNamed(by: "0F5C27A1-9F5E-4A0B-8D4E-2F1F3F6F7A10"))
  }

  @Test func `the form is for those who may delete`() async throws {
    let fixture = try Fixture()
    let viewer = try fixture.catalog.invite(name: "v", role: .viewer, apps: nil, seesPersonalData: true).account
    let session = try fixture.catalog.createLoginSession(
      of: viewer.id, lasting: .seconds(86_400), address: "", browser: "")
    try await fixture.routed { client in
      let page = try await client.execute(
        uri: "/apps/1/people/users/a%2Fb", method: .get, headers: [.cookie: "tern_session=\(session)"])
      #expect(page.status == .ok && !String(buffer: page.body).contains("Delete"))
    }
  }
}
