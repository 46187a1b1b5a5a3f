import GRDB
import GRDBSQLite

/// The compiled statements that GRDB keeps for a connection, each of which is used once at a time.
///
/// Belongs to one access to the connection, in which all uses begin and end.
final class KeptStatements {
  /// One use of a statement.
  struct Lease {
    let statement: Statement
    fileprivate let sql: String
    fileprivate let owner: KeptStatements

    /// Ends the use; the next one finds the statement without values.
    func end() {
      sqlite3_reset(statement.sqliteStatement)
      sqlite3_clear_bindings(statement.sqliteStatement)
      owner.inUse.remove(sql)
    }
  }

  private let database: Database
  private var inUse: Set<String> = []

  init(_ database: Database) { self.database = database }

  /// Returns a use of a statement; `nil` while another one lasts, and if the statement can't be compiled.
  func lease(_ sql: String) -> Lease? {
    guard !inUse.contains(sql), let statement = try? database.cachedStatement(sql: sql) else { return nil }
    inUse.insert(sql)
    return Lease(statement: statement, sql: sql, owner: self)
  }
}
