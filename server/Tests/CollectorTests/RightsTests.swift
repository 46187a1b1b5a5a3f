import AppCatalog
import HTTPTypes
import NIOCore
import Portal
import Reports
import TernEvents
import Testing
import Warehouse

@testable import HTTP
@testable import TernServer

/// Tests the rights of every kind of visitor on every route.
@Suite struct RightsTests {
  /// The visitors, by the rights that docs/access.md gives them.
  private enum Visitor: String, CaseIterable {
    case nobody, owner, editor, viewer, trustedViewer, otherViewer
    case readToken, exportToken, writeToken, manageToken, administerToken, appToken, otherToken

    var isPerson: Bool { [.owner, .editor, .viewer, .trustedViewer, .otherViewer].contains(self) }
    var seesApp: Bool { ![.nobody, .writeToken, .otherViewer, .otherToken].contains(self) }
    var seesPersonalData: Bool {
      [.owner, .editor, .trustedViewer, .exportToken, .manageToken, .administerToken, .appToken].contains(self)
    }
    var edits: Bool { [.owner, .editor, .manageToken, .administerToken, .appToken].contains(self) }
    var administers: Bool { [.owner, .manageToken, .administerToken].contains(self) }
    var managesAccess: Bool { [.owner, .administerToken].contains(self) }
  }

  private enum Answer { case admitted, login, hidden, forbidden }

