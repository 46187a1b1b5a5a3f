import Ingest
import ServerBase
import TernBase
import TernEvents
import Views
package import Warehouse

extension WarehouseReader {
  /// Runs reads of one view one at a time, so that open days continue counting from where the previous read stopped.
  func withTurn<Value: Sendable>(
    _ view: View, now: Int64, _ body: @escaping @Sendable (ViewReading) throws -> Value
  ) async throws -> Value {
    let rules = CustomRules(try catalog.definitions(app: view.app))
    let key = LiveView.Key(view: view, rules: rules)
    let live = viewDays.live(key)
    return try await reading(takingTurnsOn: live) { [self] connection in
      try live.withLock { live in
        defer { viewDays.note(key, bytes: live.byteCount) }
        return try body(ViewReading(view, connection, self, live: live, rules: rules, now: now))
      }
    }
  }

  /// Returns the reports of a view; see ``MetricsStore/viewMetrics(_:days:tables:now:)``.
  package func viewMetrics(
    _ view: View, days: ClosedRange<Day>, tables: Set<ViewTable>, now: Int64
  ) async throws -> ViewMetrics {
    try await withTurn(view, now: now) { reading in
      var metrics = ViewMetrics()
      let seen = SlotSet()
      let (first, last) = (days.lowerBound.number, days.upperBound.number)
      let windows = [1, 7, 14, 28].map { (days: $0, users: SlotSet()) }
      var whole = ViewDay()
      let (newUsers, returning) = (SlotSet(), SlotSet())
      let firstDay = try reading.firstDay()
      let start = min(firstDay ?? last, last)
      let lastSealed = try reading.lastSealed()
      let window = min(first, last - 27)
      for number in try reading.busyDays.get() where number < window { seen.formUnion(try reading.present(number)) }
      for number in max(window, min(start, first))...last {
        guard reading.calendar.bounds(of: number) != nil else { continue }
        // Days before the first hit are empty.
        let day = number < start ? ViewDay() : try reading.day(number, tables: number < first ? [] : tables)
        let fresh = day.users.subtracting(seen)
        for window in windows where number > last - window.days { window.users.formUnion(day.users) }
        if number >= first {
          newUsers.formUnion(fresh)
          returning.formUnion(day.users.intersection(seen))
          returning.formUnion(day.repeaters)
          metrics.days.append(
            ViewMetrics.DayRow(
              day: Day(number: number), totals: day.totals, users: day.users.count, newUsers: fresh.count,
              state: reading.state(
                of: number, isSealed: lastSealed.map { start <= number && number <= $0 } ?? false, firstDay, now: now)))
          whole.merge(day, tables: tables)
        }
        seen.formUnion(day.present)
      }
      whole.mergeCodes()
      metrics.totals = whole.totals
      metrics.users = whole.users.count
      metrics.newUsers = newUsers.count
      metrics.returningUsers = returning.count
      for window in windows { metrics.actives[window.days] = window.users.count }
      for table in tables { metrics.tables[table] = Self.rows(whole.tables[table] ?? [:]) }
      metrics.definitions = reading.definitions
      return metrics
    }
  }

  private static func rows(_ rows: [[String]: ViewDay.Tally]) -> [ViewMetrics.Row] {
    rows.map { ViewMetrics.Row(key: $0.key, numbers: $0.value.numbers, users: $0.value.users.count) }
      .sorted {
        let (left, right) = ($0.numbers.first ?? 0, $1.numbers.first ?? 0)
        return left == right ? $0.key.lexicographicallyPrecedes($1.key) : left > right
      }
  }

  /// Returns the late hits; see ``MetricsStore/lateHits(_:days:)``.
  package func lateHits(_ view: View, days: ClosedRange<Day>) async throws -> [LateHits] {
    try await reading { [self] connection in
      let reading = try ViewReading(view, connection, self)
      guard let start = try reading.firstDayWithLate(), start <= days.upperBound.number else { return [] }
      var counts: [LateHits] = []
      for number in max(start, days.lowerBound.number)...days.upperBound.number where try reading.mayHaveHits(number) {
        let cutoff = EventTime(reading.calendar.final(number) ?? 0)
        let rules = view.rules(on: Day(number: number))
        var groups: [[String]: Int] = [:]
        try reading.eachLate(number) { hit in
          guard rules.admits(hit.parameters) else { return }
          groups[[hit.version, Self.lateness(hit.received - cutoff).map(String.init) ?? ""], default: 0] += 1
        }
        counts += groups.map { key, count in
          LateHits(day: Day(number: number), version: key[0], hours: Int(key[1]), count: count)
        }.sorted {
          $0.hours == $1.hours
            ? AppVersion.isOrdered($0.version, before: $1.version) : $0.hours ?? .max < $1.hours ?? .max
        }
      }
      return counts
    }
  }

  /// Returns the delay in hours, rounded up to the next bucket; `nil` beyond the last one.
  private static func lateness(_ milliseconds: SaturatingInt64) -> Int? {
    [1, 6, 24, 168].first { milliseconds <= SaturatingInt64($0) * 3_600_000 }
  }
}
