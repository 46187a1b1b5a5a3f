import HTTPTypes
import Questions
import Reports
import TernEvents

extension APIDescription {
  /// The addresses to which clients send events, except for the Measurement Protocol.
  static let collecting: [APIOperation] = [
    APIOperation(
      method: .post, path: NativeProtocol.path, name: "sendEvents",
      summary: "Stores events: a JSON object on each line. A request without events checks if the server can store.",
      credentials: .appKey,
      parameters: [.header("Tern-Sent", .text), .header("Tern-Ledger", .text), encoding],
      body: ["application/x-ndjson": .text], isBodyRequired: false,
      answers: ["application/json": .named("Receipt")], errors: [400, 413, 415, 503]),
    APIOperation(
      method: .post, path: "/logs", name: "sendAppCenterLogs", summary: "Stores the logs of an App Center SDK.",
      credentials: .appSecret,
      parameters: [.query("api-version", .text), .header("Install-ID", .uuid), encoding],
      body: ["application/json": .named("AppCenterLogs")],
      answers: ["application/json": .named("AppCenterReceipt")], errors: [413, 415, 503]),
  ]

  /// The Measurement Protocol.
  static let measurement: [APIOperation] =
    ["/collect", "/r/collect", "/j/collect"].flatMap { path -> [APIOperation] in
      let name = path.dropFirst().split(separator: "/").joined(separator: "_")
      return [
        APIOperation(
          method: .get, path: path, name: "\(name)_get", summary: "Stores a hit.", credentials: .none,
          parameters: hit, answers: image, errors: [503]),
        APIOperation(
          method: .post, path: path, name: "\(name)_post", summary: "Stores a hit.", credentials: .none,
          parameters: [encoding], body: form, isBodyRequired: false, answers: image, errors: [400, 413, 415, 503]),
        preflight(path, name),
      ]
    } + [
      APIOperation(
        method: .post, path: "/batch", name: "batch", summary: "Stores hits, one on each line.", credentials: .none,
        parameters: [encoding], body: form, isBodyRequired: false, answers: image, errors: [400, 413, 415, 503]),
      preflight("/batch", "batch"),
      APIOperation(
        method: .get, path: "/debug/collect", name: "debug_get", summary: "Checks a hit without storing it.",
        credentials: .none, parameters: hit, answers: ["application/json": .named("HitCheck")], errors: [503]),
      APIOperation(
        method: .post, path: "/debug/collect", name: "debug_post", summary: "Checks a hit without storing it.",
        credentials: .none, parameters: [encoding], body: form, isBodyRequired: false,
        answers: ["application/json": .named("HitCheck")], errors: [400, 413, 415, 503]),
      preflight("/debug/collect", "debug"),
    ]

  /// Monitoring.
  static let monitoring: [APIOperation] = [
    APIOperation(
      method: .get, path: "/healthz", name: "health", summary: "Answers as long as the process runs.",
      credentials: .none, answers: ["application/json": .object(["status": .choice(["ok"])])]),
    APIOperation(
      method: .get, path: "/readyz", name: "readiness", summary: "Answers with success while events can be stored.",
      credentials: .none,
      answers: [
        "application/json": .object(["status": .choice(["ready", "degraded"])], optional: ["reasons": .list(.text)])
      ], errors: [503]),
    APIOperation(
      method: .get, path: "/metrics", name: "metrics", summary: "Figures for Prometheus.",
      answers: ["text/plain": .text]),
    APIOperation(
      method: .get, path: "/api/v1/storage", name: "storage",
      summary:
        "The disk usage, its growth, and when the disk will be full. The bytes of apps are estimates. For owners.",
      answers: ["application/json": .named("Storage")], errors: [503]),
  ]

  /// The schemas of requests and responses of collecting.
  static let collectingSchemas: Schema.Members = [
    "Storage": .object(
      [
        "parts": .object.described("The bytes of each part of the data directory."), "reserved": .count,
        "bytesPerDay": .number.described("The growth over the last \(StorageReport.days) days."),
        "apps": .list(
          .object([
            "app": .count, "name": .text, "rows": .count, "bytes": .count, "rowsPerDay": .number,
            "bytesPerDay": .number,
            "freeableRows": .count.described("The rows older than \(StorageReport.trialDays) days."),
            "freeableBytes": .count,
          ])),
      ],
      optional: [
        "free": .count,
        "daysUntilFull": .count.described("The days until nothing can be collected; only if the disk fills."),
      ]),
    "Receipt": .object([
      "accepted": .count, "duplicates": .list(.count),
      "rejected": .list(.object(["index": .count, "id": .text, "reason": .text, "message": .text])),
    ]),
    "AppCenterLogs": .object(["logs": .list(.object(["type": .text], others: .any))], others: .any),
    "AppCenterReceipt": .object([
      "status": .choice(["Success", "NoValidLogsFoundInLogContainer"]), "validDiagnosticsIds": .list(.text),
      "throttledDiagnosticsIds": .list(.text), "correlationId": .text,
    ]),
    "HitCheck": .object([
      "hitParsingResult": .list(
        .object(["valid": .boolean, "parserMessage": .list(parserMessage), "hit": .text])),
      "parserMessage": .list(parserMessage),
    ]),
  ]

  private static let parserMessage = Schema.object(
    ["messageType": .text, "description": .text], optional: ["messageCode": .text, "parameter": .text])

  private static let encoding = APIOperation.Parameter.header(
    "Content-Encoding", .choice(["identity"]).described("Or gzip or deflate."))
  private static let hit: [APIOperation.Parameter] = [
    .query("v", .text), .query("tid", .text), .query("t", .text), .query("cid", .text),
  ]
  private static let image: Schema.Members = ["image/gif": .any]
  private static let form: Schema.Members = ["text/plain": .text]

  private static func preflight(_ path: String, _ name: String) -> APIOperation {
    APIOperation(
      method: .options, path: path, name: "\(name)_options", summary: "Allows browsers to send hits from any site.",
      credentials: .none, status: 204)
  }
}
