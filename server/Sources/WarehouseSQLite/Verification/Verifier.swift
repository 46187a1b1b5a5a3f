import Ingest
import TernEvents
import Views
import Warehouse

/// Recounts stored events, a range of days at a time.
final class Verifier {
  /// The maximum number of rows in one range of days, unless a single day has more.
  private static let rangeRows = 2_000_000

  let connection: SQLConnection
  private let reader: WarehouseReader
  let through: Int64
  let spans: [StoredSpan]
  /// The rows that can't be read.
  let damage = DamagedRows()
  private let devices: StoredDevices
  private let calendars: VerifierCalendars
  var report = VerificationReport()

  init(_ connection: SQLConnection, reader: WarehouseReader, through: Int64) throws {
    self.connection = connection
    self.reader = reader
    calendars = VerifierCalendars(reader.catalog)
    self.through = through
    spans = try StoredSpan.all(connection, through: through)
    devices = try StoredDevices(connection)
  }

  func run(progress: (Int) -> Void) throws -> VerificationReport {
    var read = 0
    for days in try dayRanges() {
      let rollups = RollupAccumulator()
      // Until the other thread has ended, only it uses this object.
      nonisolated(unsafe) let properties = PropertyAccumulator(seed: 0, store: nil)
      let rows = scanner(days)
      let propertyCount = ParallelWork { [catalog = reader.catalog] in
        try Self.count(days, properties, rows(), VerifierCalendars(catalog))
      }
      let rollupCount = Result { try count(days, rollups, rows(), read: &read) }
      try propertyCount.wait()
      try rollupCount.get()
      var comparison = RollupComparison(connection, days: days, report: report)
      try comparison.compare(rollups)
      try comparison.compare(properties)
      report = comparison.report
      progress(read)
    }
    try checkRows()
    for message in damage.messages { report.add(problem: message) }
    try checkErrors()
    try checkErrorRoom()
    try reader.verifyViews(connection, &report)
    return report
  }

  /// Checks that every listed error belongs to a counted event of its kind.
  private func checkErrors() throws {
    let scan = EventScan(connection, spans, damage: damage)
    let errors = try connection.prepare(
      "SELECT e.id, e.app, e.t, g.kind FROM error e JOIN error_group g ON g.id = e.grp WHERE e.id <= ? ORDER BY e.id")
    errors.bind(through)
    while try errors.step() {
      let (id, app, time, kind) = (errors.integer(0), errors.integer(1), errors.integer(2), errors.integer(3))
      report.metrics += 1
      if let row = try scan.find(id), row.app == app, row.time == time, row.flags.kind.rawValue == kind { continue }
      report.add(
        VerificationReport.Difference(
          app: AppID(app), day: Day(number: try calendar(app).day(of: time)), dimension: .kind,
          key: (StoredKind(rawValue: Int(kind)) ?? .other).name, expected: "no event \(id)", found: "an error"))
    }
  }

  /// Checks that the recorded size of an app's errors is the size of their texts and attachments.
  private func checkErrorRoom() throws {
    for difference in try ErrorRoom.differences(connection) {
      report.add(
        VerificationReport.Difference(
          app: AppID(difference.app), day: nil, dimension: .kind, key: "error storage",
          expected: "0 bytes beyond texts and attachments",
          found: "\(difference.claimed), and \(difference.unclaimed) of unclaimed attachments"))
    }
  }

  /// Returns a function that begins to read the rows of some days, among others.
  private func scanner(_ days: ClosedRange<Int>) -> @Sendable () -> EventScan {
    let spans = spans.filter { Self.days(of: $0.times).overlaps(days) }
    return { [directory = connection.rowsPath, through, damage] in
      EventScan(directory: directory, spans, through: through, damage: damage)
    }
  }

  private func count(
    _ days: ClosedRange<Int>, _ rollups: RollupAccumulator, _ scan: EventScan, read: inout Int
  ) throws {
    while let row = try scan.next() {
      read += 1
      let day = try calendar(row.app).day(of: row.time)
      guard days.contains(day) else { continue }
      report.events += 1
      try rollups.add(row, day: day, device: { try devices.keys(id: row.device) }, properties: scan.properties)
    }
  }

  private static func count(
    _ days: ClosedRange<Int>, _ properties: PropertyAccumulator, _ scan: EventScan, _ calendars: VerifierCalendars
  ) throws {
    while let row = try scan.next() {
      let day = try calendars.calendar(row.app).day(of: row.time)
      if days.contains(day) { try properties.add(row, day: day, properties: scan.properties) }
    }
  }

  func calendar(_ app: Int64) throws -> ZoneCalendar { try calendars.calendar(app) }

  /// Returns the civil days to which times may belong: in some time zones they begin a day before or after UTC.
  private static func days(of times: ClosedRange<Int64>) -> ClosedRange<Int> {
    Int(times.lowerBound / 86_400_000) - 2...Int(times.upperBound / 86_400_000) + 2
  }

  /// Returns all days with rows or rollups, split into ranges with a bounded number of rows if possible.
  private func dayRanges() throws -> [ClosedRange<Int>] {
    guard let all = try allDays() else { return [] }
    let rangesOfSpans = spans.map { (days: Self.days(of: $0.times), rows: $0.rows) }
    let ends = Set(rangesOfSpans.map(\.days.upperBound)).union([all.upperBound]).sorted()
    var ranges: [ClosedRange<Int>] = []
    var start = all.lowerBound
    for (index, end) in ends.enumerated() where end >= start {
      let next = index + 1 < ends.count ? ends[index + 1] : nil
      let rows = next.map { next in
        rangesOfSpans.reduce(0) { $0 + ($1.days.overlaps(start...next) ? $1.rows : 0) }
      }
      if let rows, rows <= Self.rangeRows { continue }
      ranges.append(start...end)
      start = end + 1
    }
    return ranges
  }

  private func allDays() throws -> ClosedRange<Int>? {
    var bounds = spans.map { Self.days(of: $0.times) }.flatMap { [$0.lowerBound, $0.upperBound] }
    for table in CountSchema.countTables {
      for extreme in ["min", "max"] {
        if let day = try connection.integer("SELECT \(extreme)(day) FROM \(table)") { bounds.append(Int(day)) }
      }
    }
    guard let first = bounds.min(), let last = bounds.max() else { return nil }
    return first...last
  }
}

/// The calendars of the apps that have events.
private final class VerifierCalendars {
  private let catalog: any CatalogStore
  private var calendars: [Int64: ZoneCalendar] = [:]

  init(_ catalog: any CatalogStore) { self.catalog = catalog }

  func calendar(_ app: Int64) throws -> ZoneCalendar {
    if let calendar = calendars[app] { return calendar }
    guard let zone = try catalog.app(AppID(app))?.timeZone, let calendar = ZoneCalendar(zone) else {
      throw WarehouseError(code: .damaged, message: "There are events of app \(app), but the catalog lacks that app.")
    }
    calendars[app] = calendar
    return calendar
  }
}
