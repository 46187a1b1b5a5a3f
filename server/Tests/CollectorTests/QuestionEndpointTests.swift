import AppCatalog
import Foundation
import HTTPTypes
import NIOCore
import Questions
import ReportsTestSupport
import TernEvents
import Testing
import Warehouse

@testable import HTTP
@testable import TernServer

@Suite struct QuestionEndpointTests {
  private static let questions: [(Question.Kind, String)] = [
    (.query, #"{"metrics": ["users"], "date_range": "7d"}"#),
    (.funnel, #"{"steps": [{"screen": "Home"}, {"event": "Play"}]}"#), (.retention, "{}"), (.paths, "{}"),
    (.lifecycle, "{}"), (.stickiness, "{}"), (.persons, "{}"), (.releases, "{}"),
  ]

  private func ask(
    _ client: TestClient, _ kind: Question.Kind, _ json: String, headers: HTTPFields, format: String = ""
  ) async throws -> TestResponse {
    try await client.execute(
      uri: "/api/v1/apps/1/\(kind.rawValue)\(format)", method: .post, headers: headers, body: ByteBuffer(string: json))
  }

  private func errorCode(_ response: TestResponse) throws -> String? {
    try #require(try object(response)["error"] as? [String: Any])["code"] as? String
  }

  @Test func `every kind of question is answered in every format`() async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      for (kind, json) in Self.questions {
        for (format, type) in [
          ("", "application/json"), ("?format=rows", "application/json"), ("?format=csv", "text/csv; charset=utf-8"),
          ("?format=ndjson", "application/x-ndjson"),
        ] {
          let response = try await ask(client, kind, json, headers: fixture.authorized, format: format)
          #expect(response.status == .ok, "\(kind) \(format) \(String(buffer: response.body))")
          #expect(response.headers[.contentType] == type)
          #expect(
            response.headers[.contentDisposition]?.hasPrefix("attachment; filename=\"Player-Friends-\(kind.rawValue)-")
              == true)
        }
        let members = try object(try await ask(client, kind, json, headers: fixture.authorized))
        #expect(Set(members.keys).isSuperset(of: ["results", "meta", "query"]))
      }
    }
  }

  @Test func `the range of a question ends on the app's day, not on that of UTC`() async throws {
    // 23:30 UTC on 1 May is 01:30 on the 2nd in Berlin.
    let fixture = try Fixture(wallTime: { Timestamp(millisecondsSince1970: 1_777_678_200_000) })
    try await fixture.routed { client in
      let response = try await ask(client, .query, Self.questions[0].1, headers: fixture.authorized)
      let query = try #require(try object(response)["query"] as? [String: Any])
      #expect(query["date_range"] as? [String] == ["2026-04-26", "2026-05-02"])
    }
    #expect(
      fixture.questions.asked.first?.scope.range
        == .dates(Day(year: 2026, month: 4, day: 26), Day(year: 2026, month: 5, day: 2)))
  }

  @Test(arguments: [
    (#"{"metrics": ["visitors"]}"#, "$.metrics[0]"), (#"{"metrics": ["users"], "filter": []}"#, "$.filter"), ("{", "$"),
  ])
  func `a fault is answered with its JSON path`(json: String, path: String) async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      let response = try await ask(client, .query, json, headers: fixture.authorized)
      #expect(response.status == .badRequest)
      let error = try #require(try object(response)["error"] as? [String: Any])
      #expect(error["code"] as? String == "invalid_question")
      #expect(error["path"] as? String == path)
      #expect((error["message"] as? String)?.isEmpty == false)
    }
    #expect(fixture.questions.asked.isEmpty)
  }

  @Test(arguments: [
    (#"{"steps": [{"event": "Play"}, {"event": "Purchse"}]}"#, Question.Kind.funnel, "$.steps[1].event", "Purchase"),
    (#"{"metrics": ["users"], "filters": [["is", "version", ["9.9"]]]}"#, .query, "$.filters[0][2][0]", "9.9"),
  ])
  func `a value that no row has ever had is refused, unless it is allowed`(
    json: String, kind: Question.Kind, path: String, word: String
  ) async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      let refused = try await ask(client, kind, json, headers: fixture.authorized)
      #expect(refused.status == .badRequest)
      let error = try #require(try object(refused)["error"] as? [String: Any])
      #expect(error["code"] as? String == "unknown_value" && error["path"] as? String == path)
      #expect((error["message"] as? String)?.contains(word) ?? false)
      let allowed = try await ask(client, kind, json, headers: fixture.authorized, format: "?unknown=allow")
      #expect(allowed.status == .ok)
      let misspelt = try await ask(client, kind, json, headers: fixture.authorized, format: "?unknown=yes")
      #expect(misspelt.status == .badRequest)
    }
  }

  @Test func `a report refuses a filter with a value that no row has ever had`() async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      let filters = "filters=%5B%5B%22is%22,%22version%22,%5B%229.9%22%5D%5D%5D"
      let address = "/api/v1/apps/1/reports/events?\(filters)"
      let refused = try await client.execute(uri: address, method: .get, headers: fixture.authorized)
      #expect(refused.status == .badRequest)
      #expect(try errorCode(refused) == "unknown_value")
      let allowed = try await client.execute(uri: address + "&unknown=allow", method: .get, headers: fixture.authorized)
      #expect(allowed.status == .ok)
      let page = try await client.execute(
        uri: "/apps/1/explore?event=Purchse", method: .get, headers: fixture.authorized)
      #expect(page.status != .badRequest)
    }
  }

  @Test func `a question of more than 64 KiB, and an unknown format, are refused`() async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      let long = String(repeating: " ", count: 65_537)
      #expect(try await ask(client, .query, long, headers: fixture.authorized).status == .contentTooLarge)
      let json = Self.questions[0].1
      let response = try await ask(client, .query, json, headers: fixture.authorized, format: "?format=xml")
      #expect(response.status == .badRequest)
      let error = try #require(try object(response)["error"] as? [String: Any])
      #expect(error["code"] as? String == "unknown_format")
    }
  }

  @Test(arguments: [QuestionError.Code.tooSlow, .tooLarge])
  func `a question beyond a limit is unprocessable`(code: QuestionError.Code) async throws {
    let fixture = try Fixture()
    fixture.questions.fail(with: QuestionError("Ask for fewer days.", at: "$", code: code))
    try await fixture.routed { client in
      let response = try await ask(client, .paths, "{}", headers: fixture.authorized)
      #expect(response.status == .unprocessableContent)
      #expect(try errorCode(response) == code.rawValue)
    }
  }

  @Test func `a question that takes too long ends`() async throws {
    var settings = CollectorSettings()
    settings.limits.questionDeadline = .milliseconds(1)
    let fixture = try Fixture(settings)
    fixture.questions.wait()
    try await fixture.routed { client in
      let response = try await ask(client, .paths, "{}", headers: fixture.authorized)
      #expect(response.status == .unprocessableContent)
      #expect(try errorCode(response) == "question_too_slow")
    }
    await fixture.questions.reaches(running: 0, cancelled: 1)
  }

  @Test(arguments: [
    (Question.Kind.query, #"{"metrics": ["users"], "dimensions": ["user"]}"#),
    (.query, #"{"metrics": ["users"], "filters": [["not", ["or", [["is", "install", ["7"]]]]]]}"#),
    (.query, #"{"metrics": ["users"], "filters": [["has_done", {"any": true, "filters": [["set", "user"]]}]]}"#),
    (.funnel, #"{"steps": [{"any": true}, {"any": true, "filters": [["set", "user"]]}]}"#),
    (.funnel, #"{"steps": [{"any": true}, {"any": true}], "breakdown": "install"}"#),
    (.retention, #"{"return": {"any": true, "filters": [["contains", "user", ["a"]]]}}"#),
    (.paths, #"{"end": {"any": true, "filters": [["is_not", "user", ["a"]]]}}"#),
  ])
  func `questions that tell persons apart need the right to personal data`(
    kind: Question.Kind, json: String
  ) async throws {
    let fixture = try Fixture()
    func token(_ scope: AccessToken.Scope) throws -> HTTPFields {
      [.authorization: "Bearer \(try fixture.catalog.createToken(name: "t", scopes: [scope], app: nil).secret)"]
    }
    let (read, export) = (try token(.read), try token(.export))
    try await fixture.routed { client in
      let refused = try await ask(client, kind, json, headers: read)
      #expect(refused.status == .forbidden)
      let answered = try await ask(client, kind, json, headers: export)
      #expect(answered.status == .ok)
      let harmless = try await ask(client, .query, Self.questions[0].1, headers: read)
      #expect(harmless.status == .ok)
    }
    #expect(fixture.questions.asked.count == 2)
  }

  @Test func `two questions run at a time, and too many waiting ones are refused`() async throws {
    var settings = CollectorSettings()
    settings.limits.maximumWaitingQuestions = 1
    // A busy machine may take longer from one line of this test to the next than a client is given.
    (settings.limits.headDeadline, settings.limits.idleTimeout) = (.seconds(3_600), .seconds(3_600))
    let fixture = try Fixture(settings)
    fixture.questions.wait()
    let request = Self.request(fixture)
    try await fixture.running { port in
      try await RawConnection.open(to: port) { first in
        try await first.send(request)
        try await RawConnection.open(to: port) { second in
          try await second.send(request)
          await fixture.questions.reaches(running: 2, cancelled: 0)
          try await RawConnection.open(to: port) { third in
            try await third.send(request)
            try await RawConnection.open(to: port) { fourth in
              try await fourth.send(request)
              // One of the two waits and the other is refused; the order of their arrival decides.
              try await withThrowingTaskGroup(of: String.self) { group in
                for connection in [third, fourth] {
                  group.addTask { try await connection.receive(until: "\r\n\r\n") }
                }
                let answer = try #require(try await group.next())
                #expect(answer.hasPrefix("HTTP/1.1 503"))
                for connection in [first, second, third, fourth] { connection.finishSending() }
                for try await _ in group {}
              }
            }
          }
        }
      }
      #expect(fixture.questions.mostRunning == 2)
    }
  }

  @Test func `a question ends when its client disconnects`() async throws {
    let fixture = try Fixture()
    fixture.questions.wait()
    let request = Self.request(fixture)
    try await fixture.running { port in
      try await RawConnection.open(to: port) { connection in
        try await connection.send(request)
        await fixture.questions.reaches(running: 1, cancelled: 0)
      }
      await fixture.questions.reaches(running: 0, cancelled: 1)
    }
  }

  private static func request(_ fixture: Fixture) -> String {
    "POST /api/v1/apps/1/paths HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(fixture.token)\r\n"
      + "Content-Length: 2\r\n\r\n{}"
  }

  @Test func `the rows of a person come in pages`() async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      for path in ["installs/known%20id", "users/a%2Fb"] {
        let response = try await client.execute(
          uri: "/api/v1/apps/1/\(path)/events", method: .get, headers: fixture.authorized)
        #expect((try object(response)["results"] as? [Any])?.count == 2, "\(path)")
        let later = try await client.execute(
          uri: "/api/v1/apps/1/\(path)/events?before=5-7", method: .get, headers: fixture.authorized)
        #expect((try object(later)["results"] as? [Any])?.isEmpty == true)
        let page = try await client.execute(
          uri: "/apps/1/people/\(path)", method: .get, headers: [.cookie: try fixture.cookie()])
        #expect(String(buffer: page.body).contains("Session started"))
      }
      for (path, status) in [
        ("installs/unknown/events", HTTPResponse.Status.notFound), ("installs/known%20id/events?before=x", .badRequest),
      ] {
        let response = try await client.execute(
          uri: "/api/v1/apps/1/\(path)", method: .get, headers: fixture.authorized)
        #expect(response.status == status)
      }
    }
  }

  @Test func `pages ask for what their address says, and their files are the same answer`() async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      let headers: HTTPFields = [.cookie: try fixture.cookie()]
      for page in ["explore?metric=users", "funnels?n1=A&n2=B", "retention", "paths", "lifecycle", "people"] {
        let response = try await client.execute(uri: "/apps/1/\(page)", method: .get, headers: headers)
        #expect(response.status == .ok, "\(page)")
        let separator = page.contains("?") ? "&" : "?"
        let file = try await client.execute(
          uri: "/apps/1/\(page)\(separator)format=csv", method: .get, headers: headers)
        #expect(file.headers[.contentType] == "text/csv; charset=utf-8", "\(page)")
        #expect(file.headers[.contentDisposition]?.hasPrefix("attachment") == true)
      }
      let unfinished = try await client.execute(uri: "/apps/1/funnels?format=csv", method: .get, headers: headers)
      #expect(unfinished.status == .badRequest)
    }
  }

  @Test func `the first file of a page is the one for spreadsheets in the reader's language`() async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      for (language, names) in [
        ("de-DE,de;q=0.9", ["CSV, decimal comma", "CSV", "JSON"]),
        ("en", ["CSV", "CSV, decimal comma", "JSON"]),
      ] {
        let response = try await client.execute(
          uri: "/apps/1/explore", method: .get, headers: [.cookie: try fixture.cookie(), .acceptLanguage: language])
        let links = String(buffer: response.body).matches(of: /<a href="([^"]*format=[^"]*)">([^<]*)</)
        #expect(links.prefix(3).map { String($0.2) } == names)
        for link in links {
          #expect(link.1.contains("decimal=comma") == link.2.contains("decimal comma"), "\(link.1)")
        }
      }
    }
  }

  @Test func `a file has what its page shows, and says how many rows it lacks`() async throws {
    // 2 May in Berlin.
    let now = Timestamp(millisecondsSince1970: 1_777_678_200_000)
    let fixture = try Fixture(wallTime: { now }, catalogTime: { now })
    let days = "2026-04-03-to-2026-05-02"
    let name = try #require(HTTPField.Name("Tern-Rows-Left-Out"))
    try await fixture.routed { client in
      let headers: HTTPFields = [.cookie: try fixture.cookie()]
      func file(_ page: String) async throws -> TestResponse {
        try await client.execute(uri: "/apps/1/\(page)", method: .get, headers: headers)
      }
      let values = try await file("explore?by=version&format=csv")
      #expect(String(buffer: values.body).hasPrefix("time:day,version,users\r\n"))
      #expect(values.headers[name] == nil)
      #expect(values.headers[.contentDisposition] == "attachment; filename=\"Player-Friends-explore-\(days).csv\"")
      let ranking = try await file("explore?by=version&file=values&format=csv")
      #expect(String(buffer: ranking.body).hasPrefix("version,users\r\n"))
      #expect(
        ranking.headers[.contentDisposition]
          == "attachment; filename=\"Player-Friends-explore-values-\(days).csv\"")
      let comma = try await file("explore?by=version&file=values&format=csv&decimal=comma")
      #expect(String(buffer: comma.body).hasPrefix("\u{FEFF}version;users\r\n"))
      #expect(try await file("explore?format=csv&decimal=dot").status == .badRequest)
      let people = try await file("people?format=csv")
      #expect(people.headers[name] == "7")
      #expect(
        people.headers[.contentDisposition]
          == "attachment; filename=\"Player-Friends-people-\(days)-rows-1-to-2-of-9.csv\"")
      #expect(try await file("explore?file=none&format=csv").status == .notFound)
      let json = try object(try await ask(client, .persons, "{}", headers: fixture.authorized))
      #expect((json["meta"] as? [String: Any])?["rows_left_out"] as? Int == 7)
    }
  }

  @Test func `a form leads to the short address of its page`() async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      let headers: HTTPFields = [.cookie: try fixture.cookie()]
      for (form, address) in [
        (
          "explore?apply=1&metric=users&property=&k0=event&n0=A+b&by=version&days=90&from=&to=&f1=&o1=is&v1=",
          "explore?event=A+b&by=version&days=90"
        ),
        ("people?apply=1&days=30&f1=country&o1=is&v1=DE", "people?f1=country+is+DE"),
        (
          "events?apply=1&days=7&compare=&f1=country+is+DE&f2=version&o2=is_not&v2=1.0",
          "events?days=7&f1=country+is+DE&f2=version+is_not+1.0"
        ),
        ("event?apply=1&event=A%26b&segment=&compare=before", "event?event=A%26b&compare=before"),
      ] {
        let answer = try await client.execute(uri: "/apps/1/\(form)", method: .get, headers: headers)
        #expect(answer.status == .seeOther && answer.headers[.location] == "/apps/1/\(address)")
      }
    }
  }

  @Test func `filters suggest the names of properties with their numbers of rows`() async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      let answer = try await client.execute(
        uri: "/apps/1/properties", method: .get, headers: [.cookie: try fixture.cookie()])
      #expect(answer.status == .ok)
      #expect(
        String(buffer: answer.body)
          == #"[{"value":"property:Length","rows":12},{"value":"property:Genre","rows":3}]"#)
    }
  }

  @Test func `filters suggest the values of a dimension with the most users`() async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      let headers: HTTPFields = [.cookie: try fixture.cookie()]
      func values(_ dimension: String) async throws -> (HTTPResponse.Status, String) {
        let answer = try await client.execute(
          uri: "/apps/1/values?dimension=\(dimension)", method: .get, headers: headers)
        return (answer.status, String(buffer: answer.body))
      }
      let (status, body) = try await values("property%3ALength")
      #expect(status == .ok && body.hasPrefix(#"[{"value":""#) && body.contains(#""users":"#))
      for mistake in ["", "nonsense", "time%3Aday"] { #expect(try await values(mistake).0 == .badRequest) }
    }
    let asked = try #require(fixture.questions.asked.first)
    #expect(
      asked.kind == .query && asked.scope.filters == [.isSet(.property("Length"))] && fixture.questions.asked.count == 1
    )
  }
}
