import Ingest
import TernBase
import TernEvents
import Views
import Warehouse

/// One view over one state of the data. Not for sharing between threads.
final class ViewReading {
  /// How long ago hits must have been counted in the background so that reports don't count them.
  static let longestLag: Int64 = 600_000

  /// How long after its cut a day is sealed at the earliest.
  static let settlingTime: Int64 = 60_000

  let view: View
  let calendar: ViewCalendar
  /// How the app's custom dimensions and metrics are read.
  let definitions: [CustomDefinition]
  let connection: SQLConnection
  let scan: ViewScan
  private let cache: ViewDayCache
  let lastRow: Int64
  /// The last rows that sealed days may count; see ``sealRow(_:)``.
  private(set) lazy var sealRows = Result { try loadSealRows() }
  let rules: CustomRules
  let members: ReaderMembers
  let spanDays: SpanDays
  /// See ``mayHaveHits(_:)``.
  private(set) lazy var hitDays = Result { try loadHitDays() }
  /// See ``isBusy(_:)``.
  private(set) lazy var busyDays = Result { try loadBusyDays() }
  /// The last days as they were counted for the last question, while it is this question's turn.
  let live: LiveView?
  /// When the report is asked for, and the day of it.
  let now: Int64?
  let today: Int?
  /// True if open days may lack the latest hits where those can't be added: they are being counted in the background.
  var mayLag = false
  /// See ``arrivals(after:)``.
  var arrivals: [Int64: Arrivals] = [:]
  /// What is remembered of users from the days that are not sealed.
  var memory = ViewMemory()
  /// How much of a day is held at once.
  var portion = ViewPortion()
  /// Returns true when the answer is not wanted any more.
  var isCancelled: @Sendable () -> Bool = { false }

  /// Counts from now on what can't be continued.
  func endLag() {
    guard mayLag else { return }
    mayLag = false
    memory = ViewMemory()
  }

  func checkCancellation() throws { if isCancelled() { throw CancellationError() } }

  init(
    _ view: View, _ connection: SQLConnection, _ reader: WarehouseReader, live: LiveView? = nil,
    rules: CustomRules? = nil,
    now: Int64? = nil
  ) throws {
    guard let calendar = ViewCalendar(view) else {
      throw WarehouseError(
        code: .invalid, message: "This system does not know the time zone \(view.timeZone) of view \(view.id).")
    }
    self.view = view
    self.calendar = calendar
    self.connection = connection
    cache = reader.viewDays
    spanDays = reader.spanDays
    scan = try ViewScan(connection, app: view.app, dictionary: reader.dictionary)
    lastRow = try WarehouseSchema.lastRow(connection)
    definitions = try reader.catalog.definitions(app: view.app)
    self.rules = CustomRules(definitions)
    // Definitions that were changed just now have no counted days yet.
    self.live = rules == self.rules ? live : nil
    self.now = now
    today = now.map { calendar.day(of: $0) }
    if let now, let counted = self.live?.backgroundCount { mayLag = abs(now - counted) <= Self.longestLag }
    members = try ReaderMembers(connection, app: view.app)
  }

  /// The first day that may have hits in time; `nil` when there are none.
  ///
  /// Sealing began with the first day that had any, and what came for earlier days since then was late.
  func firstDay() throws -> Int? {
    if let sealed = try connection.integer("SELECT min(day) FROM view_day WHERE view = \(view.id.rawValue)") {
      return Int(sealed)
    }
    return try scan.firstTime().map { calendar.day(of: $0) }
  }

  /// The first day that has hits, late ones included.
  func firstDayWithLate() throws -> Int? { try scan.firstTime().map { calendar.day(of: $0) } }

  /// The last day that is sealed.
  func lastSealed() throws -> Int? {
    try connection.integer("SELECT max(day) FROM view_day WHERE view = \(view.id.rawValue)").map { Int($0) }
  }

  /// All days that are sealed, in order.
  func sealedDays() throws -> [Int] {
    let statement = try connection.prepare("SELECT day FROM view_day WHERE view = ? ORDER BY day")
    statement.bind(view.id.rawValue)
    var days: [Int] = []
    while try statement.step() { days.append(Int(statement.integer(0))) }
    return days
  }

  /// A day as it is stored; `nil` when it is not sealed.
  func sealed(_ day: Int) throws -> (present: [UInt8], metrics: [UInt8])? {
    let statement = try connection.prepare("SELECT present, metrics FROM view_day WHERE view = ? AND day = ?")
    statement.bind(view.id.rawValue, Int64(day))
    guard try statement.step() else { return nil }
    defer { statement.reset() }
    return (Array(statement.bytes(0)), Array(statement.bytes(1)))
  }

  /// Begins to count a day.
  func builder(_ day: Int) -> ViewDayBuilder { Self.builder(day, view, calendar, rules) }

  static func builder(_ day: Int, _ view: View, _ calendar: ViewCalendar, _ rules: CustomRules) -> ViewDayBuilder {
    let own = view.rules(on: Day(number: day))
    return ViewDayBuilder(filters: own.filters, settings: own.settings, rules: rules) { calendar.hour(of: $0) }
  }

