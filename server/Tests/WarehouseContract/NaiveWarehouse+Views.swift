import Ingest
import ServerBase
import TernBase
import TernEvents
import Views
package import Warehouse

extension NaiveWarehouse {
  private func days(of view: View) throws -> NaiveViewDays {
    try NaiveViewDays(view, catalog: catalog, state: stored())
  }

  package func viewMetrics(
    _ view: View, days range: ClosedRange<Day>, tables: Set<ViewTable>, now: Int64
  ) async throws -> ViewMetrics {
    let source = try days(of: view)
    let (first, last) = (range.lowerBound.number, range.upperBound.number)
    let counted = Dictionary(uniqueKeysWithValues: source.days(through: last).map { ($0.number, $0.day) })
    var metrics = ViewMetrics()
    var whole = ViewDay()
    var (seen, fresh, returning) = (Set<UInt32>(), Set<UInt32>(), Set<UInt32>())
    var active: [Int: Set<UInt32>] = [1: [], 7: [], 14: [], 28: []]
    for number in min(first, source.firstDay ?? first)...last where source.calendar.bounds(of: number) != nil {
      let day = counted[number] ?? ViewDay()
      let users = Set(day.users.elements)
      for window in active.keys where number > last - window { active[window]?.formUnion(users) }
      if number >= first {
        fresh.formUnion(users.subtracting(seen))
        returning.formUnion(users.intersection(seen).union(day.repeaters.elements))
        metrics.days.append(
          ViewMetrics.DayRow(
            day: Day(number: number), totals: day.totals, users: users.count, newUsers: users.subtracting(seen).count,
            state: source.state(of: number, now: now)))
        whole.merge(day, tables: tables)
      }
      seen.formUnion(day.present.elements)
    }
    whole.mergeCodes()
    metrics.totals = whole.totals
    metrics.users = whole.users.count
    metrics.newUsers = fresh.count
    metrics.returningUsers = returning.count
    metrics.actives = active.mapValues(\.count)
    for table in tables {
      let rows = (whole.tables[table] ?? [:]).map {
        ViewMetrics.Row(key: $0, numbers: $1.numbers, users: $1.users.count)
      }
      metrics.tables[table] = rows.sorted {
        let (left, right) = ($0.numbers.first ?? 0, $1.numbers.first ?? 0)
        return left == right ? $0.key.lexicographicallyPrecedes($1.key) : left > right
      }
    }
    metrics.definitions = source.definitions
    return metrics
  }

  package func lateHits(_ view: View, days range: ClosedRange<Day>) async throws -> [LateHits] {
    let source = try days(of: view)
    return range.flatMap { day in
      let hits = source.hits.filter { $0.day == day.number && !$0.isInTime }.map(\.hit)
        .filter { view.rules(on: day).admits($0.parameters) }
      let cutoff = source.calendar.final(day.number) ?? 0
      let groups = Dictionary(grouping: hits) { hit in
        LateHits(
          day: day, version: hit.version, hours: Self.hours((hit.received - EventTime(cutoff)).rawValue), count: 0)
      }
      let counted = groups.map { group, hits in
        LateHits(day: day, version: group.version, hours: group.hours, count: hits.count)
      }
      return counted.sorted {
        $0.hours == $1.hours
          ? AppVersion.isOrdered($0.version, before: $1.version) : $0.hours ?? .max < $1.hours ?? .max
      }
    }
  }

  private static func hours(_ milliseconds: Int64) -> Int? {
    [1, 6, 24, 168].first { milliseconds <= Int64($0) * 3_600_000 }
  }

  package func inspectedHits(_ view: View, days range: ClosedRange<Day>, limit: Int) async throws -> [InspectedHit] {
    let source = try days(of: view)
    let hits = source.hits.reversed().filter { range.contains(Day(number: $0.day)) }
    return hits.prefix(max(0, limit)).map { hit, number, isInTime in
      let day = Day(number: number)
      let user = source.user(of: hit)
      let isIn = view.rules(on: day).admits(hit.parameters)
      return InspectedHit(
        id: hit.id, time: hit.time.milliseconds, received: hit.received.milliseconds, day: day,
        status: !isInTime ? "late" : user == nil ? "anonymous" : isIn ? "counted" : "filtered",
        install: Int(user ?? hit.slot), parameters: hit.parameters)
    }
  }

  package func viewRealtime(_ view: View, now: Int64) async throws -> ViewRealtime {
    try days(of: view).realtime(now: now)
  }

  package func refusedHits(_ view: View, days range: ClosedRange<Day>, limit: Int) async throws -> [RefusedHit] {
    let calendar = try days(of: view).calendar
    var seen: [[String]: Int] = [:]
    let samples = try stored().refusals.filter { refusal in
      guard refusal.app == view.app, refusal.source == .measurement else { return false }
      let key = ["\(refusal.day)", refusal.rejection.reason]
      seen[key, default: 0] += 1
      return seen[key, default: 0] <= 10 && range.contains(Day(number: calendar.day(of: refusal.received)))
    }
    return samples.sorted { ($1.received, $1.rejection.index) < ($0.received, $0.rejection.index) }
      .prefix(max(0, limit)).map {
        RefusedHit(
          received: $0.received, position: $0.rejection.index, reason: $0.rejection.reason,
          message: $0.rejection.message, said: $0.rejection.id)
      }
  }
}
