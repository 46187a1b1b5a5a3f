import Ingest
import Reports
import ReportsTestSupport
import ServerBase
import TernEvents
import Testing
import Warehouse
import WarehouseContract

/// Tests the names of app versions and systems in reports.
@Suite struct DeviceLabelTests {
  @Test(arguments: [("1", "2", "1 (2)"), ("1", "", "1"), ("", "2", "(2)"), ("", "", "")])
  func `a version has the same name on the live page, in errors and in rankings`(
    version: String, build: String, expected: String
  ) async throws {
    let device = IncomingDevice(osName: "iOS", appVersion: version, appBuild: build)
    let time = ReportRequestTests.now
    let warehouse = NaiveWarehouse()
    try warehouse.add(IncomingError(event: 0, type: "e", fingerprint: 1), .crash, at: time, device: device)
    let request = try ReportRequest(
      "error", of: .app(AppID(1), zone: .utc), parameters: ["group": "1"], now: time)
    let csv = try await request.report(from: warehouse).text(.csv).split(separator: "\r\n")
    let event = StoredEvent(
      id: 1, kind: .event, name: "Play", time: time, received: time, install: 0, user: "", device: device,
      properties: [])
    let live = String(decoding: try LiveRows.json(event), as: UTF8.self)
    #expect(csv.count == 2 && csv[1].hasPrefix("2026-05-30T22:30:00.000Z,\(expected.isEmpty ? "\"\"" : expected),iOS,"))
    #expect(live.contains(#""version":"\#(expected)""#) && live.contains(#""system":"iOS""#))
    #expect(DeviceLabels(device).version == expected)
  }
}
