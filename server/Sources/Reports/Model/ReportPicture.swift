/// The picture of a list on pages.
package enum ReportPicture: Sendable, Hashable {
  /// A chart over days for each group of columns, if the list has a row for every day of the range; by default one of the
  /// first three columns with numbers.
  case days([[String]]? = nil)
  /// Bars of the first column and lines of the others, with a place for each row.
  case bars(String, [String], of: Place)
  /// The flow of sessions from step to step.
  case flow
  /// A funnel of the rows whose first column is one of some keys, with the names of these stages.
  case stages([String: String])
  /// A table only.
  case none

  /// The kinds of places, whose number is in the first column.
  package enum Place: Sendable, Hashable {
    /// Hours of the day.
    case hour
    /// Minutes before the time of the request, the last one first.
    case minutesAgo
  }
}
