import Ingest
import TernBase
public import TernEvents
import Views
public import Warehouse

extension SQLiteWarehouse {
  /// Days of a view that are sealed in one step, so that the writer, and the end of the process, wait for little.
  private static let sealedAtOnce = 20

  /// Stores the metrics of every day of every view that has become final, for good.
  ///
  /// Days are sealed in order, one by one; what fails is tried again at the next call. No day is sealed while something
  /// that was received before its cut is on its way into the warehouse (``pendingRequests``). What comes all the same,
  /// because the clock was set back, is late for the day: with it is stored which row was the last that it could count.
  ///
  /// Days are counted in steps of few days and hits; a task that is cancelled stops within one.
  ///
  /// - Parameters:
  ///   - views: the views of the catalog.
  ///   - now: what the wall clock shows.
  /// - Returns: how many days were sealed.
  @discardableResult
  public func sealDays(of views: [View], now: Timestamp) async throws -> Int {
    var count = 0
    let oldest = pendingRequests.oldest?.millisecondsSince1970 ?? .max
    // What was handed over before is stored or refused after this.
    try await perform { _ in }
    // Each view has its turn, so that one with a long past does not hold up the others.
    var open = views
    while !open.isEmpty, !Task.isCancelled {
      var left: [View] = []
      for view in open where !Task.isCancelled {
        let days = try await reader.unsealedDays(
          view, now: now.millisecondsSince1970, oldest: oldest, limit: Self.sealedAtOnce)
        if days.isEmpty { continue }
        try await perform { try $0.store(days, of: view.id) }
        count += days.count
        left.append(view)
      }
      open = left
    }
    return count
  }
}

extension Writer {
  fileprivate func store(_ days: [SealableDay], of view: ViewID) throws {
    try transact {
      let insert = try connection.prepare(
        "INSERT OR IGNORE INTO view_day (view, day, present, metrics) VALUES (?, ?, ?, ?)")
      let insertRow = try connection.prepare("INSERT OR IGNORE INTO view_seal (view, day, row) VALUES (?, ?, ?)")
      for day in days {
        insertRow.bind(view.rawValue, Int64(day.number), day.row)
        try insertRow.run()
        insert.bind(view.rawValue, Int64(day.number))
        insert.bind(day.present, at: 3)
        insert.bind(day.metrics, at: 4)
        try insert.run()
        // A day that is sealed already has its changes.
        guard try connection.integer("SELECT changes()") == 1 else { continue }
        try ViewMemory.store(day.changes, of: view, day: day.number, connection)
      }
    }
  }
}

/// The stored form of a day that is about to be sealed.
struct SealableDay: Sendable {
  var number: Int
  var present: [UInt8]
  var metrics: [UInt8]
  /// The last row that was there when it was counted.
  var row: Int64
  /// What the day changed of what is remembered.
  var changes: ViewChanges
}

extension WarehouseReader {
  /// Hits after which a step of sealing ends, if it has any day.
  private static let sealedHits = 200_000

  /// The next days of a view that are final and not sealed yet, in order; only those whose cut is not after `oldest`.
  ///
  /// - Parameter limit: the most days; days with many hits end the answer earlier, and so does a cancelled task.
  func unsealedDays(_ view: View, now: Int64, oldest: Int64, limit: Int) async throws -> [SealableDay] {
    let isCancelled = Locked(false)
    return try await withTaskCancellationHandler {
      try await unsealedDays(view, now: now, oldest: oldest, limit: limit) { isCancelled.withLock { $0 } }
    } onCancel: {
      isCancelled.withLock { $0 = true }
    }
  }

  private func unsealedDays(
    _ view: View, now: Int64, oldest: Int64, limit: Int, isCancelled: @escaping @Sendable () -> Bool
  ) async throws -> [SealableDay] {
    try await reading { [self] connection in
      let reading = try ViewReading(view, connection, self)
      reading.isCancelled = isCancelled
      var hits: Int64 = 0
      guard let first = try reading.firstDay() else { return [] }
      var days: [SealableDay] = []
      var number = try reading.lastSealed().map { $0 + 1 } ?? first
      let today = reading.calendar.day(of: now)
      while number <= today, days.count < limit, hits < Self.sealedHits {
        if isCancelled() { break }
        if reading.calendar.bounds(of: number) != nil {
          guard reading.isSettled(number, now: now), reading.calendar.final(number) ?? .max <= oldest else { break }
          guard let day = try counted(number, reading) else { break }
          hits += day.totals.hits
          days.append(
            SealableDay(
              number: number, present: day.encodedPresent, metrics: day.encodedMetrics, row: reading.lastRow,
              changes: day.changes))
        }
        number += 1
      }
      return days
    }
  }

  /// A day, or `nil` when the answer is not wanted any more.
  private func counted(_ day: Int, _ reading: ViewReading) throws -> ViewDay? {
    do {
      return try reading.counted(day)
    } catch is CancellationError {
      return nil
    }
  }

  /// Counts every sealed day again from the hits that came in time, and lists those that differ.
  func verifyViews(_ connection: SQLConnection, _ report: inout VerificationReport) throws {
    for view in try catalog.views(app: nil) {
      let reading = try ViewReading(view, connection, self)
      var remembered = 0
      for number in try reading.sealedDays() {
        guard let sealed = try reading.sealed(number) else { continue }
        let counted = try reading.counted(number, through: reading.sealRow(number))
        // Each day is held against what is stored of the days before, which were held against their hits in turn.
        reading.memory.restart(at: number + 1)
        report.metrics += 1
        remembered += counted.changes.count
        let isSame = sealed.present == counted.encodedPresent && sealed.metrics == counted.encodedMetrics
        guard try !isSame || !reading.remembers(counted.changes, of: number) else { continue }
        report.add(
          VerificationReport.Difference(
            app: view.app, day: Day(number: number), dimension: .total, key: "view \(view.id)",
            expected: "\(counted.totals.hits) hits", found: "a sealed day that says otherwise"),
          isSealed: true)
      }
      try verifyMemory(of: reading, remembered, &report)
    }
  }

  /// What is remembered must be what the sealed days say, and nothing else.
  private func verifyMemory(of reading: ViewReading, _ expected: Int, _ report: inout VerificationReport) throws {
    let found = try reading.remembered()
    report.metrics += 1
    guard found != expected, let last = try reading.lastSealed() else { return }
    report.add(
      VerificationReport.Difference(
        app: reading.view.app, day: Day(number: last), dimension: .total, key: "view \(reading.view.id)",
        expected: "\(expected) rows of users and orders", found: "\(found)"), isSealed: true)
  }
}
