/// The table `uncounted_day`: days whose counts must be made again, because rows have come back or have changed, or the app has
/// another time zone.
///
/// Transactions that change rows add days, and a change of the time zone does before it counts the first.
/// ``SQLiteWarehouse/recountChangedDays(of:progress:)`` removes those that it has counted.
package struct UncountedDays: Sendable {
  /// The statements that create the table. A day may be there twice.
  static let schema = """
    CREATE TABLE uncounted_day (id INTEGER PRIMARY KEY AUTOINCREMENT, app INTEGER NOT NULL, day INTEGER NOT NULL);
    """

  /// Civil days by app.
  package private(set) var days: [Int64: Set<Int>] = [:]
  private var last: Int64 = 0

  /// Reads all days.
  package init(_ connection: SQLConnection) throws {
    let load = try connection.prepare("SELECT id, app, day FROM uncounted_day ORDER BY id")
    while try load.step() {
      last = load.integer(0)
      days[load.integer(1), default: []].insert(load.day(2))
    }
  }

  /// Adds days of an app, in the open transaction.
  package static func add(_ days: Set<Int>, app: Int64, _ connection: SQLConnection) throws {
    let insert = try connection.prepare("INSERT INTO uncounted_day (app, day) VALUES (?, ?)")
    for day in days.sorted() { try insert.bind(app, Int64(day)).run() }
  }

  /// True if days of an app must be counted again.
  package static func hasDays(of app: Int64, _ connection: SQLConnection) throws -> Bool {
    try connection.prepare("SELECT 1 FROM uncounted_day WHERE app = ?").bind(app).exists()
  }

  /// Removes the days of an app that were read, but not those added since.
  package func remove(app: Int64, _ connection: SQLConnection) throws {
    try connection.prepare("DELETE FROM uncounted_day WHERE app = ? AND id <= ?").bind(app, last).run()
  }
}
