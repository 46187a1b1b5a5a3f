import Warehouse

/// The format of one of Tern's SQLite files: its mark, and how each version is made of the one before.
///
/// The header of the file says which program has written it (`application_id`) and in which version (`user_version`). A file
/// of an older version is converted when it is opened for writing; one of a newer version is refused.
package struct DatabaseFormat: Sendable {
  /// The version of a file, compared with this program's.
  package enum State: Equatable, Sendable {
    /// The file has no tables yet.
    case empty
    case current
    /// The file has an older version and must be converted.
    case older(Int64)
  }

  /// The statement that gives a file a write-ahead log. Run it to its end before a connection is used: SQLite answers `wal` before it
  /// commits the change, and `DatabasePool` reads the answer only. If that commit fails, its file keeps a rollback journal, of which a
  /// power loss can bring back what was deleted, and with it undo a commit.
  package static let writeAheadLog = "PRAGMA journal_mode = WAL"

  package let applicationID: Int64
  package let steps: [String]
  private var version: Int64 { Int64(steps.count) }

  /// Creates a format.
  ///
  /// - Parameters:
  ///   - applicationID: The mark in the header.
  ///   - steps: The statements that make the tables of version 1, then those that make each further version of the one
  ///     before. Those that main has had never change, because people run its builds.
  package init(applicationID: Int64, steps: [String]) {
    self.applicationID = applicationID
    self.steps = steps
  }

  /// Reads the header of a file.
  ///
  /// - Parameter integer: Runs a query and returns its only value.
  /// - Throws: ``WarehouseError`` if a newer version of Tern or another program has written the file.
  package func state(_ path: String, integer: (String) throws -> Int64?) throws -> State {
    let found = (try integer("PRAGMA application_id") ?? 0, try integer("PRAGMA user_version") ?? 0)
    if found == (applicationID, version) { return .current }
    if found == (0, 0), try integer("SELECT count(*) FROM sqlite_schema") == 0 { return .empty }
    guard found.0 == applicationID, found.1 > 0 else {
      throw WarehouseError(
        .invalid, "\(path) wasn't written by this program. Choose another data directory with --data.")
    }
    guard found.1 < version else {
      throw WarehouseError(
        .invalid, "\(path) was written by a newer version of tern. Install that version, or restore an older backup.")
    }
    return .older(found.1)
  }

  /// Creates the tables of an empty file, or converts those of an older version. Call it in a transaction, so that a file
  /// is converted as a whole or not at all.
  ///
  /// - Throws: ``WarehouseError`` if a newer version of Tern or another program has written the file.
  package func prepare(
    _ path: String, integer: (String) throws -> Int64?, execute: (String) throws -> Void
  ) throws {
    let done =
      switch try state(path, integer: integer) {
      case .empty: 0
      case .current: steps.count
      case .older(let version): Int(version)
      }
    guard done < steps.count else { return }
    for step in steps[done...] { try execute(step) }
    try execute("PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version)")
  }
}
