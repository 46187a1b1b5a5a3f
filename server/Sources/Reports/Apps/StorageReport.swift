package import TernEvents
package import Warehouse

/// The disk usage by part and by app, its growth, and a forecast of when the disk is full.
///
/// The bytes of an app are estimates: its share of all rows, keys and columns, in proportion to its columns.
package struct StorageReport: Sendable, Hashable {
  /// The use of one app.
  package struct AppUse: Sendable, Hashable {
    package var app: App
    package var rows: Int
    /// The estimated bytes of its rows, with their columns and keys.
    package var bytes: Int64
    /// The average rows per day over the last ``StorageReport/days``, or since the first row.
    package var rowsPerDay: Double
    /// The bytes by which the app grows each day; negative if more rows are removed than arrive.
    package var bytesPerDay: Double
    /// The rows that would be removed if the app kept rows for ``StorageReport/trialDays``.
    package var freeableRows: Int
    /// The estimated bytes of these rows.
    package var freeableBytes: Int64
  }

  /// The number of days over which the growth is measured.
  package static let days = 28
  /// The keeping period for which the report says how much it would free, in days.
  package static let trialDays = 90
  private static let day: Int64 = 86_400_000

  /// The bytes of each part of the data directory, by name.
  package var parts: [String: Int64]
  /// The free bytes of the disk; `nil` if they can't be determined.
  package var free: Int64?
  /// The free bytes below which nothing is collected.
  package var reserved: Int64
  /// The apps, the largest first.
  package var apps: [AppUse]

  /// The bytes of all parts.
  package var bytes: Int64 { parts.values.reduce(0, +) }
  /// The bytes by which all apps grow each day.
  package var bytesPerDay: Double { apps.reduce(0) { $0 + $1.bytesPerDay } }
  /// The days until nothing can be collected, at the present growth; `nil` if the disk doesn't fill, or not within a
  /// hundred years.
  package var daysUntilFull: Int? {
    guard let free, bytesPerDay > 0 else { return nil }
    let days = Double(max(free - reserved, 0)) / bytesPerDay
    return days < 36_500 ? Int(days) : nil
  }

  /// Reads the report.
  ///
  /// - Throws: ``Warehouse/WarehouseError``.
  package init(_ storage: StorageStatus, apps: [App], from source: any RowUsageSource, now: Timestamp) async throws {
    (parts, free, reserved) = (storage.diskBytes, storage.freeDiskBytes, storage.reservedDiskBytes)
    var usages: [(app: App, usage: RowUsage)] = []
    for app in apps {
      let times = Limit.allCases.map { Self.time($0, of: app, now) }
      usages.append((app, try await source.rowUsage(of: app.id, before: times)))
    }
    let columns = usages.reduce(0) { $0 + $1.usage.columnBytes }
    let shared = ["rows", "keys", "columns"].reduce(0) { $0 + (storage.diskBytes[$1] ?? 0) }
    self.apps = usages.map { app, usage in
      Self.use(usage, of: app, bytesPerColumnByte: columns > 0 ? Double(shared) / Double(columns) : 0, now)
    }.sorted { ($1.bytes, $0.app.id) < ($0.bytes, $1.app.id) }
  }

  /// A time before which the rows of an app are counted.
  private enum Limit: Int, CaseIterable {
    /// The start and the end of the measured days.
    case measuredStart, now
    /// The start of the trial period.
    case trialStart
    /// The start and the end of the days that the app's own keeping period removes next.
    case keptStart, keptStartLater
  }

  private static func time(_ limit: Limit, of app: App, _ now: Timestamp) -> Int64 {
    let today = ReportZone(app.zone).day(of: now)
    let (now, measured) = (now.millisecondsSince1970, Int64(days) * day)
    // As when rows are removed: whole days go.
    func start(_ period: KeepingPeriod) -> Int64 { Int64(period.firstDay(today: today).number) * day }
    let keptStart = app.keeping.map(start) ?? .min / 2
    return switch limit {
    case .measuredStart: now - measured
    case .now: now
    case .trialStart: start(.days(trialDays))
    case .keptStart: keptStart
    case .keptStartLater: keptStart + measured
    }
  }

  private static func use(_ usage: RowUsage, of app: App, bytesPerColumnByte: Double, _ now: Timestamp) -> AppUse {
    func rows(before limit: Limit) -> Int { usage.rowsBefore[limit.rawValue] }
    let bytesPerRow = usage.rows > 0 ? Double(usage.columnBytes) / Double(usage.rows) * bytesPerColumnByte : 0
    let age = usage.earliest.map { Double(now.millisecondsSince1970 - $0) / Double(day) } ?? 0
    let measured = min(max(age, 1), Double(days))
    let coming = Double(rows(before: .now) - rows(before: .measuredStart)) / measured
    let removed = app.keeping == nil ? 0 : rows(before: .keptStartLater) - rows(before: .keptStart)
    let leaving = Double(removed) / Double(days)
    let freeable = rows(before: .trialStart)
    return AppUse(
      app: app, rows: usage.rows, bytes: Int64(Double(usage.rows) * bytesPerRow), rowsPerDay: coming,
      bytesPerDay: (coming - leaving) * bytesPerRow, freeableRows: freeable,
      freeableBytes: Int64(Double(freeable) * bytesPerRow))
  }
}
