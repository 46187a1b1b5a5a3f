import Warehouse

/// Work derived from stored rows. A bad row can make it trap, which ends the process.
package enum DerivedWork: Codable, Hashable, Sendable {
  /// Counting rows for reports.
  case counting(rows: ClosedRange<Int64>)
  /// Counting some days of an app again, from the rows up to one.
  case recounting(app: Int64, days: [Int], through: Int64)
  /// Adding rows to columns.
  case columns(rows: ClosedRange<Int64>)
  /// Counting a day of a view from the rows up to one.
  case viewDay(view: Int64, day: Int, through: Int64)
  /// Answering a question, in JSON, about the rows up to one.
  case question(kind: String, json: String, app: Int64, today: Int, through: Int64)
  /// Answering a request, given by its method and address.
  case request(String)

  /// Far more than there are rows: a damaged file may name any.
  private static let lastRow: Int64 = 1 << 62

  /// The identity of the work, whatever rows have arrived since.
  var key: String {
    switch self {
    // Both write to the counts, so none of them runs while the other is examined.
    case .counting, .recounting: "counting"
    case .columns: "columns"
    case .viewDay(let view, let day, _): "view \(view) day \(day)"
    case .question(let kind, let json, let app, let today, _): "question \(app) \(today) \(kind) \(json)"
    case .request(let line): "request \(line)"
    }
  }

  /// The rows that the work reads; `nil` if that isn't known.
  package var rows: ClosedRange<Int64>? {
    switch self {
    case .counting(let rows), .columns(let rows): rows.clamped(to: 1...Self.lastRow)
    case .recounting(_, _, let last), .viewDay(_, _, let last), .question(_, _, _, _, let last):
      last > 0 ? 1...min(last, Self.lastRow) : nil
    case .request: nil
    }
  }
}

extension DerivedWork: CustomStringConvertible {
  /// The work as messages name it.
  package var description: String {
    switch self {
    case .counting(let rows): "counting events \(rows.lowerBound) to \(rows.upperBound)"
    case .recounting(let app, let days, _): "counting \(days.count) days of app \(app) again"
    case .columns(let rows): "adding events \(rows.lowerBound) to \(rows.upperBound) to the columns of questions"
    case .viewDay(let view, let day, _): "counting \(Day(number: day)) of view \(view)"
    case .question(_, _, let app, _, _): "answering a question about app \(app)"
    case .request(let line): "answering \(line)"
    }
  }
}
