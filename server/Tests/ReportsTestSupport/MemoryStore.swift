package import Ingest
import TernBase
package import TernEvents
package import Warehouse

/// A source of metrics that counts a list of rows anew for each question: slow, and too simple to be wrong.
package struct MemoryStore: StubStore {
  /// One stored row on its day.
  package struct Row {
    package var day: Day
    package var kind: StoredKind = .event
    package var name = ""
    package var install = 0
    package var device = IncomingDevice()
    package var startsSession = false
    package var properties: [Properties.Element] = []
    /// For dropped: the reason and how many.
    package var dropped: (reason: String, count: Int)?

    /// Creates a row.
    package init(
      day: Day, kind: StoredKind = .event, name: String = "", install: Int = 0,
      device: IncomingDevice = IncomingDevice(), startsSession: Bool = false, properties: [Properties.Element] = [],
      dropped: (reason: String, count: Int)? = nil
    ) {
      self.day = day
      self.kind = kind
      self.name = name
      self.install = install
      self.device = device
      self.startsSession = startsSession
      self.properties = properties
      self.dropped = dropped
    }
  }

  package var rows: [Row] = []
  /// What the reports of errors get, whatever the range.
  package var groups: [ErrorGroup] = []
  package var occurrences: [ErrorOccurrence] = []
  package var detail: ErrorDetail?
  /// What the live report gets; newest first.
  package var latest: [StoredEvent] = []
  /// What the reports of views get.
  package var views = MemoryViews()
  /// What the dropped report says of devices, if it is new enough.
  package var ledger = LedgerTotals()

  /// Creates a source without rows.
  package init() {}

  package func dailyCounts(app: AppID, dimension: Dimension, days: ClosedRange<Day>) throws -> [DailyCount] {
    let groups = Dictionary(grouping: marks(dimension, days), by: { DayKey(day: $0.row.day, key: $0.key) })
    return groups.map { DailyCount(day: $0.key.day, key: $0.key.key, count: sum($0.value)) }
      .filter { $0.count > 0 }
      .sorted { ($0.day, $0.key) < ($1.day, $1.key) }
  }

  package func count(app: AppID, dimension: Dimension, days: ClosedRange<Day>) throws -> Int {
    sum(marks(dimension, days))
  }

  package func totals(app: AppID, dimension: Dimension, days: ClosedRange<Day>, limit: Int?) throws -> [KeyTotals] {
    let metrics = Dictionary(grouping: marks(dimension, days), by: \.key)
      .map { KeyTotals(key: $0.key, count: sum($0.value), users: users($0.value)) }
      .sorted { ($1.count, $0.key) < ($0.count, $1.key) }
    return Array(metrics.prefix(limit ?? .max))
  }

  package func total(app: AppID, dimension: Dimension, key: String, days: ClosedRange<Day>) throws -> KeyTotals {
    let found = marks(dimension, days).filter { $0.key == key }
    return KeyTotals(key: key, count: sum(found), users: users(found))
  }

  package func series(app: AppID, dimension: Dimension, key: String, days: ClosedRange<Day>) throws -> [DailyTotals] {
    Dictionary(grouping: marks(dimension, days).filter { $0.key == key }, by: \.row.day)
      .map { DailyTotals(day: $0.key, count: sum($0.value), users: users($0.value)) }
      .sorted { $0.day < $1.day }
  }

  package func activity(app: AppID, days: ClosedRange<Day>) throws -> [DailyActivity] {
    var installs: [Day: Set<Int>] = [:]
    for row in rows where row.dropped == nil { installs[row.day, default: []].insert(row.install) }
    func distinct(_ day: Day, _ length: Int) -> Int {
      (0..<length).reduce(into: Set<Int>()) { $0.formUnion(installs[day.advanced(by: -$1)] ?? []) }.count
    }
    return days.map {
      DailyActivity(day: $0, daily: distinct($0, 1), weekly: distinct($0, 7), monthly: distinct($0, 30))
    }
  }

  package func properties(app: AppID, event: String, days: ClosedRange<Day>, limit: Int) throws -> [PropertyTotals] {
    let found = rows.filter { $0.kind == .event && $0.name == event && days.contains($0.day) }
    let pairs = found.flatMap { row in row.properties.map { (name: $0.name, value: text($0.value), row: row) } }
    return Dictionary(grouping: pairs, by: \.name).map { name, pairs in
      let values = Dictionary(grouping: pairs, by: \.value)
        .map { KeyTotals(key: $0.key, count: $0.value.count, users: Set($0.value.map(\.row.install)).count) }
        .sorted { ($1.count, $0.key) < ($0.count, $1.key) }
      return PropertyTotals(
        property: name, count: pairs.count, values: Array(values.prefix(limit)), isCapped: values.count > 1_000)
    }.sorted { ($1.count, $0.property) < ($0.count, $1.property) }
  }

  package func ledger(app: AppID, since: Timestamp) throws -> LedgerTotals {
    (ledger.updated.map { $0 >= since } ?? false) ? ledger : LedgerTotals()
  }

  package func errorGroups(app: AppID, group: Int64?, days: ClosedRange<Day>, limit: Int) throws -> [ErrorGroup] {
    groups.filter { group == nil || $0.id == group }
  }

  package func errors(app: AppID, group: Int64, days: ClosedRange<Day>, limit: Int) throws -> [ErrorOccurrence] {
    occurrences.filter { $0.group == group }
  }

  package func hasErrorGroup(app: AppID, id: Int64) throws -> Bool {
    occurrences.contains { $0.group == id } || groups.contains { $0.id == id }
  }

  package func error(app: AppID, id: Int64) throws -> ErrorDetail? { detail?.occurrence.id == id ? detail : nil }

  package func recent(app: AppID, kinds: Set<StoredKind>, limit: Int) throws -> [StoredEvent] {
    Array(latest.filter { kinds.contains($0.kind) }.prefix(limit))
  }

  private struct DayKey: Hashable {
    var day: Day
    var key: String
  }

  private struct Mark {
    var row: Row
    var key: String
    var count: Int
  }

  private func sum(_ marks: [Mark]) -> Int { marks.map(\.count).saturatingSum }

  private func users(_ marks: [Mark]) -> Int { Set(marks.map(\.row.install)).count }

  private func marks(_ dimension: Dimension, _ days: ClosedRange<Day>) -> [Mark] {
    rows.lazy.filter { days.contains($0.day) }.compactMap { row in
      if let dropped = row.dropped {
        return dimension == .dropped ? Mark(row: row, key: dropped.reason, count: dropped.count) : nil
      }
      // Users of any kind, events of one kind only: the row is there, it just does not count.
      if dimension == .total { return Mark(row: row, key: "", count: row.kind == .event ? 1 : 0) }
      return key(row, dimension).map { Mark(row: row, key: $0, count: 1) }
    }
  }

  private func key(_ row: Row, _ dimension: Dimension) -> String? {
    switch dimension {
    case .session: row.startsSession ? "" : nil
    case .event: row.kind == .event ? row.name : nil
    case .screen: row.kind == .screen ? row.name : nil
    case .version: row.kind == .event ? "\(row.device.appVersion) (\(row.device.appBuild))" : nil
    case .os: row.kind == .event ? "\(row.device.osName) \(row.device.osVersion)" : nil
    case .model: row.kind == .event ? row.device.model : nil
    case .country: row.kind == .event ? row.device.country : nil
    case .total, .language, .dropped, .property, .kind: nil
    }
  }

  private func text(_ value: PropertyValue) -> String {
    switch value {
    case .string(let text): text
    case .integer(let number): String(number)
    case .double(let number): String(number)
    case .boolean(let flag): String(flag)
    case .date(let time): String(time.millisecondsSince1970)
    }
  }
}