  /// A day as the stored hits tell it; those of rows behind `row` came when it was sealed.
  func counted(_ day: Int, through row: Int64 = .max) throws -> ViewDay {
    guard try calendar.bounds(of: day) != nil && mayHaveHits(day) else {
      memory.skip(day)
      return ViewDay()
    }
    var builder = builder(day)
    try count(day, through: row, into: &builder)
    let counted = try builder.finished { try order($0, before: day) }
    memory.add(counted.changes, of: day)
    return counted
  }

  /// What a day that is not sealed changed of what is remembered.
  func changes(of day: Int) throws -> ViewChanges {
    guard try isBusy(day) else { return ViewChanges() }
    if let live = try live(day) {
      return try live.builder.finished(tables: []) { try order($0, before: day) }.changes
    }
    return try entry(day)?.changes ?? kept(try counted(day), day).changes
  }

  private func key(_ day: Int) -> ViewDayCache.Key { ViewDayCache.Key(view: view, rules: rules, day: day) }

  /// A day that was counted before and that nothing has come for since, nor for a day before it.
  func entry(_ day: Int) throws -> ViewDayCache.Entry? {
    guard var entry = cache.entry(key(day)) else { return nil }
    guard let row = entry.row, row != lastRow else { return entry }
    // Another question may have seen a later state.
    guard row < lastRow, try arrivals(after: row).earliest ?? .max > day else {
      // Only the latest days are counted in the background.
      return mayLag && today.map { day > $0 - LiveView.days } ?? false ? entry : nil
    }
    entry.row = lastRow
    cache.keep(entry, for: key(day))
    return entry
  }

  /// Counts a day and keeps its stored form.
  func countEntry(_ day: Int) throws { _ = kept(try counted(day), day) }

  private func kept(_ counted: ViewDay, _ day: Int) -> ViewDay {
    cache.keep(
      ViewDayCache.Entry(
        present: counted.encodedPresent, metrics: counted.encodedMetrics, changes: counted.changes, row: lastRow),
      for: key(day))
    return counted
  }

  /// A day, sealed if it is, else counted; of the breakdowns those that are wanted.
  func day(_ day: Int, tables: Set<ViewTable>) throws -> ViewDay {
    guard try isBusy(day) else { return ViewDay() }
    if let sealed = try kept(sealed: day) { return try decoded(sealed.present, sealed.metrics, day, tables) }
    if let live = try live(day) {
      return try live.builder.finished(tables: tables) {
        try remember(before: day)
        return try order($0, before: day)
      }
    }
    if let known = try entry(day) { return try decoded(known.present, known.metrics, day, tables) }
    return kept(try counted(day), day)
  }

  /// The users of a day, cheaper than the whole day where that is sealed.
  func present(_ day: Int) throws -> SlotSet {
    guard try isBusy(day) else { return SlotSet() }
    let stored = try kept(sealed: day)?.present ?? (live(day) == nil ? entry(day)?.present : nil)
    guard let stored else { return try self.day(day, tables: []).present }
    return try stored.withUnsafeBytes { try WarehouseReader.slots($0) }
  }

  /// A sealed day as it is stored, and kept from then on.
  private func kept(sealed day: Int) throws -> ViewDayCache.Entry? {
    if let known = cache.entry(key(day)), known.row == nil { return known }
    guard let sealed = try sealed(day) else { return nil }
    let entry = ViewDayCache.Entry(present: sealed.present, metrics: sealed.metrics)
    cache.keep(entry, for: key(day))
    return entry
  }

  /// Whether a day is sealed.
  func isSealed(_ day: Int) throws -> Bool { try lastSealed().map { $0 >= day } ?? false }

  /// How far a day is; those before the first hit are never sealed, and need not be.
  func state(of day: Int, isSealed: Bool, _ firstDay: Int?, now: Int64) -> ViewMetrics.DayState {
    if isSealed || day < firstDay ?? .max && isSettled(day, now: now) { return .final }
    return calendar.final(day).map { $0 <= now } ?? false ? .closed : .open
  }

  /// Whether nothing can change a day any more: nothing comes for it, nor for those before, whose campaigns last.
  ///
  /// The days before are final before it, but for a view that was moved half around the world eastwards.
  func isSettled(_ day: Int, now: Int64) -> Bool {
    (day - 2...day).allSatisfy { number in
      guard number == day || calendar.bounds(of: number) != nil else { return true }
      return calendar.final(number).map { $0 + Self.settlingTime <= now } ?? false
    }
  }

  /// The hits of some days that were stored last, newest first.
  func newest(_ limit: Int, of days: ClosedRange<Day>) throws -> [ViewHit] {
    guard let times = times(of: days) else { return [] }
    // Around a change of the view's zone moments between may belong to other days.
    return try scan.newest(max(limit, 0), in: times).filter {
      (days.lowerBound.number...days.upperBound.number).contains(calendar.day(of: $0.time))
    }
  }

  private func decoded(
    _ present: [UInt8], _ metrics: [UInt8], _ day: Int, _ tables: Set<ViewTable>
  ) throws -> ViewDay {
    let decoded = present.withUnsafeBytes { present in
      metrics.withUnsafeBytes { ViewDay(present: present, metrics: $0, tables: tables) }
    }
    guard let decoded else {
      throw WarehouseError(
        code: .damaged,
        message: "\(Day(number: day)) of view \(view.id) is damaged. Restore the data directory from a backup.")
    }
    return decoded
  }
}
