import HTTP
import HTTPTypes
import JSON
import Questions
import Warehouse

extension AppCenterReportEndpoints {
  /// Every figure of App Center's analytics API, which one route answers.
  static let operations: [APIOperation] =
    [
      appCenter("active_device_counts", ["daily": counts, "weekly": counts, "monthly": counts]),
      appCenter("session_counts", result: counts),
      appCenter(
        "sessions_per_device",
        [
          "average_sessions_per_user": .number, "previous_average_sessions_per_user": .number, "total_count": .count,
          "previous_total_count": .count, "sessions_per_user": shares,
        ]),
      appCenter(
        "session_durations_distribution",
        [
          "distribution": .list(.object(["bucket": .text, "count": .count, "previous_count": .count])),
          "average_duration": .text.described(SessionPauses.note), "previous_average_duration": .text,
        ]),
      appCenter("crash_counts", ["count": .count, "crashes": counts]),
      appCenter("log_flow", logFlow), appCenter("generic_log_flow", logFlow),
      appCenter("events", ["events": .list(event), "total": .count, "total_devices": .count]),
      appCenter(
        "events/{event}/event_count", ["count": counts, "total_count": .count, "previous_total_count": .count]),
      appCenter(
        "events/{event}/device_count",
        [
          "devices_count": counts, "total_devices": .count, "total_devices_with_event": .count,
          "previous_total_devices_with_event": .count,
        ]),
      appCenter("events/{event}/count_per_device", ratio("device")),
      appCenter("events/{event}/count_per_session", ratio("session")),
      appCenter("events/{event}/properties", ["event_properties": .list(.text)]),
      appCenter("events/{event}/properties/{property}/counts", ["total": .count, "values": list("name")]),
    ]
    + [
      ("versions", "version"), ("models", "model_name"), ("oses", "os_name"), ("languages", "language_name"),
      ("places", "code"),
    ].map { plural, noun in appCenter(plural, ["total": .count, "\(plural)": list(noun)]) } + [
      operation(
        .delete, "events/{event}", "deleteEvent", "Not possible: this API cannot delete stored events.",
        [.path("event", .text(1...768))], error, status: 501, errors: [404])
    ]

  private static let error = Schema.object([
    "code": .text, "message": .text, "error": .object(["code": .text, "message": .text]),
  ]).named("AppCenterError")
  private static let event = Schema.object([
    "id": .text, "name": .text, "count": .count, "previous_count": .count, "device_count": .count,
    "previous_device_count": .count, "count_per_device": .number, "count_per_session": .number,
  ]).named("AppCenterEvent")
  private static let prefix = "/v0.1/apps/{owner}/{app}/analytics/"
  private static let address: [APIOperation.Parameter] = [
    .path("owner", .text(1...100)),
    .path("app", .text(1...100).described("The name, the number or the App Center secret of an app.")),
  ]
  private static let counts = Schema.list(.object(["datetime": .time, "count": .count]))
  private static let shares = Schema.list(.object(["datetime": .time, "count": .number]))
  private static let logFlow: Schema.Members = [
    "exceeded_max_limit": .boolean, "last_received_log_timestamp": .text, "logs": .list(.object),
  ]

  private static func ratio(_ noun: String) -> Schema.Members {
    [
      "count_per_\(noun)": shares, "avg_count_per_\(noun)": .number, "previous_avg_count_per_\(noun)": .number,
    ]
  }

  private static func list(_ noun: String) -> Schema {
    .list(.object(["\(noun)": .text, "count": .count, "previous_count": .count]))
  }

  private static func appCenter(_ path: String, _ members: Schema.Members) -> APIOperation {
    appCenter(path, result: .object(members))
  }

  private static func appCenter(_ path: String, result: Schema) -> APIOperation {
    let names = ["event", "property"].filter { path.contains("{\($0)}") }
    let isRangeless = path.hasSuffix("log_flow") || path.hasSuffix("properties")
    let name = path.split { !$0.isLetter && $0 != "_" }.joined(separator: "_")
    return operation(
      .get, path, "appCenter_\(name)", "App Center's `\(path)`.",
      names.map { .path($0, .text(1...768)) } + [
        .query("start", path.hasSuffix("log_flow") ? .text : .date, isRequired: !isRangeless),
        .query("end", .date), .query("interval", .choice(["P1D", "P1W", "P7D", "P30D"])),
        .query("$top", .limited(0...1_000_000)), .query("$skip", .limited(0...1_000_000)),
      ], result, status: 200, errors: [400, 404, 501, 503])
  }

  private static func operation(
    _ method: HTTPRequest.Method, _ path: String, _ name: String, _ summary: String,
    _ parameters: [APIOperation.Parameter], _ answer: Schema, status: Int, errors: [Int]
  ) -> APIOperation {
    var operation = APIOperation(
      name, summary, address + parameters, answers: ["application/json": answer], errors: errors)
    (operation.method, operation.path, operation.tag) = (method, prefix + path, .appCenter)
    (operation.status, operation.errorSchema) = (status, error)
    return operation
  }
}
