package import DataFiles
import Warehouse

/// Opens `counts.sqlite`.
///
/// It is a file of its own because SQLite lets one connection at a time write to a file: counting never waits for
/// commits, nor commits for counting.
package enum CountFile {
  /// The name under which connections to `warehouse.sqlite` attach the file. Its tables are then found by their own
  /// names.
  package static let schema = "counts"

  /// Creates the file if it is missing, and converts one of an older version. The caller must hold the lock of the directory.
  package static func create(_ files: DataDirectory, _ configuration: WarehouseConfiguration) throws {
    let path = files.countsPath
    try files.createFile(path)
    let file = try SQLDatabase(path, isReadOnly: false)
    // In effect only for a new file.
    try file.execute("PRAGMA auto_vacuum = INCREMENTAL")
    try file.execute(DatabaseFormat.writeAheadLog)
    guard try CountSchema.format.state(path, integer: file.integer) != .current else { return }
    try file.execute("BEGIN IMMEDIATE")
    try CountSchema.format.prepare(path, integer: file.integer, execute: file.execute)
    try configuration.checkOwner()
    try file.execute("COMMIT")
  }

  /// Closes the write-ahead logs of both files, unless another process uses them.
  ///
  /// The last connection to a file does that if it may write. Those of a pool that are closed last may not.
  package static func closeLogs(_ files: DataDirectory) throws {
    for path in [files.warehousePath, files.countsPath] {
      _ = try SQLDatabase(path, isReadOnly: false).integer("SELECT count(*) FROM sqlite_schema")
    }
  }

  /// Opens a connection that counts rows: it reads the warehouse and writes only to the counts.
  static func open(_ files: DataDirectory, configuration: WarehouseConfiguration) throws -> SQLDatabase {
    let file = try SQLDatabase(files.warehousePath, isReadOnly: false)
    let path = files.countsPath.replacing("'", with: "''")
    // Every transaction is synced, although new rows could be counted again after a power failure: other work changes counts,
    // too, and removes what would tell to repeat it. This thread stores counts every half second at most, so a sync costs little.
    try file.execute(
      """
      ATTACH DATABASE '\(path)' AS \(schema);
      PRAGMA \(schema).secure_delete = FAST; PRAGMA \(schema).synchronous = FULL; PRAGMA \(schema).cache_size = -65536; PRAGMA cache_size = -4096;
      PRAGMA wal_autocheckpoint = \(configuration.checkpointPages);
      PRAGMA \(schema).journal_size_limit = \(64 << 20)
      """)
    if let pages = configuration.maximumPages { try file.execute("PRAGMA \(schema).max_page_count = \(pages)") }
    return file
  }
}
