package import Ingest
import TernBase
package import TernEvents
package import Warehouse

extension NaiveWarehouse {
  /// The contribution of a row to one key.
  struct Mark {
    var day: Day
    var key: ExactText
    var count: Int
    /// The install, if it is a user of the key.
    var user: Int?
  }

  /// Returns everything that counts in a dimension on some days.
  private func marks(_ app: AppID, _ dimension: Dimension, _ days: ClosedRange<Day>) throws -> [Mark] {
    let state = try stored()
    let rows = state.rows.filter { $0.app == app && days.contains($0.day) }
    let marks = rows.flatMap { row in
      Self.counted(row, dimension).map {
        Mark(day: row.day, key: ExactText($0), count: $1, user: row.event.kind == .drops ? nil : row.install)
      }
    }
    guard dimension == .dropped else { return marks }
    return marks
      + state.refusals.filter { $0.app == app && days.contains($0.day) }.map {
        Mark(day: $0.day, key: ExactText(Dimension.rejectedPrefix + $0.rejection.reason), count: 1)
      }
  }

  /// Returns the keys of a row in a dimension, with their counts.
  private static func counted(_ row: Row, _ dimension: Dimension) -> [(String, Int)] {
    let (kind, labels) = (row.event.kind, DeviceLabels(row.device))
    if kind == .drops {
      return dimension != .dropped
        ? []
        : row.event.properties.compactMap { property in
          guard case .integer(let count) = property.value, count > 0 else { return nil }
          return (property.name, Int(min(count, 1_000_000_000)))
        }
    }
    let events = kind == .event ? 1 : 0
    switch dimension {
    case .total: return [("", events)]
    case .event: return kind == .event ? [(row.event.name, 1)] : []
    case .screen: return kind == .screen ? [(row.event.name, 1)] : []
    case .version: return [(labels.version, events)]
    case .os: return [(labels.system, events)]
    case .model: return [(row.device.model, events)]
    case .country: return [(CanonicalCode.country(row.device.country), events)]
    case .language: return [(CanonicalCode.language(labels.language), events)]
    case .session: return row.startsSession ? [("", 1)] : []
    case .kind:
      return [.handledError, .crash, .other, .attachment].contains(kind) ? [(kind.name, 1)] : []
    case .dropped, .property: return []
    }
  }

  private static func totals(_ marks: [Mark], _ dimension: Dimension = .event) -> [KeyTotals] {
    Dictionary(grouping: marks, by: \.key).map {
      KeyTotals(key: $0.key.text, count: sum($0.value), users: users($0.value))
    }
    .sorted { $0.count == $1.count ? dimension.isOrdered($0.key, before: $1.key) : $0.count > $1.count }
  }

  private static func sum(_ marks: [Mark]) -> Int { marks.map(\.count).saturatingSum }
  private static func users(_ marks: [Mark]) -> Int { Set(marks.compactMap(\.user)).count }

  package func dailyCounts(app: AppID, dimension: Dimension, days: ClosedRange<Day>) async throws -> [DailyCount] {
    Dictionary(grouping: try marks(app, dimension, days)) { [AnyHashable($0.day), AnyHashable($0.key)] }.values
      .map { DailyCount(day: $0[0].day, key: $0[0].key.text, count: Self.sum($0)) }
      .filter { $0.count > 0 }.sorted { ($0.day, $0.key) < ($1.day, $1.key) }
  }

  package func count(app: AppID, dimension: Dimension, days: ClosedRange<Day>) async throws -> Int {
    Self.sum(try marks(app, dimension, days))
  }

  package func totals(
    app: AppID, dimension: Dimension, days: ClosedRange<Day>, limit: Int?
  ) async throws -> [KeyTotals] {
    Array(Self.totals(try marks(app, dimension, days), dimension).prefix(max(0, limit ?? .max)))
  }

  package func totals(
    app: AppID, dimension: Dimension, keys: [String], days: ClosedRange<Day>
  ) async throws -> [KeyTotals] {
    let marks = try marks(app, dimension, days)
    return keys.map { key in
      let own = marks.filter { $0.key == ExactText(key) }
      return KeyTotals(key: key, count: Self.sum(own), users: Self.users(own))
    }
  }

  package func series(
    app: AppID, dimension: Dimension, key: String, days: ClosedRange<Day>
  ) async throws -> [DailyTotals] {
    Dictionary(grouping: try marks(app, dimension, days).filter { $0.key == ExactText(key) }, by: \.day)
      .map { DailyTotals(day: $0.key, count: Self.sum($0.value), users: Self.users($0.value)) }
      .sorted { $0.day < $1.day }
  }

  /// Returns the installs active in the `length` days ending on a day.
  private static func active(_ rows: [Row], _ day: Day, _ length: Int) -> Int {
    let window = day.advanced(by: 1 - max(1, length))...day
    return Set(rows.filter { window.contains($0.day) }.map(\.install)).count
  }

