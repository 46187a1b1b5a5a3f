import Foundation
import Ingest

/// The first and last event of each session, in the order in which rows happen to be read.
///
/// Both are bounds over all rows, so events that come late or twice change nothing that counts.
private final class SessionBounds {
  private struct Bounds: BitwiseCopyable {
    var first: Int64
    var last: Int64
    var firstEvent: Int64
  }

  /// More sessions than this take more memory than one report may.
  static let maximumSessions = 4_000_000
  private static let unset = Bounds(first: .max, last: .min, firstEvent: .max)
  private let table = PairTable()
  private var bounds = Memory<Bounds>(count: 1_024, zero: unset)
  private var latest: (slot: Int64, session: Int64, number: Int) = (-1, 0, 0)

  @inline(__always)
  func add(slot: Int64, session: Int64, time: Int64, isEvent: Bool) {
    if latest.session != session || latest.slot != slot {
      let (number, isNew) = table.number(UInt64(bitPattern: slot), UInt64(bitPattern: session))
      if isNew, number == bounds.count { bounds = bounds.grown(to: number * 2, zero: Self.unset) }
      latest = (slot, session, number)
    }
    let number = latest.number
    bounds[number].first = min(bounds[number].first, time)
    bounds[number].last = max(bounds[number].last, time)
    if isEvent { bounds[number].firstEvent = min(bounds[number].firstEvent, time) }
  }

  var count: Int { table.count }

  func durations(days: ClosedRange<Day>, calendar: ZoneCalendar) -> SessionDurations {
    var durations = SessionDurations()
    for number in 0..<table.count {
      let bounds = bounds[number]
      guard days.contains(Day(number: calendar.day(of: bounds.first))) else { continue }
      // App Center leaves out sessions that show no sign of use soon after they began.
      if bounds.firstEvent == .max || bounds.firstEvent - bounds.first > 300_000 {
        durations.unknown += 1
      } else {
        durations.add(milliseconds: bounds.last - bounds.first)
      }
    }
    return durations
  }
}

extension WarehouseReader {
  /// How far a session may reach beyond the range in which it began.
  private static let longest: Int64 = 86_400_000

  /// How long sessions lasted; see ``AppCenterFigures/sessionDurations(app:days:)``.
  ///
  /// Counted from the rows when it is asked for: to keep it up to date would cost each event more than it costs to be
  /// stored, for a figure that few look at.
  public func sessionDurations(app: AppID, days: ClosedRange<Day>) throws -> SessionDurations {
    try reading { connection in
      guard let zone = try catalog.app(app)?.timeZone, let calendar = ZoneCalendar(zone) else {
        return SessionDurations()
      }
      let around = Self.times(around: days)
      let times = around.lowerBound - Self.longest...around.upperBound + Self.longest
      let sessions = SessionBounds()
      for span in try StoredSpan.all(connection, through: .max) {
        guard span.apps?.contains(app.rawValue) ?? true, span.times?.overlaps(times) ?? true else { continue }
        try read(span, of: app, times, into: sessions, connection)
        guard sessions.count <= SessionBounds.maximumSessions else {
          throw WarehouseError(
            code: .invalid, message: "There are too many sessions in this range. Ask for fewer days at a time.")
        }
      }
      return sessions.durations(days: days, calendar: calendar)
    }
  }

  private func read(
    _ span: StoredSpan, of app: AppID, _ times: ClosedRange<Int64>, into sessions: SessionBounds,
    _ connection: SQLConnection
  ) throws {
    let rows = try connection.prepare(
      """
      SELECT slot, session, t, kind & 15, app FROM \(WarehouseSchema.table(span.month)) WHERE id BETWEEN ? AND ?
      """)
    rows.bind(span.ids.lowerBound, span.ids.upperBound)
    let (attachment, part) = (Int64(StoredKind.attachment.rawValue), Int64(StoredKind.attachmentPart.rawValue))
    while try rows.step() {
      let (session, time, kind) = (rows.integer(1), rows.integer(2), rows.integer(3))
      guard session != 0, rows.integer(4) == app.rawValue, times.contains(time), kind != attachment, kind != part
      else { continue }
      sessions.add(
        slot: rows.integer(0), session: session, time: time, isEvent: kind == Int64(StoredKind.event.rawValue))
    }
  }

  /// Distinct installs in the days that end with each; see ``AppCenterFigures/activeInstalls(app:days:window:)``.
  public func activeInstalls(app: AppID, days: ClosedRange<Day>, window: Int) throws -> [DailyCount] {
    let earliest = Day(number: days.lowerBound.number - max(0, window - 1))
    let sets = try dailySets(app, earliest...days.upperBound)
    let ordered = (earliest.number...days.upperBound.number).map { sets[$0] }
    let counts = RollingUnion.counts(ordered, window: window)
    return days.map { DailyCount(day: $0, key: "", count: counts[$0.number - earliest.number]) }
  }

  /// Versions without their builds; see ``AppCenterFigures/versions(app:days:)``.
  public func versions(app: AppID, days: ClosedRange<Day>) throws -> [KeyFigures] {
    try reading { connection in
      var counts: [String: Int] = [:]
      var sets: [String: SlotSet] = [:]
      for (table, column) in [("cnt", "n"), ("usr", "slots")] {
        let statement = try connection.prepare(
          "SELECT key, \(column) FROM \(table) WHERE app = ? AND dim = ? AND day BETWEEN ? AND ?")
        bind(statement, app, .version, days)
        while try statement.step() {
          let name = Self.withoutBuild(try text(statement.integer(0), .version, connection))
          if table == "cnt" {
            counts[name, default: 0].addSaturated(Int(statement.integer(1)))
          } else {
            let set = try Self.slots(statement.bytes(1))
            if let union = sets[name] { union.formUnionLazily(set) } else { sets[name] = set }
          }
        }
      }
      for set in sets.values { set.repair() }
      return Set(counts.keys).union(sets.keys)
        .map { KeyFigures(key: $0, count: counts[$0] ?? 0, users: sets[$0]?.count ?? 0) }
        .sorted { ($1.users, $0.key) < ($0.users, $1.key) }
    }
  }

  /// `3.2.0` of `3.2.0 (418)`.
  private static func withoutBuild(_ version: String) -> String {
    guard version.hasSuffix(")"), let open = version.range(of: " (", options: .backwards) else { return version }
    return String(version[..<open.lowerBound])
  }
}
