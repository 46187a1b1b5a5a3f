import Warehouse
import WarehouseSQLite

/// A row that was set aside.
struct QuarantinedRow: Sendable {
  var id: Int64
  var app: Int64
  /// The civil day of the app on which it happened.
  var day: Int

  /// The days whose counts may change: the next hit of its session, which begins it now, may be on a neighbouring one.
  var days: ClosedRange<Int> { day - 1...day + 1 }

  /// Returns the rows whose days have not been counted again without them yet.
  static func uncounted(_ connection: SQLConnection) throws -> [QuarantinedRow] {
    try connection.prepare("SELECT id, app, day FROM quarantine WHERE day IS NOT NULL").all {
      QuarantinedRow(id: $0.integer(0), app: $0.integer(1), day: $0.day(2))
    }
  }
}

extension Writer {
  /// Records that the day of a row was counted without it.
  func didCount(without row: QuarantinedRow) throws {
    try connection.prepare("UPDATE quarantine SET day = NULL WHERE id = ?").bind(row.id).run()
  }
}