  private func activeRows(_ app: AppID) throws -> [Row] {
    try stored().rows.filter { $0.app == app && $0.event.kind != .drops }
  }

  package func activity(app: AppID, days: ClosedRange<Day>) async throws -> [DailyActivity] {
    let rows = try activeRows(app)
    return days.map {
      DailyActivity(
        day: $0, daily: Self.active(rows, $0, 1), weekly: Self.active(rows, $0, 7), monthly: Self.active(rows, $0, 30))
    }
  }

  package func activeInstalls(app: AppID, days: ClosedRange<Day>, window: Int) async throws -> [DailyCount] {
    let rows = try activeRows(app)
    return days.map { DailyCount(day: $0, key: "", count: Self.active(rows, $0, window)) }
  }

  package func versions(app: AppID, names: [String]?, days: ClosedRange<Day>) async throws -> [KeyTotals] {
    let rows = try activeRows(app).filter { days.contains($0.day) }
    return Self.totals(
      rows.map { row in
        let name = row.device.appVersion.isEmpty ? DeviceLabels(row.device).version : row.device.appVersion
        return Mark(day: row.day, key: ExactText(name), count: row.event.kind == .event ? 1 : 0, user: row.install)
      }
    ).filter { total in names?.contains { $0.hasBytes(of: total.key) } ?? true }
      .sorted { ($1.users, $0.key) < ($0.users, $1.key) }
  }

  package func properties(
    app: AppID, event: String, days: ClosedRange<Day>, limit: Int
  ) async throws -> [PropertyTotals] {
    let rows = try stored().rows.filter {
      $0.app == app && days.contains($0.day) && $0.event.kind == .event && $0.event.name.hasBytes(of: event)
    }
    let pairs = rows.flatMap { row in
      row.event.properties.map {
        (name: ExactText($0.name), Mark(day: row.day, key: ExactText($0.value.text), count: 1, user: row.install))
      }
    }
    return Dictionary(grouping: pairs, by: \.name).map { name, pairs in
      PropertyTotals(
        property: name.text, count: pairs.count,
        values: Array(Self.totals(pairs.map(\.1)).prefix(max(0, limit))), isCapped: false)
    }.sorted { ($1.count, $0.property) < ($0.count, $1.property) }
  }

  package func sessionDurations(app: AppID, days: ClosedRange<Day>) async throws -> SessionDurations {
    let rows = try stored().rows.filter {
      $0.app == app && $0.event.session != 0 && ![.attachment, .attachmentPart].contains($0.event.kind)
    }
    var durations = SessionDurations()
    for session in Dictionary(grouping: rows, by: { [Int64($0.install), $0.event.session] }).values {
      guard let first = session.map(\.time).min(), let last = session.map(\.time).max(),
        days.contains(try day(first, app))
      else { continue }
      let event = session.filter { $0.event.kind == .event }.map(\.time).min()
      if let event, event - first <= 300_000 {
        let times = session.map(\.time).sorted()
        let pauses = zip(times, times.dropFirst()).map { $1 - $0 }.filter { $0 >= 1_800_000 }
        durations.add(milliseconds: SaturatingInt64(last - first - pauses.reduce(0, +)))
      } else {
        durations.unknown += 1
      }
    }
    return durations
  }

  package func ledger(app: AppID, since: Timestamp) async throws -> LedgerTotals {
    let found = try stored().ledgers.filter { $0.key.app == app && $0.value.received >= since.millisecondsSince1970 }
    func sum(_ field: KeyPath<DeviceLedger, SaturatingInt64>) -> Int {
      found.values.map { Int($0.ledger[keyPath: field].rawValue) }.saturatingSum
    }
    return LedgerTotals(
      installs: found.count, tracked: sum(\.tracked), delivered: sum(\.delivered), waiting: sum(\.waiting),
      inFlight: sum(\.inFlight), dropped: sum(\.dropped),
      updated: found.values.map(\.received).max().map { Timestamp(millisecondsSince1970: $0) })
  }

  package func recent(app: AppID, kinds: Set<StoredKind>, limit: Int) async throws -> [StoredEvent] {
    try stored().rows.reversed().filter { $0.app == app && kinds.contains($0.event.kind) }.prefix(max(0, limit))
      .map(\.listed)
  }
}

extension NaiveWarehouse.Row {
  /// The row as lists show it.
  var listed: StoredEvent {
    StoredEvent(
      id: id, kind: event.kind, name: event.name, time: Timestamp(millisecondsSince1970: time),
      received: Timestamp(millisecondsSince1970: received), install: install, user: event.user, device: device,
      properties: event.properties)
  }
}

extension PropertyValue {
  /// The text under which values are counted.
  fileprivate var text: String {
    switch self {
    case .string(let text): text
    case .integer(let number): "\(number)"
    case .double(let number): Int64(exactly: number).map { String($0) } ?? "\(number)"
    case .boolean(let flag): "\(flag)"
    case .date(let time): time.utcText(withMilliseconds: true)
    }
  }
}