  /// Every route with the right that it requires. A new route needs a line here, and so a decision.
  private static let routes: [String: Endpoint.Requirement] = [
    "POST /v1/events": .nothing, "POST /logs": .nothing, "GET /collect": .nothing, "POST /collect": .nothing,
    "OPTIONS /collect": .nothing, "GET /r/collect": .nothing, "POST /r/collect": .nothing,
    "OPTIONS /r/collect": .nothing, "GET /j/collect": .nothing, "POST /j/collect": .nothing,
    "OPTIONS /j/collect": .nothing, "POST /batch": .nothing, "OPTIONS /batch": .nothing,
    "GET /i": .nothing, "GET /matomo.php": .nothing, "GET /piwik.php": .nothing, "POST /v1/batch": .nothing,
    "OPTIONS /v1/batch": .nothing, "POST /v1/import": .nothing, "OPTIONS /v1/import": .nothing,
    "POST /v1/track": .nothing, "OPTIONS /v1/track": .nothing, "POST /v1/identify": .nothing,
    "OPTIONS /v1/identify": .nothing, "POST /v1/page": .nothing, "OPTIONS /v1/page": .nothing,
    "POST /v1/screen": .nothing, "OPTIONS /v1/screen": .nothing, "POST /v1/alias": .nothing,
    "OPTIONS /v1/alias": .nothing, "POST /v1/group": .nothing, "OPTIONS /v1/group": .nothing,
    "POST /capture": .nothing, "OPTIONS /capture": .nothing, "POST /e": .nothing, "OPTIONS /e": .nothing,
    "POST /i/v0/e": .nothing, "OPTIONS /i/v0/e": .nothing, "POST /i/v0/ai/batch": .nothing,
    "OPTIONS /i/v0/ai/batch": .nothing, "POST /i/v1/analytics/events": .nothing,
    "OPTIONS /i/v1/analytics/events": .nothing, "POST /flags": .nothing, "OPTIONS /flags": .nothing,
    "POST /decide": .nothing, "OPTIONS /decide": .nothing, "POST /track": .nothing, "OPTIONS /track": .nothing,
    "POST /engage": .nothing, "OPTIONS /engage": .nothing, "POST /groups": .nothing, "OPTIONS /groups": .nothing,
    "POST /import": .nothing, "OPTIONS /import": .nothing, "POST /2/httpapi": .nothing,
    "OPTIONS /2/httpapi": .nothing, "POST /com.snowplowanalytics.snowplow/tp2": .nothing,
    "OPTIONS /com.snowplowanalytics.snowplow/tp2": .nothing, "POST /mp/collect": .nothing,
    "OPTIONS /mp/collect": .nothing, "POST /api/send": .nothing, "OPTIONS /api/send": .nothing,
    "POST /api/event": .nothing, "OPTIONS /api/event": .nothing, "POST /api/v0/events": .nothing,
    "OPTIONS /api/v0/events": .nothing, "POST /api/v0/event": .nothing, "OPTIONS /api/v0/event": .nothing,
    "POST /matomo.php": .nothing, "OPTIONS /matomo.php": .nothing, "POST /piwik.php": .nothing,
    "OPTIONS /piwik.php": .nothing, "POST /api/:project/envelope": .nothing,
    "OPTIONS /api/:project/envelope": .nothing, "POST /api/:project/store": .nothing,
    "OPTIONS /api/:project/store": .nothing, "POST /v1/logs": .nothing, "OPTIONS /v1/logs": .nothing,
    "POST /notify": .nothing, "OPTIONS /notify": .nothing, "POST /sessions": .nothing, "OPTIONS /sessions": .nothing,
    "GET /debug/collect": .nothing, "POST /debug/collect": .nothing, "OPTIONS /debug/collect": .nothing,
    "GET /healthz": .nothing, "GET /readyz": .nothing, "GET /assets/:name": .nothing,
    "GET /metrics": .server, "GET /api/openapi.json": .nothing,
    "GET /login": .nothing, "POST /login": .nothing, "GET /login/code": .nothing,
    "POST /login/code": .nothing, "GET /welcome": .nothing, "POST /welcome": .nothing,
    "GET /sign-in/:provider": .nothing, "GET /sign-in/:provider/callback": .nothing,
    "GET /shared/:secret": .nothing, "GET /unsubscribe/:token": .nothing, "POST /unsubscribe/:token": .nothing,
    "GET /confirm": .login, "POST /confirm": .login, "POST /logout": .login, "GET /account": .login,
    "POST /account": .login,
    "GET /": .permission(.read), "GET /apps": .permission(.read), "GET /apps/:app": .permission(.read),
    "GET /api/v1/apps": .permission(.read), "GET /api/v1/apps/:app": .permission(.read),
    "DELETE /api/v1/apps/:app": .permission(.administer), "GET /api/v1/apps/:app/views/:view": .permission(.read),
    "GET /api/v1/apps/:app/segments/:segment": .permission(.read),
    "GET /api/v1/apps/:app/dashboards/:dashboard": .permission(.read),
    "GET /api/v1/apps/:app/dimensions": .permission(.read), "GET /api/v1/apps/:app/metrics": .permission(.read),
    "GET /api/v1/apps/:app/dimensions/:index": .permission(.read),
    "PUT /api/v1/apps/:app/dimensions/:index": .permission(.edit),
    "GET /api/v1/apps/:app/metrics/:index": .permission(.read),
    "PUT /api/v1/apps/:app/metrics/:index": .permission(.edit),
    "GET /api/v1/apps/:app/links": .permission(.edit), "POST /api/v1/apps/:app/links": .permission(.edit),
    "DELETE /api/v1/apps/:app/links/:link": .permission(.edit),
    "GET /api/v1/apps/:app/jobs": .permission(.edit), "GET /api/v1/apps/:app/jobs/:job": .permission(.edit),
    "GET /api/v1/jobs": .permission(.administer), "GET /api/v1/jobs/:job": .permission(.administer),
    "GET /api/v1/backups": .permission(.administer), "POST /api/v1/backups": .permission(.administer),
    "GET /api/v1/users": .permission(.manageAccess), "POST /api/v1/users": .permission(.manageAccess),
    "GET /api/v1/users/:user": .permission(.manageAccess), "PATCH /api/v1/users/:user": .permission(.manageAccess),
    "DELETE /api/v1/users/:user": .permission(.manageAccess),
    "POST /api/v1/users/:user/link": .permission(.manageAccess),
    "GET /api/v1/users/:user/sessions": .permission(.manageAccess),
    "DELETE /api/v1/users/:user/sessions": .permission(.manageAccess),
    "GET /api/v1/sessions": .permission(.manageAccess),
    "DELETE /api/v1/sessions/:session": .permission(.manageAccess),
    "GET /api/v1/tokens": .permission(.manageAccess), "POST /api/v1/tokens": .permission(.manageAccess),
    "DELETE /api/v1/tokens/:token": .permission(.manageAccess),
    "GET /api/v1/audit": .permission(.manageAccess), "DELETE /api/v1/audit": .permission(.manageAccess),
    "GET /api/v1/failed-logins": .permission(.manageAccess),
    "GET /api/v1/apps/:app/views": .permission(.read), "POST /api/v1/apps/:app/views": .permission(.edit),
    "PATCH /api/v1/apps/:app/views/:view": .permission(.edit),
    "DELETE /api/v1/apps/:app/views/:view": .permission(.edit), "PATCH /api/v1/apps/:app": .permission(.edit),
    "GET /apps/:app/views": .permission(.read), "POST /apps/:app/views": .permission(.edit),
    "GET /apps/:app/views/:view": .permission(.edit), "POST /apps/:app/views/:view": .permission(.edit),
    "GET /v0.1/apps/:owner/:app/analytics/**": .appCenterReport,
    "GET /apps/:app/:page": .report(parameter: "page"), "GET /apps/:app/error": .permission(.read),
    "GET /api/v1/apps/:app/reports/:name": .report(parameter: "name"),
    "GET /apps/:app/:page/events": .permission(.readPersonalData),
    "GET /api/v1/apps/:app/export": .permission(.readPersonalData),
    "GET /apps/:app/:page/files/:file": .permission(.readPersonalData),
    "GET /apps/:app/values": .permission(.read), "GET /apps/:app/properties": .permission(.read),
    "GET /apps/:app/explore": .permission(.read), "GET /apps/:app/find": .permission(.read),
    "GET /apps/:app/funnels": .permission(.read),
    "GET /apps/:app/releases": .permission(.read), "POST /apps/:app/releases": .permission(.edit),
    "GET /apps/:app/retention": .permission(.read), "GET /apps/:app/paths": .permission(.read),
    "GET /apps/:app/lifecycle": .permission(.read), "GET /apps/:app/people": .permission(.readPersonalData),
    "GET /apps/:app/people/numbers/:number": .permission(.readPersonalData),
    "POST /apps/:app/error-status": .permission(.edit),
    "GET /apps/:app/error-groups": .permission(.edit), "POST /apps/:app/error-groups": .permission(.edit),
    "GET /api/v1/apps/:app/error-groups": .permission(.read),
    "PUT /api/v1/apps/:app/error-groups/rules": .permission(.edit),
    "POST /api/v1/apps/:app/error-groups/merged": .permission(.edit),
    "DELETE /api/v1/apps/:app/error-groups/merged/:group": .permission(.edit),
    "POST /api/v1/apps/:app/error-groups/split": .permission(.edit),
    "DELETE /api/v1/apps/:app/error-groups/split/:group": .permission(.edit),
    "GET /api/v1/apps/:app/errors/:group": .permission(.read),
    "PUT /api/v1/apps/:app/errors/:group": .permission(.edit),
    "GET /apps/:app/people/installs/:install": .permission(.readPersonalData),
    "GET /apps/:app/people/users/:user": .permission(.readPersonalData),
    "GET /api/v1/apps/:app/installs/:install/events": .permission(.readPersonalData),
    "GET /api/v1/apps/:app/users/:user/events": .permission(.readPersonalData),
    "POST /api/v1/apps/:app/query": .permission(.read), "POST /api/v1/apps/:app/funnel": .permission(.read),
    "POST /api/v1/apps/:app/retention": .permission(.read), "POST /api/v1/apps/:app/paths": .permission(.read),
    "POST /api/v1/apps/:app/releases": .permission(.read),
    "POST /api/v1/apps/:app/lifecycle": .permission(.read), "POST /api/v1/apps/:app/stickiness": .permission(.read),
    "POST /api/v1/apps/:app/persons": .permission(.readPersonalData),
    "DELETE /api/v1/apps/:app/persons": .permission(.edit),
    "POST /apps/:app/people/installs/:install": .permission(.edit),
    "POST /apps/:app/people/users/:user": .permission(.edit),
    "GET /api/v1/apps/:app/segments": .permission(.read), "POST /api/v1/apps/:app/segments": .permission(.edit),
    "PUT /api/v1/apps/:app/segments/:segment": .permission(.edit),
    "DELETE /api/v1/apps/:app/segments/:segment": .permission(.edit),
    "DELETE /v0.1/apps/:owner/:app/analytics/**": .permission(.edit),
    "GET /apps/:app/setup": .permission(.edit), "GET /apps/:app/limits": .permission(.edit),
    "GET /apps/:app/settings": .permission(.edit), "POST /apps/:app/settings": .permission(.edit),
    "GET /apps/:app/zone": .permission(.edit), "POST /apps/:app/zone": .permission(.edit),
    "GET /apps/:app/dashboards": .permission(.read), "POST /apps/:app/dashboards": .permission(.edit),
    "GET /apps/:app/dashboards/:dashboard": .permission(.read),
    "POST /apps/:app/dashboards/:dashboard": .permission(.edit),
    "GET /apps/:app/segments": .permission(.read), "POST /apps/:app/segments": .permission(.edit),
    "GET /apps/:app/alerts": .permission(.edit), "POST /apps/:app/alerts": .permission(.edit),
    "GET /api/v1/apps/:app/alerts": .permission(.edit), "POST /api/v1/apps/:app/alerts": .permission(.edit),
    "GET /api/v1/apps/:app/alerts/:alert": .permission(.edit),
    "PUT /api/v1/apps/:app/alerts/:alert": .permission(.edit),
    "DELETE /api/v1/apps/:app/alerts/:alert": .permission(.edit),
    "PUT /api/v1/apps/:app/alerts/:alert/mute": .permission(.edit),
    "GET /api/v1/apps/:app/alerts/:alert/notifications": .permission(.edit),
    "GET /alerts": .permission(.administer), "POST /alerts": .permission(.administer),
    "GET /api/v1/alerts": .permission(.administer), "POST /api/v1/alerts": .permission(.administer),
    "GET /api/v1/alerts/:alert": .permission(.administer), "PUT /api/v1/alerts/:alert": .permission(.administer),
    "DELETE /api/v1/alerts/:alert": .permission(.administer),
    "PUT /api/v1/alerts/:alert/mute": .permission(.administer),
    "GET /api/v1/alerts/:alert/notifications": .permission(.administer),
    "GET /apps/:app/mail-reports": .permission(.edit), "POST /apps/:app/mail-reports": .permission(.edit),
    "GET /api/v1/apps/:app/mail-reports": .permission(.edit), "POST /api/v1/apps/:app/mail-reports": .permission(.edit),
    "GET /api/v1/apps/:app/mail-reports/:report": .permission(.edit),
    "PUT /api/v1/apps/:app/mail-reports/:report": .permission(.edit),
    "DELETE /api/v1/apps/:app/mail-reports/:report": .permission(.edit),
    "POST /api/v1/apps/:app/mail-reports/:report/send": .permission(.edit),
    "GET /api/v1/apps/:app/mail-reports/:report/notifications": .permission(.edit),
    "GET /apps/:app/annotations": .permission(.read), "POST /apps/:app/annotations": .permission(.edit),
    "GET /api/v1/apps/:app/dashboards": .permission(.read), "POST /api/v1/apps/:app/dashboards": .permission(.edit),
    "PUT /api/v1/apps/:app/dashboards/:dashboard": .permission(.edit),
    "DELETE /api/v1/apps/:app/dashboards/:dashboard": .permission(.edit),
    "GET /api/v1/apps/:app/annotations": .permission(.read), "POST /api/v1/apps/:app/annotations": .permission(.edit),
    "DELETE /api/v1/apps/:app/annotations/:annotation": .permission(.edit),
    "GET /api/v1/apps/:app/symbols": .permission(.edit), "POST /api/v1/apps/:app/symbols": .permission(.edit),
    "DELETE /api/v1/apps/:app/symbols": .permission(.edit),
    "DELETE /api/v1/apps/:app/symbols/:build": .permission(.edit),
    "GET /apps/:app/links": .permission(.edit), "POST /apps/:app/links": .permission(.edit),
    "POST /apps/:app/delete": .permission(.administer), "POST /apps/:app/limits": .permission(.administer),
    "GET /api/v1/apps/:app/limits": .permission(.read), "PATCH /api/v1/apps/:app/limits": .permission(.administer),
    "POST /apps": .permission(.administer), "POST /api/v1/apps": .permission(.administer),
    "GET /users": .permission(.administer), "POST /users": .permission(.manageAccess),
    "GET /tokens": .permission(.administer), "POST /tokens": .permission(.manageAccess),
    "GET /storage": .permission(.administer), "GET /api/v1/storage": .permission(.administer),
    "GET /audit": .permission(.administer), "POST /audit": .permission(.manageAccess),
  ]

