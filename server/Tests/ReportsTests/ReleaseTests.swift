import Ingest
import ReportsTestSupport
import TernEvents
import Testing
import Warehouse
import WarehouseContract

@testable import Reports

struct ReleaseTests {
  private let first = Day(year: 2026, month: 5, day: 1)

  private func add(_ version: String, on day: Int, installs: Range<Int>, to source: NaiveWarehouse) throws {
    for install in installs {
      try source.add(
        .event, "a", on: first.advanced(by: day), install: install,
        device: IncomingDevice(appVersion: version, appBuild: "1"))
    }
  }

  private func releases(_ days: ClosedRange<Int>, _ source: NaiveWarehouse) async throws -> [String] {
    try await Releases.find(
      app: AppID(1), days: first.advanced(by: days.lowerBound)...first.advanced(by: days.upperBound), from: source
    ).map { "\($0.version) on \(first.distance(to: $0.day))" }
  }

  @Test func `a version is released on the first day on which one in a hundred installs has it`() async throws {
    let source = NaiveWarehouse()
    for day in 0..<4 { try add("1.0", on: day, installs: 0..<200, to: source) }
    // One of 201 and one of 201, then three of 203.
    try add("2.0", on: 1, installs: 200..<201, to: source)
    try add("2.0", on: 2, installs: 200..<201, to: source)
    try add("2.0", on: 3, installs: 200..<203, to: source)
    #expect(try await releases(0...3, source) == ["2.0 (1) on 3"])
    #expect(try await releases(0...2, source) == [])
  }

  @Test func `versions of the first day with data are no releases`() async throws {
    let source = NaiveWarehouse()
    try add("1.0", on: 5, installs: 0..<9, to: source)
    try add("1.1", on: 5, installs: 5..<9, to: source)
    try add("1.2", on: 6, installs: 0..<1, to: source)
    #expect(try await releases(0...9, source) == ["1.2 (1) on 6"])
    #expect(try await releases(7...9, source) == [], "it was released before the range")
  }

  @Test func `a day without installs has no release`() {
    let day = first
    #expect(Releases.firstDay(of: [], installs: [day: 3]) == nil)
    #expect(
      Releases.firstDay(of: [(day, 0), (day.advanced(by: 1), 1)], installs: [day: 5, day.advanced(by: 1): 5])
        == day.advanced(by: 1))
  }
}
