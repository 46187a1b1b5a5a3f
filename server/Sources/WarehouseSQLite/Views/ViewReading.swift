import Ingest
import ServerBase
import TernBase
import TernEvents
package import Views
package import Warehouse

/// Reads one view from one snapshot of the data. Not thread-safe.
package final class ViewReading {
  /// The longest time since the last background count for which reports leave the counting to the background.
  package static let longestLag: Int64 = 600_000

  /// The minimum delay between a day's cutoff and its sealing.
  static let sealDelay: Int64 = 60_000

  package let view: View
  package let calendar: ViewCalendar
  /// The app's custom dimensions and metrics.
  let definitions: [CustomDefinition]
  let connection: SQLConnection
  let scan: ViewScan
  private let cache: ViewDayCache
  package let lastRow: Int64
  /// The last rows that sealed days may count; see ``sealRow(_:)``.
  private(set) lazy var sealRows = Result { try loadSealRows() }
  let rules: CustomRules
  let userNumbers: ReaderUsers
  let spanDays: SpanDays
  private let journal: WorkJournal?
  /// The rows that exist for this object. Others are left out when days are counted.
  package var rows: ClosedRange<Int64> = 0...Int64.max
  /// See ``mayHaveHits(_:)``.
  private(set) lazy var hitDays = Result { try loadHitDays() }
  /// See ``isBusy(_:)``.
  private(set) lazy var busyDays = Result { try loadBusyDays() }
  /// The latest days as last counted. Only this read may use them until it ends.
  let live: LiveView?
  /// The current time, in milliseconds.
  let now: Int64?
  /// The current day in the view's zone.
  let today: Int?
  /// True if open days to which the latest hits can't be added may lack them, because the background counts them.
  var mayLag = false
  /// See ``arrivals(after:)``.
  var arrivals: [Int64: Arrivals] = [:]
  /// The state of users and orders from days that are not sealed.
  package var memory = ViewMemory()
  /// The limits on how much of a day is held in memory.
  var portion = ViewPortion()
  /// Returns true if the result is no longer wanted.
  package var isCancelled: @Sendable () -> Bool = { false } {
    didSet { scan.isCancelled = isCancelled }
  }

  /// From now on, recounts days to which hits can't be added.
  func endLag() {
    guard mayLag else { return }
    mayLag = false
    memory = ViewMemory()
  }

  func checkCancellation() throws { if isCancelled() { throw CancellationError() } }

  /// The parts of a reader that all readings of views share.
  struct Sources {
    var days: ViewDayCache
    var spanDays: SpanDays
    var journal: WorkJournal?
    var dictionary: ReaderDictionary
    var catalog: any CatalogStore
  }

  init(
    _ view: View, _ connection: SQLConnection, _ sources: Sources, live: LiveView?, rules: CustomRules?, now: Int64?
  ) throws {
    let calendar = ViewCalendar(view)
    (self.view, self.calendar) = (view, calendar)
    self.connection = connection
    cache = sources.days
    spanDays = sources.spanDays
    journal = sources.journal
    scan = try ViewScan(connection, app: view.app, dictionary: sources.dictionary)
    lastRow = try StoredSpan.lastRow(connection)
    definitions = try sources.catalog.definitions(app: view.app)
    self.rules = CustomRules(definitions)
    // Days counted under earlier definitions must not be continued.
    self.live = rules == self.rules ? live : nil
    self.now = now
    today = now.map { calendar.day(of: $0) }
    if let now, let counted = self.live?.backgroundCount { mayLag = abs(now - counted) <= Self.longestLag }
    userNumbers = try ReaderUsers(connection, app: view.app)
  }

  /// Returns the first day that may have hits in time, or `nil` if there are none.
  ///
  /// If days are sealed, it is the first of them: hits that arrived for earlier days since then were late.
  package func firstDay() throws -> Int? {
    if let sealed = try connection.integer("SELECT min(day) FROM view_day WHERE view = \(view.id.rawValue)") {
      return TimeBounds.clamp(day: Int(sealed))
    }
    return try scan.firstTime().map { calendar.day(of: $0) }
  }

  /// Returns the first day that has hits, including late ones.
  func firstDayWithLate() throws -> Int? { try scan.firstTime().map { calendar.day(of: $0) } }

  /// Returns the last sealed day.
  package func lastSealed() throws -> Int? {
    try connection.integer("SELECT max(day) FROM view_day WHERE view = \(view.id.rawValue)").map {
      TimeBounds.clamp(day: Int($0))
    }
  }

  /// Returns all sealed days, in order.
  package func sealedDays() throws -> [Int] {
    let statement = try connection.prepare(kept: "SELECT day FROM view_day WHERE view = ? ORDER BY day")
    statement.bind(view.id.rawValue)
    var days: [Int] = []
    while try statement.step() { days.append(statement.day(0)) }
    return days
  }

  /// Returns the stored form of a day, or `nil` if it is not sealed.
  package func sealed(_ day: Int) throws -> (present: [UInt8], metrics: [UInt8])? {
    let statement = try connection.prepare(kept: "SELECT present, metrics FROM view_day WHERE view = ? AND day = ?")
    statement.bind(view.id.rawValue, Int64(day))
    guard try statement.step() else { return nil }
    defer { statement.reset() }
    return (Array(statement.bytes(0)), Array(statement.bytes(1)))
  }

  /// Runs `body`, with a record on disk that this day is being counted.
  func performing<Value>(_ day: Int, _ body: () throws -> Value) throws -> Value {
    try journal.perform(.viewDay(view: view.id.rawValue, day: day, through: lastRow), body)
  }

  /// Returns a builder for a day.
  func builder(_ day: Int) -> ViewDayBuilder { Self.builder(day, view, calendar, rules) }

  static func builder(_ day: Int, _ view: View, _ calendar: ViewCalendar, _ rules: CustomRules) -> ViewDayBuilder {
    let own = view.rules(on: Day(number: day))
    return ViewDayBuilder(filters: own.filters, settings: own.settings, rules: rules) { calendar.hour(of: $0) }
  }

  /// Counts a day from the stored hits up to `row`. For a sealed day, later rows were late.
  package func counted(_ day: Int, through row: Int64 = .max) throws -> ViewDay {
    guard try calendar.bounds(of: day) != nil && mayHaveHits(day) else {
      memory.skip(day)
      return ViewDay()
    }
    let counted = try performing(day) {
      var builder = builder(day)
      try count(day, through: row, into: &builder)
      return try builder.finished { try order($0, before: day) }
    }
    memory.add(counted.changes, of: day)
    return counted
  }

  /// Returns the state changes of a day that is not sealed.
  func changes(of day: Int) throws -> ViewChanges {
    guard try isBusy(day) else { return ViewChanges() }
    if let live = try live(day) {
      return try live.builder.finished(tables: []) { try order($0, before: day) }.changes
    }
    return try entry(day)?.changes ?? kept(try counted(day), day).changes
  }

  private func key(_ day: Int) -> ViewDayCache.Key { ViewDayCache.Key(view: view, rules: rules, day: day) }

  /// Returns a cached day, provided that no hits have arrived since for it or for an earlier day.
  func entry(_ day: Int) throws -> ViewDayCache.Entry? {
    guard var entry = cache.entry(key(day)) else { return nil }
    guard let row = entry.row, row != lastRow else { return entry }
    // A concurrent read may have cached a later state.
    if row < lastRow, !entry.isOutdated {
      entry.isOutdated = try arrivals(after: row).earliest ?? .max <= day
      if !entry.isOutdated { entry.row = lastRow }
      cache.keep(entry, for: key(day))
      if !entry.isOutdated { return entry }
    }
    // Only the latest days are counted in the background.
    return mayLag && today.map { day > $0 - LiveView.days } ?? false ? entry : nil
  }

  /// Counts a day and caches its stored form.
  func countEntry(_ day: Int) throws { _ = kept(try counted(day), day) }

  private func kept(_ counted: ViewDay, _ day: Int) -> ViewDay {
    cache.keep(
      ViewDayCache.Entry(
        present: counted.encodedPresent, metrics: counted.encodedMetrics, changes: counted.changes, row: lastRow),
      for: key(day))
    return counted
  }

  /// Returns a day, from the store if it is sealed, with the requested breakdowns only.
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

  /// Returns the users of a day. For a sealed day, this is cheaper than reading the whole day.
  func present(_ day: Int) throws -> SlotSet {
    guard try isBusy(day) else { return SlotSet() }
    let stored = try kept(sealed: day)?.present ?? (live(day) == nil ? entry(day)?.present : nil)
    guard let stored else { return try self.day(day, tables: []).present }
    return try stored.withUnsafeBytes { try SlotSet.stored($0) }
  }

  /// Returns a sealed day from the cache, loading it if necessary.
  private func kept(sealed day: Int) throws -> ViewDayCache.Entry? {
    if let known = cache.entry(key(day)), known.row == nil { return known }
    guard let sealed = try sealed(day) else { return nil }
    let entry = ViewDayCache.Entry(present: sealed.present, metrics: sealed.metrics)
    cache.keep(entry, for: key(day))
    return entry
  }

  /// Returns true if a day is sealed.
  func isSealed(_ day: Int) throws -> Bool { try lastSealed().map { $0 >= day } ?? false }

  /// Returns the state of a day. Days before the first hit are never sealed, and needn't be.
  func state(of day: Int, isSealed: Bool, _ firstDay: Int?, now: Int64) -> ViewMetrics.DayState {
    if isSealed || day < firstDay ?? .max && isFinal(day, now: now) { return .final }
    return calendar.final(day).map { $0 <= now } ?? false ? .closed : .open
  }

  /// Returns true if neither the day nor any earlier day can change; campaigns of earlier days last into this one.
  ///
  /// Earlier days are normally final before it, except in a view that was moved half around the world eastwards.
  package func isFinal(_ day: Int, now: Int64) -> Bool {
    (day - 2...day).allSatisfy { number in
      guard number == day || calendar.bounds(of: number) != nil else { return true }
      return calendar.final(number).map { $0 + Self.sealDelay <= now } ?? false
    }
  }

  /// Returns the most recently stored hits of some days, newest first.
  func newest(_ limit: Int, of days: ClosedRange<Day>) throws -> [ViewHit] {
    guard let times = times(of: days) else { return [] }
    // Around a change of the view's zone, moments in between may belong to other days.
    return try scan.newest(max(limit, 0), in: times).filter {
      (days.lowerBound.number...days.upperBound.number).contains(calendar.day(of: $0.time.milliseconds))
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
        .damaged, "\(Day(number: day)) of view \(view.id) is damaged. Restore the data directory from a backup.")
    }
    return decoded
  }
}
