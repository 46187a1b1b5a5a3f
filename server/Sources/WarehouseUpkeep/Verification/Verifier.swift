import Ingest
import RowFiles
import ServerBase
import TernBase
import TernEvents
import Threads
import Warehouse
import WarehouseSQLite

/// Recounts stored events on several threads, a range of days at a time.
final class Verifier: Sendable {
  /// The maximum number of rows in one range of days, unless a single day has more.
  static let rangeRows = 2_000_000

  /// Has the connection of the snapshot, which the threads use in turn.
  let lookups: Locked<RowLookups>
  let reader: WarehouseReader
  /// The directory of the rows.
  let directory: String
  let through: Int64
  let spans: [StoredSpan]
  /// The days whose counts can't be made of rows again.
  let horizons: Horizons
  /// The segments that have left home. Keys of their rows are not made again.
  let retired: Set<Int64>
  /// The rows that can't be read.
  let damage = DamagedRows()
  let report = Locked(VerificationReport())
  /// The index of duplicates, once it is open.
  let keys = Locked<KeySample?>(nil)

  init(_ connection: SQLConnection, reader: WarehouseReader, through: Int64) throws {
    self.reader = reader
    self.through = through
    directory = connection.rowsPath
    spans = try StoredSpan.all(connection, through: through)
    horizons = try Horizons(connection)
    retired = try RetiredTable.segments(connection)
    lookups = Locked(try RowLookups(connection, dictionary: reader.dictionary))
  }

  func run(
    _ connection: SQLConnection, progress: @escaping @Sendable (Int) -> Void
  ) throws -> VerificationReport {
    let threads = ThreadPool<Never>(.verification)
    defer { threads.close() }
    let tasks = ParallelTasks(ParallelThreads(count: ThreadKind.sharesOfAllRows, threads))
    try addColumns(to: tasks, connection)
    try addRows(to: tasks, connection)
    try addDays(to: tasks, connection, progress)
    try tasks.run()
    var report = report.withLock { $0 }
    for message in damage.messages { report.add(problem: message) }
    if let problem = keys.withLock({ $0?.problem }) { report.add(problem: problem) }
    try checkErrors(connection, &report)
    try checkErrorRoom(connection, &report)
    try reader.verifyViews(connection, &report)
    // Threads end in any order.
    report.differences.sort { $0.description < $1.description }
    report.problems.sort()
    return report
  }

  func calendars() -> VerifierCalendars { VerifierCalendars(reader.catalog) }

  /// Returns the last day of each app whose counts can't be made of rows again.
  func lastKeptDays() throws -> [Int64: Int] {
    let calendars = calendars()
    var days: [Int64: Int] = [:]
    for app in horizons.counted.keys { days[app] = horizons.lastKeptDay(app, try calendars.calendar(app)) }
    return days
  }

  /// Checks that every listed error belongs to a counted event of its kind.
  private func checkErrors(_ connection: SQLConnection, _ report: inout VerificationReport) throws {
    let calendars = calendars()
    let scan = EventScan(connection, spans, damage: damage)
    let errors = try connection.prepare(
      "SELECT e.id, e.app, e.t, g.kind FROM error e JOIN error_group g ON g.id = e.grp WHERE e.id <= ? ORDER BY e.id")
    errors.bind(through)
    while try errors.step() {
      let (id, app, time, kind) = (errors.integer(0), errors.integer(1), errors.integer(2), errors.integer(3))
      // Errors outlive their rows.
      if let horizon = horizons.counted[app], time < horizon { continue }
      report.metrics += 1
      if let row = try scan.find(id), row.app == app, row.time == time, row.flags.kind.rawValue == kind { continue }
      report.add(
        VerificationReport.Difference(
          app: AppID(app), day: Day(number: try calendars.calendar(app).day(of: time)), dimension: .kind,
          key: (StoredKind(rawValue: Int(kind)) ?? .other).name, expected: "no event \(id)", found: "an error"))
    }
  }

  /// Checks that the recorded size of an app's errors is the size of their texts and attachments.
  private func checkErrorRoom(_ connection: SQLConnection, _ report: inout VerificationReport) throws {
    for difference in try ErrorRoom.differences(connection) {
      report.add(
        VerificationReport.Difference(
          app: AppID(difference.app), day: nil, dimension: .kind, key: "error storage",
          expected: "0 bytes beyond texts and attachments",
          found: "\(difference.claimed), and \(difference.unclaimed) of unclaimed attachments"))
    }
  }
}

/// The calendars of the apps that have events, for one thread.
final class VerifierCalendars {
  private let catalog: any CatalogStore
  private var calendars: [Int64: ZoneCalendar] = [:]
  @exclusivity(unchecked) private var last: (app: Int64, calendar: ZoneCalendar)?

  init(_ catalog: any CatalogStore) { self.catalog = catalog }

  func calendar(_ app: Int64) throws -> ZoneCalendar {
    if let last, last.app == app { return last.calendar }
    let calendar = try calendars[app] ?? load(app)
    last = (app, calendar)
    calendars[app] = calendar
    return calendar
  }

  private func load(_ app: Int64) throws -> ZoneCalendar {
    guard let zone = try catalog.app(AppID(app))?.zone else {
      throw WarehouseError(.damaged, "There are events of app \(app), but the catalog lacks that app.")
    }
    return ZoneCalendar(zone)
  }
}
