package import Views
package import Warehouse

extension ViewReading {
  /// Begins to read the hits of a view, with the counted days that a reader keeps.
  package convenience init(
    _ view: View, _ connection: SQLConnection, _ reader: WarehouseReader, live: LiveView? = nil,
    rules: CustomRules? = nil, now: Int64? = nil
  ) throws {
    let sources = Sources(
      days: reader.viewDays, spanDays: reader.spanDays, journal: reader.journal, dictionary: reader.dictionary,
      catalog: reader.catalog)
    try self.init(view, connection, sources, live: live, rules: rules, now: now)
  }
}