  @Test func `every route requires the right that is written down`() throws {
    let found = try Fixture().collector().requirements
    #expect(
      Dictionary(uniqueKeysWithValues: found.map { ("\($0.key.method) \($0.key.path)", $0.value) }) == Self.routes)
  }

  @Test func `each page of the list has an address, which requires the right of its place`() throws {
    let requirements = try Fixture().collector().requirements
    #expect(PageList.app.count > 5)
    for page in PageList.app {
      let route = RouteTable.Route(method: .get, path: page.place.route)
      #expect(requirements[route] == .permission(page.place.right), "\(route.path)")
    }
  }

  @Test func `each visitor is admitted to exactly the routes that their rights include`() async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      for visitor in Visitor.allCases {
        let headers = try Self.headers(visitor, fixture)
        for (route, requirement) in Self.routes where requirement != .nothing && route != "POST /logout" {
          for (path, needsPersonalData) in Self.paths(route) {
            let parts = route.split(separator: " ")
            // An admitted GET of live events would not end.
            let isStream = path.hasSuffix("/live/events")
            let method = isStream ? .head : try #require(HTTPRequest.Method(rawValue: String(parts[0])))
            let response = try await client.execute(uri: path, method: method, headers: headers)
            let expected = Self.expected(visitor, requirement, path, needsPersonalData: needsPersonalData)
            #expect(Self.answer(response, method) == expected, "\(visitor) \(method) \(path): \(response.status)")
          }
        }
      }
    }
  }

  /// Strings that identify a person or show one of their events, in every form in which they may appear.
  private static let secrets = ["5ec4e700-1111-4000-8000-00000000beef", "secret-user@example.com"]

  @Test func `no body for a viewer without personal data names a person, and the owner's do`() async throws {
    let fixture = try Fixture()
    let events = [
      #"{"id":"00000000-0000-4000-8000-000000000001","type":"event","name":"Play","properties":{"p":"x"}}"#,
      #"{"id":"00000000-0000-4000-8000-000000000002","type":"handled_error","#
        + #""exception":{"type":"E","message":"m","stackTrace":"at top\\nsecret attachment"}}"#,
    ].map { event in
      event.dropLast() + #","time":\#(WallClock.system().millisecondsSince1970),"install":"\#(Self.secrets[0])","#
        + #""user":"\#(Self.secrets[1])"}"#
    }
    try await fixture.routed { client in
      let posted = try await client.execute(
        uri: "/v1/events", method: .post, headers: fixture.keyed,
        body: ByteBuffer(string: events.joined(separator: "\n")))
      #expect(String(buffer: posted.body).hasPrefix("{\"accepted\":2"))
      let (owner, viewer) = (try Self.headers(.owner, fixture), try Self.headers(.viewer, fixture))
      let token = try Self.headers(.readToken, fixture)
      var showing: Set<String> = []
      for route in Self.routes.keys where route.hasPrefix("GET ") {
        for (path, _) in Self.paths(route) where !path.hasSuffix("/live/events") {
          func secrets(_ headers: HTTPFields) async throws -> [String] {
            let body = String(buffer: try await client.execute(uri: path, method: .get, headers: headers).body)
              .lowercased()
            return Self.secrets.filter { body.contains($0) || body.contains($0.replacing("-", with: "")) }
          }
          if try await !secrets(owner).isEmpty { showing.insert(path) }
          for headers in [viewer, token] { #expect(try await secrets(headers).isEmpty, "\(path)") }
        }
      }
      #expect(showing == ["/apps/1/live", "/api/v1/apps/1/reports/live"])
      // The page of the error itself: for a viewer without its occurrences, and with no link that is refused.
      func page(_ path: String, _ headers: HTTPFields) async throws -> (status: HTTPResponse.Status, text: String) {
        let answer = try await client.execute(uri: "/apps/1/\(path)", method: .get, headers: headers)
        return (answer.status, String(buffer: answer.body))
      }
      let address = /href="\/apps\/1\/(error\?group=[0-9]+)/
      let link = try #require(try await page("errors", viewer).text.firstMatch(of: address)?.output.1)
      let (full, reduced) = (try await page(String(link), owner), try await page(String(link), viewer))
      #expect(full.text.contains("secret attachment") && full.text.contains(Self.secrets[1]))
      #expect(reduced.status == .ok && reduced.text.contains("Per day"))
      for secret in Self.secrets + ["secret attachment", "occurrence=", "/people", "/reports/error"] {
        #expect(!reduced.text.contains(secret), "\(secret)")
      }
      let occurrence = try #require(full.text.firstMatch(of: /error\?occurrence=[0-9]+/)?.output)
      #expect(try await page(String(occurrence), viewer).status == .forbidden)
      #expect(try await page(String(occurrence), owner).status == .ok)
    }
  }

  @Test func `a visitor sees only the names of their own apps`() async throws {
    let fixture = try Fixture()
    _ = try fixture.catalog.createApp(name: "Second secret")
    try await fixture.routed { client in
      for (visitor, seesSecond) in [(Visitor.owner, true), (.viewer, false), (.otherViewer, true)] {
        let headers = try Self.headers(visitor, fixture)
        for path in ["/", "/api/v1/apps", "/apps/1/views"] where visitor != .otherViewer || path != "/apps/1/views" {
          let text = String(buffer: try await client.execute(uri: path, method: .get, headers: headers).body)
          #expect(text.contains("Second secret") == seesSecond, "\(visitor) \(path)")
        }
      }
    }
  }

  @Test func `pages offer no link or form that the visitor may not use`() async throws {
    let fixture = try Fixture()
    try await fixture.routed { client in
      let headers = try Self.headers(.viewer, fixture)
      let home = String(buffer: try await client.execute(uri: "/", method: .get, headers: headers).body)
      for forbidden in ["action=\"/apps\"", "/users", "/tokens", "/audit"] { #expect(!home.contains(forbidden)) }
      let page = String(buffer: try await client.execute(uri: "/apps/1/dropped", method: .get, headers: headers).body)
      for forbidden in ["/apps/1/live", "/settings", "/links", fixture.app.key] { #expect(!page.contains(forbidden)) }
      let empty = String(buffer: try await client.execute(uri: "/apps/1", method: .get, headers: headers).body)
      #expect(!empty.contains(fixture.app.key))
    }
  }

  @Test func `a token that sends events needs no app key, until it is revoked`() async throws {
    let fixture = try Fixture()
    let (token, secret) = try fixture.catalog.createToken(name: "backend", scopes: [.write], app: fixture.app.id)
    let other = try fixture.catalog.createToken(name: "reader", scopes: [.read], app: fixture.app.id).secret
    try await fixture.routed { client in
      for (secret, status) in [(secret, HTTPResponse.Status.ok), (other, .unauthorized), (secret, .unauthorized)] {
        let response = try await client.execute(
          uri: "/v1/events", method: .post, headers: [.authorization: "Bearer \(secret)"],
          body: ByteBuffer(string: line("Play")))
        #expect(response.status == status)
        if status == .ok { continue }
        _ = try fixture.catalog.revokeToken(token.id)
      }
    }
  }

  /// The addresses of a route for app 1, each with true if it shows personal data.
  private static func paths(_ route: String) -> [(path: String, needsPersonalData: Bool)] {
    let pattern = String(route.split(separator: " ")[1])
    let path = pattern.replacing(":app", with: "1").replacing(":owner", with: "me").replacing(":file", with: "1")
      .replacing(":view", with: "1")
    if path.hasSuffix(":page") || path.hasSuffix(":name") {
      let start = path.dropLast(":page".count)
      let personal: Set = ["live", "error", "hits"]
      let reports = ReportRegistry.standard.app + ReportRegistry.standard.view
      // The page of errors has a route of its own.
      let names = Set(reports.map(\.name)).filter { $0 != "error" || path.hasSuffix(":name") }
      return names.map { ("\(start)\($0)", personal.contains($0)) }
    }
    if path.hasSuffix("/analytics/**") {
      let start = path.dropLast("**".count)
      return ["active_device_counts", "log_flow", "generic_log_flow", "log%5fflow", "events", "nothing"].map {
        ("\(start)\($0)", $0.contains("flow"))
      }
    }
    return [(path.replacing(":page", with: path.hasSuffix("events") ? "live" : "errors"), false)]
  }

  private static func expected(
    _ visitor: Visitor, _ requirement: Endpoint.Requirement, _ path: String, needsPersonalData: Bool
  ) -> Answer {
    let isAPI = path.hasPrefix("/api") || path.hasPrefix("/v0.1") || path == "/metrics"
    // Pages are for people, tokens for programs.
    guard visitor.isPerson || isAPI && visitor != .nobody else { return .login }
    let isOfApp = path.contains("/1")
    if isOfApp, !visitor.seesApp { return .hidden }
    let isAdmitted =
      switch requirement {
      case .nothing: true
      case .login: visitor.isPerson
      case .report, .appCenterReport: !needsPersonalData || visitor.seesPersonalData
      case .server: [.owner, .readToken, .exportToken, .manageToken, .administerToken].contains(visitor)
      case .permission(.send): false
      case .permission(.read): visitor != .writeToken
      case .permission(.readPersonalData): visitor.seesPersonalData
      case .permission(.edit): visitor.edits
      case .permission(.administer): visitor.administers
      case .permission(.manageAccess): visitor.managesAccess
      }
    return isAdmitted ? .admitted : .forbidden
  }

  private static func answer(_ response: TestResponse, _ method: HTTPRequest.Method) -> Answer {
    let text = String(buffer: response.body)
    if response.status == .unauthorized { return .login }
    if response.status == .seeOther, response.headers[.location]?.hasPrefix("/login") == true { return .login }
    let isUnknownApp = method == .head || text.contains("This app does not exist")
    if response.status == .notFound, isUnknownApp { return .hidden }
    return response.status == .forbidden ? .forbidden : .admitted
  }

  private static func headers(_ visitor: Visitor, _ fixture: Fixture) throws -> HTTPFields {
    let (catalog, app, other) = (fixture.catalog, fixture.app.id, AppID(2))
    if try catalog.app(other) == nil { _ = try catalog.createApp(name: "Other") }
    func login(_ role: Account.Role, _ app: AppID, personal: Bool = false) throws -> HTTPFields {
      let account =
        try catalog.account(named: visitor.rawValue)
        ?? catalog.invite(name: visitor.rawValue, role: role, apps: [app], seesPersonalData: personal).account
      let session = try catalog.createLoginSession(of: account.id, lasting: .seconds(86_400), address: "", browser: "")
      return [.cookie: "tern_session=\(session)"]
    }
    func token(_ scope: AccessToken.Scope, _ app: AppID? = nil) throws -> HTTPFields {
      [.authorization: "Bearer \(try catalog.createToken(name: "t", scopes: [scope], app: app).secret)"]
    }
    return switch visitor {
    case .nobody: [:]
    case .owner: [.cookie: try fixture.cookie()]
    case .editor: try login(.editor, app)
    case .viewer: try login(.viewer, app)
    case .trustedViewer: try login(.viewer, app, personal: true)
    case .otherViewer: try login(.viewer, other, personal: true)
    case .readToken: try token(.read)
    case .exportToken: try token(.export)
    case .writeToken: try token(.write, app)
    case .manageToken: try token(.manage)
    case .administerToken: try token(.administer)
    case .appToken: try token(.manage, app)
    case .otherToken: try token(.manage, other)
    }
  }
}
