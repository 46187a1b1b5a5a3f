import DataFiles
import Warehouse

/// The tables of `counts.sqlite`: everything that is counted from rows. Missing counts are counted again at the start.
package enum CountSchema {
  /// The mark of `counts.sqlite` in its header: "TrnN".
  static let format = DatabaseFormat(applicationID: 0x5472_6E4E, steps: [tables])

  package static let countTables = ["daily_count", "daily_users", "property_values"]

  /// The statements that create the tables of version 1. `counted` has a single row: the ID of the last event that the counts include.
  private static let tables = """
    CREATE TABLE counted (id INTEGER PRIMARY KEY CHECK (id = 1), row INTEGER NOT NULL);
    INSERT INTO counted VALUES (1, 0);
    CREATE TABLE daily_count (
      app INTEGER NOT NULL, dim INTEGER NOT NULL, day INTEGER NOT NULL, key INTEGER NOT NULL, n INTEGER NOT NULL,
      PRIMARY KEY (app, dim, day, key)
    ) WITHOUT ROWID;
    CREATE TABLE daily_users (
      app INTEGER NOT NULL, dim INTEGER NOT NULL, day INTEGER NOT NULL, key INTEGER NOT NULL, n INTEGER NOT NULL,
      slots BLOB NOT NULL, PRIMARY KEY (app, dim, day, key)
    ) WITHOUT ROWID;
    CREATE TABLE property_values (
      app INTEGER NOT NULL, day INTEGER NOT NULL, event INTEGER NOT NULL, property INTEGER NOT NULL,
      part INTEGER NOT NULL, pack BLOB NOT NULL, PRIMARY KEY (app, day, event, property, part)
    ) WITHOUT ROWID;
    """

  /// Returns the ID of the last row that the counts include.
  package static func countedRow(_ connection: SQLConnection) throws -> Int64 {
    try connection.prepare(kept: "SELECT row FROM counted").first { $0.integer(0) } ?? 0
  }
}
