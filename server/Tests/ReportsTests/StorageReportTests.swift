import ReportsTestSupport
import ServerBase
import TernEvents
import Testing
import Warehouse

@testable import Reports

/// The growth of the disk usage, computed from rows whose times are known.
@Suite struct StorageReportTests {
  private static let day: Int64 = 86_400_000
  private static let now = Timestamp(millisecondsSince1970: 20_000 * day)

  /// Apps with rows at known times.
  private struct Rows: RowUsageSource {
    var times: [AppID: [Int64]]
    var columnBytes: [AppID: Int] = [:]

    func rowUsage(of app: AppID, before limits: [Int64]) async throws -> RowUsage {
      var usage = RowUsage()
      let times = times[app] ?? []
      (usage.rows, usage.earliest, usage.columnBytes) = (times.count, times.min(), columnBytes[app] ?? times.count)
      usage.rowsBefore = limits.map { limit in times.count { $0 < limit } }
      return usage
    }
  }

  private func app(_ id: Int64, keeping: KeepingPeriod? = nil) -> App {
    App(
      id: AppID(id), name: "App \(id)", key: "", appSecret: "", trackingID: "", zone: .utc, created: Self.now,
      keeping: keeping)
  }

  /// Rows every `step` minutes, from some days before now.
  private func times(days: Int64, everyMinutes step: Int64) -> [Int64] {
    stride(
      from: Self.now.millisecondsSince1970 - days * Self.day, to: Self.now.millisecondsSince1970, by: Int(step) * 60_000
    )
    .map { $0 }
  }

  private func report(_ apps: [App], _ rows: Rows, free: Int64? = 1_000_000) async throws -> StorageReport {
    var storage = StorageStatus()
    storage.diskBytes = ["rows": 600_000, "keys": 100_000, "columns": 300_000, "catalog": 5_000]
    (storage.freeDiskBytes, storage.reservedDiskBytes) = (free, 40_000)
    return try await StorageReport(storage, apps: apps, from: rows, now: Self.now)
  }

  @Test func `an app grows by the rows of the last 28 days, and its bytes are its part of the columns`() async throws {
    // 24 rows a day for 100 days, and 12 a day in the other app, whose rows take three times as much.
    let rows = Rows(
      times: [AppID(1): times(days: 100, everyMinutes: 60), AppID(2): times(days: 100, everyMinutes: 120)],
      columnBytes: [AppID(1): 2_400, AppID(2): 3_600])
    let report = try await report([app(1), app(2)], rows)
    #expect(report.apps.map(\.app.id) == [AppID(2), AppID(1)])
    #expect(report.apps.map(\.rows) == [1_200, 2_400] && report.apps.map(\.bytes) == [600_000, 400_000])
    #expect(report.apps.map { $0.rowsPerDay.rounded() } == [12, 24])
    #expect(report.apps.map { $0.bytesPerDay.rounded() } == [6_000, 4_000])
    // Ten of the hundred days are older than ninety.
    #expect(report.apps.map(\.freeableRows) == [120, 240] && report.apps.map(\.freeableBytes) == [60_000, 40_000])
    #expect(report.daysUntilFull == 96, "960,000 bytes above the reserve, at 10,000 a day")
    #expect(
      report.summary
        == "977 KiB are free, and Tern uses 981 KiB. It grows by about 9.77 KiB a day; at this rate, the server stops "
        + "collecting in about 96 days.")
  }

  @Test func `an app that keeps its rows for a time stops growing once that has passed`() async throws {
    let rows = Rows(times: [AppID(1): times(days: 60, everyMinutes: 60), AppID(2): times(days: 10, everyMinutes: 60)])
    let full = try await report([app(1, keeping: .days(60))], rows)
    #expect(abs(full.bytesPerDay) < 0.01 * Double(full.bytes) && full.apps[0].rowsPerDay.rounded() == 24)
    let young = try await report([app(2, keeping: .days(60))], rows)
    #expect(young.apps[0].rowsPerDay.rounded() == 24, "measured over its ten days")
    #expect(young.daysUntilFull != nil)
  }

  @Test func `without growth or a known disk there is no forecast`() async throws {
    let empty = try await report([app(1)], Rows(times: [:]))
    #expect(empty.daysUntilFull == nil && empty.summary.hasSuffix("It isn’t growing at present."))
    let old = Rows(times: [
      AppID(1): times(days: 100, everyMinutes: 60).filter { $0 < Self.now.millisecondsSince1970 - 40 * Self.day }
    ])
    #expect(try await report([app(1)], old).daysUntilFull == nil)
    let growing = Rows(times: [AppID(1): times(days: 100, everyMinutes: 60)])
    #expect(try await report([app(1)], growing, free: nil).daysUntilFull == nil)
    #expect(try await report([app(1)], growing, free: 1_000).daysUntilFull == 0, "less than the reserve")
  }

  @Test func `less than the reserve is said first, whether anything grows or not`() async throws {
    let empty = try await report([app(1)], Rows(times: [:]), free: 39_999)
    let sentences =
      "39.1 KiB are free, and Tern uses 981 KiB. Nothing is collected, because less than the reserve of 39.1 KiB is free: free some "
      + "space, or choose a smaller --disk-reserve."
    #expect(empty.summary == sentences)
    let growing = Rows(times: [AppID(1): times(days: 100, everyMinutes: 60)])
    let full = try await report([app(1)], growing, free: 39_999).summary
    #expect(full.hasPrefix(sentences + " It grows by about ") && full.hasSuffix(" a day."))
    #expect(try await report([app(1)], growing, free: 40_000).summary.contains("stops collecting today"))
  }

  @Test(
    arguments: [
      (0, "0 bytes"), (999, "999 bytes"), (1_000, "0.98 KiB"), (1_024, "1 KiB"), (1_536, "1.5 KiB"), (10_240, "10 KiB"),
      (12_902, "12.6 KiB"), (1_048_576, "1 MiB"), (5_368_709_120, "5 GiB"), (-2_048, "-2 KiB"), (-1_000, "-0.98 KiB"),
      (Int64.max, "8192 PiB"),
    ] as [(Int64, String)])
  func `sizes have three digits`(bytes: Int64, text: String) { #expect(byteText(bytes) == text) }
}
