import GRDB
import Warehouse

/// Several changes in one transaction.
extension Catalog {
  /// The transaction of the current task.
  struct Transaction: @unchecked Sendable {
    // A database isn't Sendable, but `atomically` sets the value only for the thread that runs its body, which is the
    // one that has the database, and until the body ends.
    let database: Database
    /// The catalog to which it belongs: a process may have several.
    let catalog: ObjectIdentifier
  }

  @TaskLocal static var current: Transaction?

  /// The database of the transaction in which the caller runs; `nil` if it runs in none.
  var transaction: Database? {
    Self.current.flatMap { $0.catalog == ObjectIdentifier(self) ? $0.database : nil }
  }

  /// Makes changes in one transaction: all of them or none. Nothing else in this process or another changes the catalog
  /// until it ends.
  ///
  /// - Parameter body: Reads and changes through this catalog, on the calling thread.
  package func atomically<Value>(_ body: () throws -> Value) throws -> Value {
    let value = try writing { database in
      let transaction = Transaction(database: database, catalog: ObjectIdentifier(self))
      return try Self.$current.withValue(transaction) { try body() }
    }
    // So that this process sees changed apps at once. The changes are made even if that fails.
    if transaction == nil { _ = try? appDirectory.all() }
    return value
  }

  /// Runs one change of a transaction. If it throws, it is undone, even if the caller goes on.
  static func nested<Value>(in database: Database, _ body: (Database) throws -> Value) throws -> Value {
    var result: Result<Value, any Error>?
    try database.inSavepoint {
      do {
        result = .success(try body(database))
        return .commit
      } catch {
        result = .failure(error)
        return .rollback
      }
    }
    guard let result else { throw WarehouseError(.unavailable, "A change of the catalog has not run.") }
    return try result.get()
  }
}
