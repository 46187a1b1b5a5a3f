import Foundation
import Ingest

extension Corpus {
  /// A recorded request of another system's client.
  private struct Recorded: Decodable {
    var path: String
    var headers: [String: String]
    var body: String?
    var bodyBase64: Data?

    /// The request as an input, without compression, and on the day on which targets receive everything.
    func input() throws -> [UInt8] {
      let headers = Dictionary(headers.map { ($0.key.lowercased(), $0.value) }, uniquingKeysWith: { $1 })
      let parts = path.split(separator: "?", maxSplits: 1)
      var lines = "!path: \(parts.first ?? "")\n"
      if parts.count > 1 { lines += "!query: \(parts[1])\n" }
      for name in Corpus.clientHeaders { if let value = headers[name] { lines += "!\(name): \(value)\n" } }
      let sent = body.map { Array($0.utf8) } ?? bodyBase64.map { Array($0) } ?? []
      let decoded = try BodyDecoder.decode(sent, encoding: headers["content-encoding"], limits: .clients)
      return (Array(lines.utf8) + decoded).replacing(Array("2026-11-28".utf8), with: Array("2026-02-02".utf8))
        .replacing(Array("17958".utf8), with: Array("17700".utf8))
    }
  }

  /// The headers that protocols read.
  private static let clientHeaders = [
    "app-key", "authorization", "bugsnag-api-key", "bugsnag-sent-at", "content-type", "posthog-request-timestamp",
    "posthog-sdk-info", "tern-key", "user-agent", "x-api-key", "x-sentry-auth",
  ]

  /// Requests that clients have really sent (server/Tests/Fixtures/clients), and forms of which there is no record.
  static var clients: [[UInt8]] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../../server/Tests/Fixtures/clients").standardizedFileURL
    let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".json") }
    guard let names else { fatalError("There are no recorded requests in \(folder.path).") }
    var inputs: [[UInt8]] = []
    for name in names.sorted() {
      guard
        let data = try? Data(contentsOf: folder.appending(path: name)),
        let input = try? JSONDecoder().decode(Recorded.self, from: data).input()
      else { fatalError("\(name) can't be read.") }
      // A batch and its retry may have the same body.
      if !inputs.contains(input) { inputs.append(input) }
    }
    return inputs + texts(others)
  }

  private static let others = [
    "!path: /v1/identify\n!authorization: Basic d2tfZXhhbXBsZTo=\n"
      + #"{"userId":7,"traits":{"plan":"pro"},"messageId":"1"}"#,
    "!path: /capture\n"
      + #"{"api_key":"k","event":"$pageview","properties":{"distinct_id":"u","$pathname":"/a","$session_id":"s"}}"#,
    "!path: /flags\n" + #"{"token":"k","distinct_id":"u"}"#,
    "!path: /track\ndata=eyJldmVudCI6IkUiLCJwcm9wZXJ0aWVzIjp7InRva2VuIjoiayJ9fQ%3D%3D",
    "!path: /batch\n"
      + #"{"api_key":"k","events":[{"event_type":"E","user_id":"u","time":1770030000,"event_properties":{"$price":9.5,"#
      + #""$quantity":2,"$productId":"p"}}]}"#,
    "!path: /api/0/envelope/\n!query: sentry_key=k\n{}\n" + #"{"type":"sessions"}"# + "\n"
      + #"{"attrs":{"release":"shop@1.2.0+44"},"aggregates":[{"started":"2026-02-02T11:00:00Z","exited":3,"crashed":1}]}"#,
    "!path: /sessions\n!bugsnag-api-key: k\n"
      + #"{"sessionCounts":[{"startedAt":"2026-02-02T11:00:00Z","sessionsStarted":4}],"app":{"version":"1.2"}}"#,
    "!path: /v1/logs\n!authorization: Bearer k\n!content-type: application/json\n"
      + #"{"resourceLogs":[{"resource":{"attributes":[{"key":"service.version","value":{"stringValue":"1.2"}}]},"scopeLogs":"#
      + #"[{"logRecords":[{"timeUnixNano":"1770030000000000000","eventName":"E","attributes":[{"key":"n","value":"#
      + #"{"intValue":"7"}},{"key":"exception.type","value":{"stringValue":"IOError"}}]}]}]}]}"#,
    "!path: /i\n!query: e=se&se_ac=E&aid=k&dtm=1770030000000&stm=1770030000999&eid=1\n",
    "!path: /matomo.php\nidsite=k&rec=1&ca=1&cra=disk&cra_tp=IOError&cdt=2026-02-02+11:00:00&dimension1=a",
  ]
}
