import Foundation
import TernGzip
import Warehouse
import WarehouseUpkeep

@testable import Reports
@testable import Tern
@testable import WarehouseSQLite

extension Corpus {
  /// Native bodies in each encoding.
  static var gzip: [[UInt8]] {
    let bodies = native.prefix(18)
    return bodies.enumerated().flatMap { index, body -> [[UInt8]] in
      guard let packed = TernGzip.gzip(body) else { fatalError("A body is not compressed") }
      // Without the ten bytes of the wrapper in front and the eight behind.
      let bare = Array(packed.dropFirst(10).dropLast(8))
      return index % 3 == 0 ? [[0] + packed, [1] + bare, [2] + packed, [4] + body] : [[1] + bare]
    }
  }

  static let questions = texts([
    #"{"metrics":["users"]}"#, #"{"metrics":["users","events"],"dimensions":["event"],"date_range":"7d"}"#,
    #"{"metrics":["events","sum:property:Count","p90:property:Length"],"dimensions":["property:Category","time:day"]}"#,
    #"{"metrics":["events"],"dimensions":[["property:Length",{"bins":[0,10,20]}]]}"#,
    #"{"metrics":["sessions","session_duration_p50"],"compare":"previous_period","include":["totals","total_rows"]}"#,
    #"{"metrics":["users"],"dimensions":["time:week"],"include":["time_labels"],"pagination":{"limit":2,"offset":1}}"#,
    #"{"metrics":["users"],"filters":[["is","country",["BR","DE"]],["not",["contains","event",["name"]]]]}"#,
    #"{"metrics":["users"],"filters":[["or",[["is_not","version",["1.1"]],["gte","property:Count",3]]]]}"#,
    #"{"metrics":["users"],"filters":[["and",[["set","property:HD"],["not_set","user"]]],["lt","property:Length",0.5]]}"#,
    #"{"metrics":["users"],"filters":[["has_done",{"event":"name 1"},{"at_least":1}]],"by":"user"}"#,
    #"{"metrics":["users"],"filters":[["has_not_done",{"kind":"crash"}]]}"#,
    #"{"kind":"funnel","steps":[{"event":"name 1"},{"screen":"name 2"}],"window":"1d"}"#,
    #"{"kind":"funnel","steps":[{"event":"name 1"},{"any":true}],"breakdown":"country","order":"any"}"#,
    #"{"kind":"funnel","steps":[{"event":"name 1"},{"event":"name 2"}],"exclude":[{"event":"name 3","from":1,"to":2}]}"#,
    #"{"kind":"retention","interval":"week"}"#, #"{"kind":"retention","start":{"event":"name 1"},"intervals":3}"#,
    #"{"kind":"retention","return":{"any":true},"breakdown":"version"}"#, #"{"kind":"paths","depth":3}"#,
    #"{"kind":"paths","nodes":"events","start":{"event":"name 1"},"limit":2}"#, #"{"kind":"paths","depth":20}"#,
    #"{"kind":"lifecycle","interval":"day"}"#, #"{"kind":"stickiness"}"#, #"{"kind":"persons","limit":5}"#,
    #"{"kind":"persons","funnel":{"steps":[{"event":"name 1"},{"event":"name 2"}],"step":1}}"#,
    #"{"kind":"persons","stickiness":{"intervals":1},"date_range":["2026-02-01","2026-02-03"]}"#,
    #"{"kind":"persons","paths":{"step":1,"from":{"screen":"name 1"},"to":{"screen":"name 2"}}}"#,
    #"{"kind":"persons","cohort":{"of":"2026-02-02","interval":"day","after":1}}"#,
    #"{"metrics":["users"],"date_range":"12mo"}"#, #"{"metrics":["users"],"date_range":["2020-02-29","2026-02-03"]}"#,
    "{}", "[]", "",
  ])

