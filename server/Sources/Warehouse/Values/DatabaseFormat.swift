/// The application ID and version in the header of one of Tern's SQLite files.
package struct DatabaseFormat: Sendable {
  private let applicationID: Int64
  private let version: Int64

  package init(applicationID: Int64, version: Int64) {
    self.applicationID = applicationID
    self.version = version
  }

  /// Checks the header of a file; returns true if the file is empty and needs its tables.
  ///
  /// - Parameter integer: Runs a query and returns its only value.
  /// - Throws: ``WarehouseError`` if another version of Tern or another program has written the file.
  package func isEmpty(_ path: String, integer: (String) throws -> Int64?) throws -> Bool {
    let found = (try integer("PRAGMA application_id") ?? 0, try integer("PRAGMA user_version") ?? 0)
    if found == (applicationID, version) { return false }
    if found == (0, 0), try integer("SELECT count(*) FROM sqlite_schema") == 0 { return true }
    guard found.0 == applicationID, found.1 > 0 else {
      throw WarehouseError(
        code: .invalid, message: "\(path) wasn't written by this program. Choose another data directory with --data.")
    }
    throw WarehouseError(
      code: .invalid,
      message: found.1 > version
        ? "\(path) was written by a newer version of tern. Install that version, or restore an older backup."
        : "\(path) was written by a version of tern before its first release. Choose another directory with --data.")
  }

  /// Checks the header of a file and creates the tables of an empty one. Call it in a transaction.
  ///
  /// - Throws: ``WarehouseError`` if another version of Tern or another program has written the file.
  package func prepare(
    _ path: String, tables: String, integer: (String) throws -> Int64?, execute: (String) throws -> Void
  ) throws {
    guard try isEmpty(path, integer: integer) else { return }
    try execute(tables)
    try execute("PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version)")
  }
}
