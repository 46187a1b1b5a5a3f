/// The tables `leftover_segment` and `stale_columns`: what must still go when rows are rewritten.
///
/// Rows move in one transaction; files can only be deleted before or after it. So a segment that is being written is noted before,
/// those whose rows have moved are noted in the transaction, and so are the apps that have lost rows, whose columns may still have
/// them. A start after a power loss finds the notes and deletes what they name.
package enum RewritingTable {
  /// The statements that create the tables.
  static let schema = """
    CREATE TABLE leftover_segment (number INTEGER PRIMARY KEY);
    CREATE TABLE stale_columns (app INTEGER PRIMARY KEY);
    """

  /// Notes segments whose files must go.
  package static func note(leftovers numbers: some Sequence<Int64>, _ connection: SQLConnection) throws {
    let insert = try connection.prepare("INSERT OR IGNORE INTO leftover_segment VALUES (?)")
    for number in numbers { try insert.bind(number).run() }
  }

  static func leftovers(_ connection: SQLConnection) throws -> [Int64] {
    try connection.prepare("SELECT number FROM leftover_segment ORDER BY number").all { $0.integer(0) }
  }

  /// Removes the note of a segment that gets rows, or whose file is gone.
  package static func remove(leftover number: Int64, _ connection: SQLConnection) throws {
    try connection.prepare("DELETE FROM leftover_segment WHERE number = ?").bind(number).run()
  }

  /// Notes apps that have lost rows.
  package static func note(staleColumnsOf apps: Set<Int64>, _ connection: SQLConnection) throws {
    let insert = try connection.prepare("INSERT OR IGNORE INTO stale_columns VALUES (?)")
    for app in apps { try insert.bind(app).run() }
  }

  package static func staleColumns(_ connection: SQLConnection) throws -> [Int64] {
    try connection.prepare("SELECT app FROM stale_columns").all { $0.integer(0) }
  }

  /// Removes the note of an app whose columns are gone.
  package static func remove(staleColumnsOf app: Int64, _ connection: SQLConnection) throws {
    try connection.prepare("DELETE FROM stale_columns WHERE app = ?").bind(app).run()
  }
}
