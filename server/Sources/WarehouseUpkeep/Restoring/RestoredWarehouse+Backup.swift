import RowFiles
import Warehouse
import WarehouseSQLite

extension RestoredWarehouse {
  /// Statements that copy from a whole backup what isn't in rows, and leave alone what is known from rows already. Names of persons
  /// are left out, since a deletion may have removed them after the backup.
  private static let adopting = [
    "INSERT INTO refused_person SELECT * FROM backup.refused_person",
    "INSERT INTO horizon SELECT * FROM backup.horizon",
    // Counts of days before the horizon name texts that no row names any longer.
    "INSERT OR IGNORE INTO dictionary SELECT * FROM backup.dictionary WHERE app IN (SELECT app FROM horizon)",
    "INSERT INTO reject SELECT * FROM backup.reject",
    "INSERT INTO reject_sample SELECT * FROM backup.reject_sample",
    """
    INSERT INTO ledger SELECT * FROM backup.ledger AS old
    WHERE EXISTS (SELECT 1 FROM install WHERE install.app = old.app AND install.slot = old.slot)
    """,
    // Unless attachments went to the cluster.
    """
    INSERT INTO attachment SELECT * FROM backup.attachment
    WHERE owner IN (SELECT id FROM error) AND (SELECT count(*) FROM main.attachment) = 0
    """,
    """
    INSERT INTO attachment_part SELECT * FROM backup.attachment_part
    WHERE attachment IN (SELECT id FROM main.attachment) AND (SELECT count(*) FROM main.attachment_part) = 0
    """,
    // No number is used again.
    """
    INSERT INTO sqlite_sequence SELECT * FROM backup.sqlite_sequence WHERE name NOT IN (SELECT name FROM sqlite_sequence)
    """,
    "INSERT INTO app SELECT * FROM backup.app WHERE true ON CONFLICT DO UPDATE SET installs = max(installs, excluded.installs)",
    """
    INSERT INTO member_count SELECT * FROM backup.member_count WHERE true
    ON CONFLICT DO UPDATE SET members = max(members, excluded.members)
    """,
    """
    UPDATE sqlite_sequence
    SET seq = max(seq, coalesce((SELECT old.seq FROM backup.sqlite_sequence AS old WHERE old.name = sqlite_sequence.name), 0))
    """,
  ]

  /// Copies the counts and the tables of a whole backup, for ``adopt(_:)``.
  ///
  /// - Returns: False if the backup has only a catalog.
  func copyTables(from backup: String) throws -> Bool {
    let (old, new) = (DataDirectory(path: backup), DataDirectory(path: unfinished))
    guard !old.isEmpty(old.warehousePath) else { return false }
    for (path, copy) in [(old.warehousePath, adoptedPath), (old.countsPath, new.countsPath)] where !old.isEmpty(path) {
      let source = try SQLDatabase(path)
      try source.begin()
      try source.copy(to: copy) {}
      try SQLDatabase.check(copy)
    }
    let format = try WarehouseSchema.format.state(adoptedPath, integer: SQLDatabase(adoptedPath).integer)
    guard format == .current else {
      throw WarehouseError(
        .invalid, "\(backup) is of an older version. Give only its catalog.sqlite, or convert it first.")
    }
    return true
  }

  /// Adds what the backup's tables have beside rows, after all rows were added.
  func adopt(_ connection: SQLConnection) throws {
    try connection.prepare("ATTACH DATABASE ? AS backup").bind(adoptedPath).run()
    do {
      try transact(connection) { for statement in Self.adopting { try connection.execute(statement) } }
    } catch {
      try? connection.execute("DETACH DATABASE backup")
      throw error
    }
    try connection.execute("DETACH DATABASE backup")
    for suffix in ["", "-wal", "-shm"] { try? StoredFile.delete(adoptedPath + suffix) }
  }

  private var adoptedPath: String { unfinished + "/backup.sqlite" }
}
