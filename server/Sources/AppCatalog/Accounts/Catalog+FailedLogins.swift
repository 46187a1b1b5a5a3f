import GRDB
import TernBase
import TernEvents
package import Warehouse

extension CatalogSchema {
  static let failedLogins = """
    CREATE TABLE failed_login (
      id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, address TEXT NOT NULL, first INTEGER NOT NULL,
      last INTEGER NOT NULL, n INTEGER NOT NULL, UNIQUE (name, address)
    );
    """
}

/// Failed logins: anyone can cause them, so they are counted rather than listed one by one.
extension Catalog {
  /// The number of names and addresses that are kept, those of the latest failures.
  static let maximumFailedLogins = 1_000
  private static let maximumNameBytes = 100

  /// Counts a failed login with a name, from the current originator's address.
  package func recordFailedLogin(_ name: String) throws {
    let (address, time) = (AuditActor.current.address, now().millisecondsSince1970)
    try writing { database in
      try database.execute(
        sql: """
          INSERT INTO failed_login (name, address, first, last, n) VALUES (?1, ?2, ?3, ?3, 1)
          ON CONFLICT (name, address) DO UPDATE SET last = ?3, n = n + 1
          """,
        arguments: [
          name.prefix(utf8Bytes: Self.maximumNameBytes), address.prefix(utf8Bytes: Self.maximumNameBytes), time,
        ])
      try database.execute(
        sql: """
          DELETE FROM failed_login WHERE (SELECT count(*) FROM failed_login) > ?1
            AND id = (SELECT id FROM failed_login ORDER BY last, id LIMIT 1)
          """, arguments: [Self.maximumFailedLogins])
    }
  }

  /// Returns the counts of failed logins, those with the latest failure first.
  package func failedLogins(limit: Int) throws -> [FailedLogins] {
    try reading { database in
      try Row.fetchAll(
        database, sql: "SELECT * FROM failed_login ORDER BY last DESC, id DESC LIMIT ?", arguments: [max(limit, 0)]
      ).map { row in
        FailedLogins(
          name: row["name"], address: row["address"], first: Timestamp(millisecondsSince1970: row["first"]),
          last: Timestamp(millisecondsSince1970: row["last"]), count: row["n"])
      }
    }
  }
}
