import Foundation
import HTTPTypes
import Ingest
import NIOCore

/// A request of another system's client with one event, and the only answer after which its client goes on as it should.
struct ClientExchange: Sendable, CustomStringConvertible {
  /// The raw value of its protocol.
  var source: String
  /// The route as its protocol writes it.
  var route: ClientRoute
  /// The query, in which `%` stands for the app's key; empty for none.
  var query = ""
  /// Header fields; `%` stands for the key here, too.
  var headers: [String: String] = [:]
  /// The body; `%` stands for the key here, too.
  var body = ""
  var status = 200
  var type: String? = "application/json"
  /// The body of the answer; `nil` for an image.
  var answer: String?
  /// The name of the stored event; `nil` for a request of which nothing is stored.
  var stored: String? = "Play"

  var description: String { "\(route.method) \(route.path)" }

  /// The path of the request in several spellings.
  var spellings: [String] {
    let path = route.path.replacing(":project", with: "7")
    return [path, path + "/", path.replacing("/", with: "//") + "//"]
  }

  /// Sends the request.
  func send(
    to client: TestClient, path: String? = nil, key: String = Self.key, body: [UInt8]? = nil,
    and fields: HTTPFields = [:]
  ) async throws -> TestResponse {
    var headers = fields
    for (name, value) in self.headers {
      headers[HTTPField.Name(name) ?? .accept] =
        name == "Authorization" && value.hasPrefix("Basic")
        ? "Basic " + Data("\(key):".utf8).base64EncodedString() : value.replacing("%", with: key)
    }
    let query = query.isEmpty ? "" : "?" + query.replacing("%", with: key)
    let bytes = body ?? Array(self.body.replacing("%", with: key).utf8)
    return try await client.execute(
      uri: (path ?? spellings[0]) + query, method: route.method == .get ? .get : .post, headers: headers,
      body: route.method == .get ? nil : ByteBuffer(bytes: bytes))
  }

  /// The key of the app in a fixture.
  static let key = "wk_example"

  private static let id = "0199d2f0-5a1c-4d0e-9a55-7b1c4e6f2a01"
  private static let basic = ["Authorization": "Basic"]
  private static let bearer = ["Authorization": "Bearer %"]

  private static func post(
    _ source: String, _ path: String, _ body: String, query: String = "", headers: [String: String] = [:],
    status: Int = 200, type: String? = "application/json", answer: String?, stored: String? = "Play"
  ) -> ClientExchange {
    ClientExchange(
      source: source, route: .post(path), query: query, headers: headers, body: body, status: status, type: type,
      answer: answer, stored: stored)
  }

  /// One request for each address of each protocol, and a second one where forms have their own answers.
  static let all: [ClientExchange] = Array(
    [segment, posthog, mixpanel, amplitude, snowplow, websites, matomo, errors, logs].joined())

