import GRDB
import RowFiles
import Warehouse

extension Writer {
  /// Creates a writer and finishes what a crash interrupted.
  static func recovered(
    _ pool: DatabasePool, _ files: DataDirectory, catalog: any CatalogStore, configuration: WarehouseConfiguration,
    damage: DamagedRows
  ) throws -> Writer {
    do {
      return try pool.writeWithoutTransaction { database in
        let writer = try Writer(
          SQLConnection(database), files: files, catalog: catalog, configuration: configuration, damage: damage,
          seed: .hashSeed())
        try writer.recover()
        try writer.renewSessions()
        return writer
      }
    } catch {
      throw WarehouseError.from(error)
    }
  }

  /// Computes the stored sessions again, once, where an earlier version stored them without their pauses.
  func renewSessions() throws {
    guard try connection.prepare("SELECT 1 FROM state WHERE name = 'renew_sessions'").exists() else { return }
    try transact {
      try SpanSessions.rebuild(connection, damage: damage)
      try connection.execute("DELETE FROM state WHERE name = 'renew_sessions'")
    }
  }
}
