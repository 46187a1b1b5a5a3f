import Ingest
import Reports
import ReportsTestSupport
import TernEvents
import Warehouse

/// The largest counts, on every day and under every key, and rows with the most extreme values.
struct ExtremeStore: ForwardingStore {
  let base: any MetricsStore
  let keys = ["", "a", "b"]

  static let numbers: [Int64] = [.min, .min + 1, -(1 << 62), -(1 << 53), -1, 0, 1, 1 << 53, 1 << 62, .max - 1, .max]
  static let fractions: [Double] = [
    1e308, -1e308, .greatestFiniteMagnitude, .leastNonzeroMagnitude, -0.0, .nan, .infinity, -.infinity, 0x1p63,
  ]

  static var values: [PropertyValue] {
    numbers.map { .integer($0) } + numbers.map { .date(Timestamp(millisecondsSince1970: $0)) }
      + fractions.map { .double($0) } + ["NaN", "-nan", "1e999", "-9223372036854775809"].map { .string($0) }
  }

  func dailyCounts(app: AppID, dimension: Dimension, days: ClosedRange<Day>) async throws -> [DailyCount] {
    days.flatMap { day in keys.map { DailyCount(day: day, key: $0, count: .max) } }
  }

  func count(app: AppID, dimension: Dimension, days: ClosedRange<Day>) async throws -> Int { .max }

  func totals(app: AppID, dimension: Dimension, days: ClosedRange<Day>, limit: Int?) async throws -> [KeyTotals] {
    keys.map { KeyTotals(key: $0, count: .max, users: .max) }
  }

  func totals(app: AppID, dimension: Dimension, keys: [String], days: ClosedRange<Day>) async throws -> [KeyTotals] {
    keys.map { KeyTotals(key: $0, count: .max, users: .max) }
  }

  func series(app: AppID, dimension: Dimension, key: String, days: ClosedRange<Day>) async throws -> [DailyTotals] {
    days.map { DailyTotals(day: $0, count: .max, users: 1) }
  }

  func activity(app: AppID, days: ClosedRange<Day>) async throws -> [DailyActivity] {
    days.map { DailyActivity(day: $0, daily: 1, weekly: .max, monthly: .max) }
  }

  func properties(app: AppID, event: String, days: ClosedRange<Day>, limit: Int) async throws -> [PropertyTotals] {
    [
      PropertyTotals(
        property: "p", count: .max, values: keys.map { KeyTotals(key: $0, count: .max, users: .max) }, isCapped: true)
    ]
  }

  func ledger(app: AppID, since: Timestamp) async throws -> LedgerTotals {
    LedgerTotals(
      installs: .max, tracked: .max, delivered: .max, waiting: .max, inFlight: .max, dropped: .max,
      updated: Timestamp(millisecondsSince1970: .min))
  }

  func errorVersions(app: AppID, since: [Int64: Timestamp]) async throws -> [Int64: Set<String>] { [:] }
  func errorSignature(app: AppID, error: Int64) async throws -> Int64? { 1 }
  func errorGroupMembers(app: AppID, _ group: Int64) async throws -> [Int64] { [group] }
  func errorGroupNumbers(app: AppID, _ ids: Set<Int64>) async throws -> [Int64: Int64] {
    Dictionary(uniqueKeysWithValues: ids.map { ($0, $0) })
  }

  func recent(app: AppID, kinds: Set<StoredKind>, limit: Int) async throws -> [StoredEvent] {
    try await base.recent(app: app, limit: 1).flatMap { row in
      Self.numbers.map { number in
        var row = row
        row.id = number
        row.install = Int(number)
        row.time = Timestamp(millisecondsSince1970: number)
        row.received = Timestamp(millisecondsSince1970: number)
        row.device.timeZoneOffsetMinutes = Int(number)
        row.properties = Self.values.enumerated().map { .init(name: "p\($0.offset)", value: $0.element) }
        return row
      }
    }
  }
}
