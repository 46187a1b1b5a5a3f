import Foundation
import Ingest
import ServerBase
import TernBase
import TernEvents
import Warehouse

@testable import Reports
@testable import WarehouseSQLite

extension FuzzTarget {
  /// Header fields that Tern reads, and an address of a report or of App Center's reports, which is answered.
  static var requests: FuzzTarget {
    lazy var rows = OpenWarehouse(batches: 60)
    return FuzzTarget(changes: 12, mutator: .form(names: RequestVocabulary.names, values: RequestVocabulary.values)) {
      input in
      let request = RequestText(input)
      if let sent = request.header("Tern-Sent").flatMap({ SentStamp(header: $0) }) {
        _ = EventClock(sent, arrived: FuzzTarget.moments[0])
      }
      if let ledger = request.header("Tern-Ledger").flatMap({ DeviceLedger(header: $0) }) {
        _ = (ledger.answered(stored: 3, rejected: 2).rejecting(1), ledger.progress)
      }
      let agent = request.header("User-Agent")
      _ = MeasurementParser.collect(
        "v=1&tid=UA-1-1&cid=1&t=screenview&cd=A", userAgent: agent, received: FuzzTarget.moments[0], key: key)
      do {
        let encoding = request.header("Content-Encoding")
        _ = try BodyDecoder.withDecoded(request.body, encoding: encoding, limits: .native) { $0.count }
      } catch {
        // An unknown encoding, or a damaged body.
      }
      let address = String(decoding: request.body.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
      rows.wait { try await answer(address, $0.reader) }
    }
  }

  private static func answer(_ address: String, _ reader: WarehouseReader) async throws {
    let parts = address.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let path = (parts.first ?? "").split(separator: "/").map { PercentCoding.decode($0.utf8) }
    var parameters: [String: String] = [:]
    for pair in (parts.count == 2 ? parts[1] : "").utf8.split(separator: UInt8(ascii: "&")) {
      let name = pair.prefix { $0 != UInt8(ascii: "=") }
      parameters[PercentCoding.decode(name)] = PercentCoding.decode(pair.dropFirst(name.count + 1))
    }
    let now = FuzzTarget.moments[1]
    do {
      if path.first == "analytics" {
        let query = try AppCenterQuery(
          path: Array(path.dropFirst()), parameters: parameters, app: StoredViews.app,
          zone: ZoneRules("Europe/Berlin")!,
          now: now)
        _ = try await query.response(from: reader)
      } else {
        let view = StoredViews.views.first { "\($0.id)" == parameters["view"] }
        let subject = view.map { ReportSubject.view($0) } ?? .app(StoredViews.app, zone: ZoneRules("Europe/Berlin")!)
        let request = try ReportRequest(path.last ?? "", of: subject, parameters: parameters, now: now)
        let format = try ReportFormat(parsing: parameters["format"] ?? "json")
        _ = try await request.report(from: reader).text(format)
      }
    } catch is ReportError {
      return
    } catch is AppCenterError {
      return
    }
  }
}

/// Names and values in addresses.
enum RequestVocabulary {
  static let names =
    """
    from to days limit view format event group error filters segment compare start end interval event_name versions $top \
    $skip $orderby last_received_log_timestamp app_build count property table name kind
    """.split(separator: " ").map(String.init)

  static let values = [
    "2026-02-01", "2026-02-03", "2024-02-29", "0000-01-01", "9999-12-31", "-9999-01-01", "2026-02-02T11:00:00.000Z",
    "2026-02-02T11%3A00", "P1D", "P1W", "P30D", "name%201", "csv", "json", "table", "count%20desc", "1", "2", "3",
    "731",
    "10000", "2000", "%5B%5D", "",
  ]
}
