import DataFiles
import RowFiles
import ServerBase
import TernEvents
import Warehouse
import WarehouseSQLite

extension SQLiteWarehouse {
  /// The outcomes of an attempt to mend a segment.
  enum Mending: Sendable {
    /// All rows can be read; another attempt or a job may have moved them meanwhile.
    case notNeeded
    case mended
    /// Some rows can't be read, and the cluster can't give them all. Nothing has changed.
    case impossible(UnreadableSegment)
    /// As ``impossible(_:)``, but the cluster may have the rows in another form, or may get them yet.
    case waits(UnreadableSegment)
  }

  /// Reads rows from the cluster that can't be read at home, and rewrites their segment with them, in one transaction. The days
  /// of these rows are then counted again, also if the process ends before.
  ///
  /// Rows without a copy are never given up here: on another day, the disk may give them.
  ///
  /// - Throws: A `WarehouseError` with code `rowsAway` if the cluster has rows, but they can't be fetched, and with `unavailable` if
  ///   more rows become unreadable meanwhile. Then nothing has changed.
  func mendRows(in segment: Int64) async throws -> Mending {
    let unreadable = try await reader.reading { try UnreadableSegment(segment, $0) }
    guard let unreadable else { return .notNeeded }
    let cache = RetiredRowCache.of(files.rowsPath)
    let (copies, hasOthers) = try await reader.onFetchingThread { try unreadable.copies(cache) }
    guard unreadable.isCovered(by: copies) else {
      // The file of rows that have moved meanwhile is gone.
      let isUsed = try await reader.reading {
        try StoredSpan.segments($0).subtracting(RetiredTable.segments($0)).contains(segment)
      }
      guard isUsed else { return .notNeeded }
      for ids in unreadable.ids { damage.note(ids, in: unreadable.path) }
      return hasOthers ? .waits(unreadable) : .impossible(unreadable)
    }
    let pinned = try await reader.onFetchingThread { try cache.pin(copies) }
    defer { cache.unpin(pinned) }
    let apps = try await perform { writer in
      try writer.prepareRewriting()
      return try writer.mend(unreadable, copies)
    }
    guard let apps else { return .notNeeded }
    cache.discard(copies)
    for app in apps { reader.viewDays.forget(app: AppID(app)) }
    try await forgetLostRows()
    reader.updateColumns()
    return .mended
  }
}

/// A segment at home with rows that can't be read, or with a damaged header.
struct UnreadableSegment: Sendable, CustomStringConvertible {
  let number: Int64
  let path: String
  /// The rows that can't be read, ascending. Some IDs may have had no row.
  let ids: [ClosedRange<Int64>]

  init(number: Int64, path: String, ids: [ClosedRange<Int64>]) {
    (self.number, self.path, self.ids) = (number, path, ids)
  }

  /// `nil` if all rows can be read, or are not at home.
  init?(_ number: Int64, _ connection: SQLConnection) throws {
    guard try !RetiredTable.segments(connection).contains(number) else { return nil }
    let found = DamagedRows()
    let spans = try StoredSpan.all(connection).filter { $0.segment == number && !$0.bytes.isEmpty }
    let scan = EventScan(connection, spans, damage: found)
    while try scan.next() != nil {}
    guard scan.hasDamage else { return nil }
    (self.number, ids) = (number, found.ids)
    path = RowSegment.path(number, in: connection.rowsPath)
  }

  /// The number of events that can't be read, at most.
  var count: Int { ids.reduce(0) { $0 + $1.count } }

  var description: String {
    let ranges = ids.prefix(Self.namedRanges).map { "\($0.lowerBound) to \($0.upperBound)" }.joined(separator: ", ")
    let others = ids.count > Self.namedRanges ? " and others" : ""
    return
      "\(path) is damaged: \(grouped(count)) \(count == 1 ? "event" : "events") can't be read (\(ranges)\(others))."
  }

  private static let namedRanges = 5

  /// Returns the units with rows of it, in their order, and whether the cluster may have other copies.
  func copies(_ cache: RetiredRowCache) throws -> (units: [RetiredUnit], hasOthers: Bool) {
    let copies = try ids.map { try cache.copies(of: $0, segment: number) }
    let units = Set(copies.flatMap(\.units)).sorted { $0.ids.lowerBound < $1.ids.lowerBound }
    return (units, copies.contains(where: \.hasOthers))
  }

