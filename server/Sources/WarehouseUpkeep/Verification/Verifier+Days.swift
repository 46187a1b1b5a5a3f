import RowFiles
import ServerBase
import TernBase
import Threads
import Warehouse
import WarehouseSQLite

extension Verifier {
  /// Adds the recounting of all days: for each range of days, one task for counts and users, and some for the properties
  /// of events. The last of them to end compares.
  func addDays(
    to tasks: ParallelTasks, _ connection: SQLConnection, _ progress: @escaping @Sendable (Int) -> Void
  ) throws {
    let read = Locked(0)
    for days in try dayRanges(connection) {
      let range = DayRange(
        days: days, spans: spans.filter { Self.days(of: $0.times).overlaps(days) },
        shares: ThreadKind.sharesOfAllRows)
      tasks.add {
        let rows = try self.countRollups(of: range)
        progress(
          read.withLock { read in
            read += rows
            return read
          })
      }
      for number in 0..<range.shares {
        tasks.add {
          try self.countProperties(
            of: range, share: PropertyAccumulator.Share(number: number, count: range.shares))
        }
      }
    }
  }

  /// A range of days that several threads count.
  private struct DayRange: Sendable {
    struct Counted {
      var rollups = RecountedRollups()
      var packs: [PropertyPacks.Group: [UInt8]] = [:]
      /// The number of tasks that have not ended.
      var left: Int
    }

    var days: ClosedRange<Int>
    var spans: [StoredSpan]
    /// The number of tasks that share the properties.
    var shares: Int
    let counted: Locked<Counted>

    init(days: ClosedRange<Int>, spans: [StoredSpan], shares: Int) {
      self.days = days
      self.spans = spans
      self.shares = shares
      counted = Locked(Counted(left: shares + 1))
    }
  }

  /// The number of occurrences of properties in memory, 8 bytes each, per thread.
  private static let pendingOccurrences = 2_000_000

  private func scan(_ range: DayRange) -> EventScan {
    EventScan(directory: directory, range.spans, through: through, damage: damage)
  }

  /// Counts counts and users. Returns the number of rows read.
  private func countRollups(of range: DayRange) throws -> Int {
    let rollups = RollupAccumulator()
    let calendars = calendars()
    let (scan, kept) = (scan(range), try lastKeptDays())
    var (read, events) = (0, 0)
    while let row = try scan.next() {
      read += 1
      let day = try calendars.calendar(row.app).day(of: row.time)
      guard range.days.contains(day), day > kept[row.app] ?? .min else { continue }
      events += 1
      try rollups.add(
        row, day: day, device: { try lookups.withLock { try $0.deviceKeys(row.device) } },
        properties: scan.properties)
    }
    let recounted = RecountedRollups(rollups)
    report.withLock { $0.events += events }
    try end(range) { $0.rollups = recounted }
    return read
  }

  /// Counts the values of a share of the properties.
  private func countProperties(of range: DayRange, share: PropertyAccumulator.Share) throws {
    let properties = PropertyAccumulator(seed: 0, store: nil, share: share)
    let calendars = calendars()
    let (scan, kept) = (scan(range), try lastKeptDays())
    var packs = PropertyPacks()
    while let row = try scan.next() {
      let day = try calendars.calendar(row.app).day(of: row.time)
      guard range.days.contains(day), day > kept[row.app] ?? .min else { continue }
      try properties.add(row, day: day, properties: scan.properties)
      if properties.pendingCount >= Self.pendingOccurrences { try packs.take(from: properties) }
    }
    try packs.take(from: properties)
    let merged = try packs.merged()
    try end(range) { $0.packs.merge(merged) { $1 } }
  }

  /// Adds a task's results. After the last task, compares.
  private func end(_ range: DayRange, _ add: (inout DayRange.Counted) -> Void) throws {
    let all: DayRange.Counted? = range.counted.withLock { counted in
      add(&counted)
      counted.left -= 1
      guard counted.left == 0 else { return nil }
      defer { counted = DayRange.Counted(left: 0) }
      return counted
    }
    guard var all else { return }
    let compared = try lookups.withLock { lookups in
      var comparison = RollupComparison(lookups.connection, days: range.days, lastKept: try lastKeptDays())
      try comparison.compare(&all.rollups)
      try comparison.compare(&all.packs)
      return comparison.report
    }
    report.withLock { $0.add(compared) }
  }

  /// Returns the civil days to which times may belong: in some time zones they begin a day before or after UTC.
  private static func days(of times: ClosedRange<Int64>) -> ClosedRange<Int> {
    Int(times.lowerBound / 86_400_000) - 2...Int(times.upperBound / 86_400_000) + 2
  }

  /// Returns all days with rows or rollups, split into ranges with a bounded number of rows if possible.
  private func dayRanges(_ connection: SQLConnection) throws -> [ClosedRange<Int>] {
    guard let all = try allDays(connection) else { return [] }
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

  private func allDays(_ connection: SQLConnection) throws -> ClosedRange<Int>? {
    var bounds = spans.map { Self.days(of: $0.times) }.flatMap { [$0.lowerBound, $0.upperBound] }
    for table in CountSchema.countTables {
      for extreme in ["min", "max"] {
        if let day = try connection.integer("SELECT \(extreme)(day) FROM \(table)") {
          bounds.append(TimeBounds.clamp(day: Int(day)))
        }
      }
    }
    guard let first = bounds.min(), let last = bounds.max() else { return nil }
    return first...last
  }
}
