import GRDB
import TernEvents
package import Warehouse

extension CatalogSchema {
  /// A group without a row is open.
  static let errorStates = """
    CREATE TABLE error_state (
      app INTEGER NOT NULL, grp INTEGER NOT NULL, status TEXT NOT NULL, note TEXT NOT NULL, version TEXT NOT NULL,
      author TEXT NOT NULL, changed INTEGER NOT NULL, PRIMARY KEY (app, grp)
    ) WITHOUT ROWID;
    """
}

extension AuditEntry.Action {
  static let errorChanged = Self("error status changed")
}

extension Catalog {
  /// Returns the states of an app's error groups, by their numbers.
  package func errorStates(app: AppID) throws -> [Int64: ErrorState] {
    try reading { database in
      let rows = try Row.fetchAll(database, sql: "SELECT * FROM error_state WHERE app = ?", arguments: [app.rawValue])
      return Dictionary(
        rows.map { row in
          (
            row["grp"],
            ErrorState(
              status: ErrorStatus(rawValue: row["status"]) ?? .open, note: row["note"], version: row["version"],
              author: row["author"], changed: Timestamp(millisecondsSince1970: row["changed"]))
          )
        }, uniquingKeysWith: { $1 })
    }
  }

  /// Sets the state of an error group, with the current time and originator.
  package func setErrorState(
    app: AppID, group: Int64, status: ErrorStatus, note: String, version: String
  ) throws -> ErrorState {
    guard note.count <= ErrorState.maximumNoteLength else {
      throw WarehouseError(
        .invalid, "A note can have up to \(ErrorState.maximumNoteLength) characters; this one has \(note.count).")
    }
    guard version.utf8.count <= 1_000 else { throw WarehouseError(.invalid, "A version can have up to 1000 bytes.") }
    let state = ErrorState(
      status: status, note: note, version: status == .closed ? version : "", author: AuditActor.current.name,
      changed: now())
    try writing { database in
      try database.execute(
        sql: """
          INSERT OR REPLACE INTO error_state (app, grp, status, note, version, author, changed)
          VALUES (?, ?, ?, ?, ?, ?, ?)
          """,
        arguments: [
          app.rawValue, group, status.rawValue, note, state.version, state.author, state.changed.millisecondsSince1970,
        ])
      let place = state.version.isEmpty ? "" : " in \(state.version)"
      try record(.errorChanged, "\(app): error \(group) \(status.rawValue)\(place)", database)
    }
    return state
  }

  /// Gives groups a state that another one has, with its time and originator: they were one group.
  package func copyErrorState(_ state: ErrorState, to groups: [Int64], app: AppID) throws {
    try writing { database in
      for group in groups {
        try database.execute(
          sql: """
            INSERT OR REPLACE INTO error_state (app, grp, status, note, version, author, changed)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
          arguments: [
            app.rawValue, group, state.status.rawValue, state.note, state.version, state.author,
            state.changed.millisecondsSince1970,
          ])
      }
    }
  }
}