  /// True if units have all rows that can't be read.
  func isCovered(by units: [RetiredUnit]) -> Bool { lost(without: units).isEmpty }

  /// Returns the IDs that can't be read and that no unit has.
  func lost(without units: [RetiredUnit]) -> [ClosedRange<Int64>] {
    let units = units.map(\.ids).sorted { $0.lowerBound < $1.lowerBound }
    var lost: [ClosedRange<Int64>] = []
    for ids in ids {
      var next = ids.lowerBound
      for unit in units where unit.overlaps(ids) {
        if unit.lowerBound > next { lost.append(next...unit.lowerBound - 1) }
        next = max(next, unit.upperBound + 1)
      }
      if next <= ids.upperBound { lost.append(next...ids.upperBound) }
    }
    return lost
  }
}

extension Writer {
  /// Rewrites a segment, with copies in the place of rows that can't be read, and without the rows that have none.
  ///
  /// - Parameter copies: Units that are pinned.
  /// - Returns: The apps with rows in it; `nil` if the rows have moved since.
  func mend(_ segment: UnreadableSegment, _ copies: [RetiredUnit]) throws -> Set<Int64>? {
    let spans = try StoredSpan.all(connection).filter { $0.segment == segment.number }
    guard !spans.isEmpty, try !RetiredTable.segments(connection).contains(segment.number) else { return nil }
    let units = RetiredSegmentReader(copies, in: rows.directory)
    let found = DamagedRows()
    var apps = spans.reduce(into: Set<Int64>()) { $0.formUnion($1.apps) }
    var days: [Int64: Set<Int>] = [:]
    try transact {
      var calendars: [Int64: ZoneCalendar?] = [:]
      try rows.rewrite(
        spans, reading: { try self.scans(of: $0, units, found) },
        { row, scan in
          guard scan.readsCopies else { return .keep }
          apps.insert(row.app)
          // An app that is being deleted has none.
          let calendar = try calendars[row.app] ?? self.knownCalendar(row.app)
          calendars[row.app] = .some(calendar)
          if let day = calendar?.day(of: row.time) { days[row.app, default: []].insert(day) }
          return .keep
        })
      // More damage has been found since, and its copies are unknown.
      guard
        found.ids.allSatisfy({ ids in
          segment.ids.contains { $0.contains(ids.lowerBound) && $0.contains(ids.upperBound) }
        })
      else {
        throw WarehouseError(.unavailable, "\(segment.path) is damaged: ever more of its events can't be read.")
      }
      for (app, days) in days {
        // The zone may change before they are counted.
        try UncountedDays.add(days.reduce(into: []) { $0.formUnion([$1 - 1, $1, $1 + 1]) }, app: app, connection)
      }
      // What was made while some could not be read lacks them.
      try RewritingTable.note(staleColumnsOf: apps, connection)
      try connection.execute("DELETE FROM view_open_day")
      try renewSessions(of: spans)
    }
    damage.forget(segment.path)
    for ids in segment.lost(without: copies) { damage.note(ids, in: segment.path) }
    try rows.deleteLeftovers()
    return apps
  }

  private func knownCalendar(_ app: Int64) throws -> ZoneCalendar? {
    do {
      return try calendar(app)
    } catch let error as WarehouseError where error.code == .unknownApp {
      return nil
    }
  }

  /// Returns cursors over the rows of a span: over those that can be read, and between them over copies.
  ///
  /// - Parameter found: Records the rows that can't be read.
  private func scans(of span: StoredSpan, _ copies: RetiredSegmentReader, _ found: DamagedRows) throws -> [EventScan] {
    let damage = DamagedRows()
    let whole = EventScan(connection, [span], damage: damage)
    while try whole.next() != nil {}
    found.note(damage)
    var (scans, next): ([EventScan], Int64) = ([], span.ids.lowerBound)
    for ids in damage.ids {
      if next < ids.lowerBound {
        scans.append(EventScan(connection, [span], after: next - 1, through: ids.lowerBound - 1, damage: found))
      }
      scans.append(EventScan(copies, span, ids: ids))
      next = ids.upperBound + 1
    }
    if next <= span.ids.upperBound { scans.append(EventScan(connection, [span], after: next - 1, damage: found)) }
    return scans
  }
}
