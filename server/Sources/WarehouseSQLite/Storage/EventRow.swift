import Ingest
import Views
import Warehouse

/// One stored event, as a row of its month's table.
struct EventRow {
  var id: Int64
  var app: Int64
  /// The time of the event, within ``TimeBounds``.
  var time: Int64
  /// The delay until it was received, in milliseconds.
  var lag: Int64
  var slot: UInt32
  var device: Int64
  var session: Int64
  var flags: Flags
  var name: Int64
  var key: DuplicateKey?

  /// The kind of event, and flags of one bit each.
  struct Flags {
    var rawValue: Int64

    init(rawValue: Int64) { self.rawValue = rawValue }

    init(kind: StoredKind, startsSession: Bool, isMeasurement: Bool) {
      rawValue = Int64(kind.rawValue) | (startsSession ? 16 : 0) | (isMeasurement ? 32 : 0)
    }

    var kind: StoredKind { StoredKind(rawValue: Int(rawValue & 15)) ?? .other }
    var startsSession: Bool { rawValue & 16 != 0 }
    /// True for hits of the Measurement Protocol, whose sessions the warehouse derives.
    var isMeasurement: Bool { rawValue & 32 != 0 }
    static let nameLimitBit: Int64 = 64
    /// True if a name of the event, its properties or its device is counted as "(other)" because the app has too many.
    /// The row keeps the text.
    var isNameLimited: Bool {
      get { rawValue & Self.nameLimitBit != 0 }
      set { rawValue = newValue ? rawValue | Self.nameLimitBit : rawValue & ~Self.nameLimitBit }
    }
  }
}

/// A cursor over the rows of several months' tables, ordered by ID.
///
/// The writer counted them in this order, on which the caps of distinct values depend.
final class EventScan {
  private final class Source {
    let statement: SQLStatement
    var ranges: ArraySlice<ClosedRange<Int64>>
    var id: Int64 = 0

    init(_ statement: SQLStatement, _ ranges: [ClosedRange<Int64>]) {
      self.statement = statement
      self.ranges = ranges[...]
    }

    /// Moves to the next row, skipping empty ranges; returns false at the end.
    func advance() throws -> Bool {
      while try !statement.step() {
        guard let range = ranges.popFirst() else { return false }
        statement.bind(range.lowerBound, range.upperBound)
      }
      id = statement.integer(0)
      return true
    }
  }

  private static let columns = "id, app, t, lag, slot, device, session, kind, name, hash, ms, props, user"
  private var sources: [Source] = []
  private var current: Source?

  /// Creates a cursor over ID ranges by month, each in ascending order.
  init(_ connection: SQLConnection, _ ranges: [Int: [ClosedRange<Int64>]]) throws {
    for (month, ranges) in ranges {
      let statement = try connection.prepare(
        "SELECT \(Self.columns) FROM \(WarehouseSchema.table(month)) WHERE id >= ? AND id <= ? ORDER BY id")
      // Bounds that match nothing, so that the first step moves on to the first range.
      statement.bind(1, 0)
      let source = Source(statement, ranges)
      if try source.advance() { sources.append(source) }
    }
  }

  /// Creates a cursor over all rows with IDs in the range.
  convenience init(_ connection: SQLConnection, ids: ClosedRange<Int64>) throws {
    let months = try WarehouseSchema.months(connection)
    try self.init(connection, Dictionary(uniqueKeysWithValues: months.map { ($0, [ids]) }))
  }

  /// Returns the next row, or `nil` at the end.
  func next() throws -> EventRow? {
    if let current, try !current.advance() { sources.removeAll { $0 === current } }
    current = sources.min { $0.id < $1.id }
    guard let statement = current?.statement else { return nil }
    let time = statement.integer(2)
    let key =
      statement.isNull(9)
      ? nil
      : DuplicateKey(
        milliseconds: statement.isNull(10) ? time : statement.integer(10), hash: statement.integer(9))
    return EventRow(
      id: statement.integer(0), app: statement.integer(1), time: time, lag: statement.integer(3),
      slot: UInt32(clamping: statement.integer(4)), device: statement.integer(5), session: statement.integer(6),
      flags: EventRow.Flags(rawValue: statement.integer(7)), name: statement.integer(8), key: key)
  }

  /// The stored properties of the row last returned by `next`, valid until the next call.
  var properties: UnsafeRawBufferPointer {
    current?.statement.bytes(11) ?? UnsafeRawBufferPointer(start: nil, count: 0)
  }
  /// The user of the row last returned by `next`.
  var user: String { current?.statement.text(12) ?? "" }
}
