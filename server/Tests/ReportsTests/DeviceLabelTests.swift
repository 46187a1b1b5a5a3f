import Ingest
import Reports
import ReportsTestSupport
import TernEvents
import Testing
import Warehouse

/// How reports name the version of an app and the system of a device.
@Suite struct DeviceLabelTests {
  @Test(arguments: [("1", "2", "1 (2)"), ("1", "", "1"), ("", "2", "(2)"), ("", "", "")])
  func `a version reads alike on the live page, in an error and in the figures`(
    version: String, build: String, expected: String
  ) async throws {
    let device = IncomingDevice(osName: "iOS", appVersion: version, appBuild: build)
    let time = ReportRequestTests.now
    var figures = MemoryFigures()
    figures.occurrences = [
      ErrorOccurrence(id: 1, group: 1, name: "e", time: time, received: time, install: 0, user: "", device: device)
    ]
    let request = try ReportRequest(
      name: "error", app: AppID(1), timeZone: "UTC", parameters: ["group": "1"], now: time)
    let occurrence = try #require(try await ErrorReport(request, from: figures).occurrences.first)
    let event = LiveEvent(
      StoredEvent(
        id: 1, kind: .event, name: "Play", time: time, received: time, install: 0, user: "", device: device,
        properties: []))
    #expect(occurrence.version == expected && event.version == expected)
    #expect(occurrence.system == "iOS" && event.system == "iOS")
    #expect(DeviceLabels(device).version == expected)
  }
}