  /// Exports of random traffic: whole ones, and ones with a single row.
  static var imports: [[UInt8]] {
    let store = OpenWarehouse(batches: 12)
    let (lines, app) = (ExportedLines(), store.app)
    store.wait { warehouse in
      var cursor: ExportCursor? = .start
      let request = ExportRequest(app: app, format: .ndjson, server: "server")
      while let place = cursor {
        let page = try await warehouse.reader.exportPage(request, at: place)
        lines.bytes += page.bytes
        cursor = page.next
      }
    }
    store.finish()
    let all = lines.bytes.split(separator: UInt8(ascii: "\n")).map { Array($0) }
    guard let header = all.first, let end = all.last else { return [] }
    func joined(_ lines: [[UInt8]]) -> [UInt8] { Array(lines.map { $0 + [0x0A] }.joined()) }
    let rows = all.dropFirst().dropLast().filter { $0.count < 1_200 }
    // Each of the kinds of lines: those that begin alike are alike.
    let kinds = Dictionary(grouping: rows) { String(decoding: $0.prefix(12), as: UTF8.self) }
    let chosen = kinds.sorted { $0.key < $1.key }.flatMap { $0.value.prefix(3) }
    return chosen.prefix(30).map { joined([header, $0, end]) } + [joined([header] + chosen.prefix(8) + [end])]
      + [joined([header, end]), joined([header]), []]
  }

  /// Addresses of each report, and header fields.
  static var requests: [[UInt8]] {
    let range = "from=2026-02-01&to=2026-02-03"
    let fields = [
      "!Tern-Sent: time=1770033500000; uptime=900000; boot=b1\n!Content-Encoding: identity\n",
      "!Tern-Ledger: tracked=10; delivered=4; waiting=3; in-flight=2; dropped=1\n!Content-Encoding: gzip\n",
      "!User-Agent: Player/1.2 (iPhone; iOS 17.4; pt_BR)\n", "!User-Agent: GoogleAnalytics/3.0 (Linux; U; de-de)\n",
    ]
    let registry = ReportRegistry.standard
    let app = registry.app.map { "/api/v1/apps/1/\($0.name)?\(range)&format=csv&event=name%201&group=1" }
    let view = registry.view.map { "/api/v1/apps/1/\($0.name)?view=1&\(range)&format=table" }
    let appCenter = [
      "active_device_counts?start=2026-02-01", "session_counts?start=2026-02-01&interval=P1D", "sessions_per_device",
      "session_durations_distribution?start=2026-02-01&end=2026-02-03", "versions?start=2026-02-01&$top=2&$skip=1",
      "models?start=2026-02-01&$orderby=count%20asc", "events?start=2026-02-01&event_name=name%201|name%202",
      "events/name%201/event_count?start=2026-02-01", "events/name%201/count_per_session?start=2026-02-01",
      "events/name%201/properties/Category/counts?start=2026-02-01", "log_flow?start=2026-02-02T10:00:00.000Z",
    ].map { "/analytics/\($0)" }
    return texts(fields.map { $0 + app[0] } + app + view + appCenter + ["", "/", "?", "/overview?days=731&limit=1"])
  }

  static let responses = texts([
    #"{"accepted":5,"duplicates":[],"rejected":[]}"#, #"{"accepted":1,"duplicates":[],"rejected":[]}"#,
    #"{"accepted":3,"duplicates":[1],"rejected":[{"index":0,"id":"x","reason":"name_missing","message":"m"}]}"#,
    "!status: 503\n!retry-after: 120\n{}", "!status: 429\n!x-ms-retry-after-ms: 30000\n{}",
    "!status: 503\n!retry-after: Mon, 02 Feb 2026 12:05:00 GMT\n!date: Mon, 02 Feb 2026 12:00:00 GMT\n",
    "!status: 503\n!retry-after: Monday, 02-Feb-26 12:05:00 GMT\n",
    "!status: 503\n!retry-after: Mon Feb  2 12:05:00 2026\n",
    "!status: 400\n" + #"{"error":{"code":"malformed","message":"m","indexes":[0,2],"index":1}}"#,
    "!status: 401\n" + #"{"error":{"code":"unknown_key","message":"caf\u00e9 \ud83d\ude00"}}"#, "!status: 413\n{}",
    "!status: 404\n<html>", "!status: 302\n", "<html></html>", #"{"status":"Success","validDiagnosticsIds":[]}"#,
    "GIF89a", "", #"{"accepted":1e0}"#, #"{"accepted":-1}"#, "!status: 99999999999\n",
  ])
}

/// The lines of an export, which one task at a time fills.
private final class ExportedLines: @unchecked Sendable {
  var bytes: [UInt8] = []
}