  private static let segment: [ClientExchange] = {
    let message = #""event":"Play","name":"Play","userId":"u","messageId":"1""#
    func exchange(_ path: String, _ body: String, _ headers: [String: String], _ stored: String) -> ClientExchange {
      post("segment", "/v1/\(path)", body, headers: headers, answer: #"{"success":true}"#, stored: stored)
    }
    let batch = #"{"batch":[{"type":"track",\#(message)}]"#
    var list = [
      exchange("batch", batch + #","writeKey":"%"}"#, [:], "Play"), exchange("batch", batch + "}", basic, "Play"),
      exchange("import", batch + "}", basic, "Play"),
    ]
    for call in ["track", "page", "screen"] { list.append(exchange(call, "{\(message)}", basic, "Play")) }
    for call in ["identify", "alias", "group"] { list.append(exchange(call, "{\(message)}", basic, call)) }
    return list
  }()

  private static let posthog: [ClientExchange] = {
    let event = #"{"event":"Play","uuid":"\#(id)","distinct_id":"u"}"#
    let single = #"{"event":"Play","uuid":"\#(id)","distinct_id":"u","api_key":"%"}"#
    let flags = #"{"flags":{},"featureFlags":{},"featureFlagPayloads":{},"errorsWhileComputingFlags":false}"#
    var list: [ClientExchange] = []
    for path in ["/batch", "/i/v0/ai/batch"] {
      list.append(post("posthog", path, #"{"batch":[\#(event)],"api_key":"%"}"#, answer: #"{"status":1}"#))
    }
    for path in ["/capture", "/e", "/i/v0/e"] {
      list.append(post("posthog", path, single, answer: #"{"status":1}"#))
    }
    list.append(
      post(
        "posthog", "/i/v1/analytics/events", #"{"batch":[\#(event)]}"#, headers: bearer,
        answer: #"{"results":{"\#(id)":{"result":"ok"}}}"#))
    for path in ["/flags", "/decide"] {
      list.append(post("posthog", path, #"{"distinct_id":"u","token":"%"}"#, answer: flags, stored: nil))
    }
    return list
  }()

  private static let mixpanel: [ClientExchange] = {
    let answer = #"{"status":1,"error":null}"#
    let properties = #"{"token":"%","distinct_id":"u","time":1795870000.5,"$insert_id":"1"}"#
    let form = "data=" + #"{"event":"Play","properties":\#(properties)}"# + "&verbose=1"
    let profile = #"[{"$token":"%","$distinct_id":"u","$set":{"plan":"pro"}}]"#
    return [
      post("mixpanel", "/track", form, answer: answer),
      post("mixpanel", "/import", #"[{"event":"Play","properties":\#(properties)}]"#, answer: answer),
      post("mixpanel", "/engage", profile, answer: answer, stored: "profile"),
      post("mixpanel", "/groups", profile, answer: answer, stored: "group"),
    ]
  }()

  private static let amplitude = ["/2/httpapi", "/batch"].map { path in
    post(
      "amplitude", path, #"{"api_key":"%","events":[{"event_type":"Play","user_id":"u","insert_id":"1"}]}"#,
      answer: #"{"code":200,"events_ingested":1}"#)
  }

  private static let snowplow: [ClientExchange] = {
    let text = "text/plain; charset=utf-8"
    let event = #"{"e":"se","se_ac":"Play","aid":"%","eid":"\#(id)","duid":"d"}"#
    return [
      post("snowplow", "/com.snowplowanalytics.snowplow/tp2", #"{"data":[\#(event)]}"#, type: text, answer: "ok"),
      ClientExchange(
        source: "snowplow", route: .get("/i"), query: "e=se&se_ac=Play&aid=%&eid=\(id)", type: text, answer: "ok"),
    ]
  }()

  private static let websites: [ClientExchange] = {
    let aptabase = #"{"eventName":"Play","sessionId":"179587000012345678","timestamp":"2026-11-28T13:00:00Z"}"#
    return [
      post(
        "ga4", "/mp/collect", #"{"client_id":"c","events":[{"name":"Play"}]}"#, query: "measurement_id=%&api_secret=s",
        status: 204, type: nil, answer: ""),
      post(
        "umami", "/api/send", #"{"payload":{"website":"%","name":"Play"},"type":"event"}"#,
        headers: ["Authorization": "Bearer None"], answer: #"{"ok":true}"#),
      post(
        "plausible", "/api/event", #"{"domain":"%","name":"Play","url":"app://localhost/"}"#, status: 202,
        type: "text/plain; charset=utf-8", answer: "ok"),
      post("aptabase", "/api/v0/events", "[\(aptabase)]", headers: ["App-Key": "%"], answer: "{}"),
      post("aptabase", "/api/v0/event", aptabase, headers: ["App-Key": "%"], answer: "{}"),
    ]
  }()

  private static let matomo: [ClientExchange] = {
    let hit = "idsite=%&rec=1&e_c=Video&e_a=Play&_id=0123456789abcdef&rand=1"
    let bulk = #"{"requests":["?\#(hit)"],"token_auth":"t"}"#
    return ["/matomo.php", "/piwik.php"].flatMap { path in
      [
        post("matomo", path, hit + "&send_image=0", status: 204, type: nil, answer: ""),
        post("matomo", path, hit, type: "image/gif", answer: nil),
        post("matomo", path, bulk, answer: #"{"status":"success","tracked":1,"invalid":0}"#),
        ClientExchange(source: "matomo", route: .get(path), query: hit, type: "image/gif", answer: nil),
      ]
    }
  }()

  private static let errors: [ClientExchange] = {
    let event = #"{"event_id":"9ec79c33ec9942ab8353589fcb2e04dc","exception":[{"type":"IOError","value":"disk"}]}"#
    let envelope = #"{"event_id":"9ec79c33-ec99-42ab-8353-589fcb2e04dc"}"# + "\n" + #"{"type":"event"}"# + "\n" + event
    let auth = ["X-Sentry-Auth": "Sentry sentry_key=%, sentry_version=7", "Content-Type": "application/json"]
    let answer = #"{"id":"9ec79c33ec9942ab8353589fcb2e04dc"}"#
    let report = #"{"apiKey":"%","events":[{"exceptions":[{"errorClass":"IOError","message":"disk"}]}]}"#
    let sessions = #"{"sessionCounts":[{"startedAt":"2026-11-28T13:00:00Z","sessionsStarted":1}]}"#
    return [
      post("sentry", "/api/:project/envelope", envelope, headers: auth, answer: answer, stored: "IOError"),
      post("sentry", "/api/:project/store", event, query: "sentry_key=%", answer: answer, stored: "IOError"),
      post("bugsnag", "/notify", report, answer: #"{"status":"accepted"}"#, stored: "IOError"),
      post(
        "bugsnag", "/sessions", sessions, headers: ["Bugsnag-Api-Key": "%"], status: 202,
        answer: #"{"status":"accepted"}"#, stored: ""),
    ]
  }()

  private static let logs: [ClientExchange] = {
    let json = #"{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"eventName":"Play"}]}]}]}"#
    // A record with the name of an event in its field 12, within fields 2, 2 and 1.
    let message = "\u{0A}\u{0A}\u{12}\u{08}\u{12}\u{06}\u{62}\u{04}Play"
    return [
      post(
        "otlp", "/v1/logs", message, headers: bearer.merging(["Content-Type": "application/x-protobuf"]) { $1 },
        type: "application/x-protobuf", answer: ""),
      post(
        "otlp", "/v1/logs", json, headers: bearer.merging(["Content-Type": "application/json"]) { $1 }, answer: "{}"),
    ]
  }()
}
