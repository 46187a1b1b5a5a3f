package import DataFiles
import Warehouse

/// The tables of `warehouse.sqlite`; see docs/warehouse.md for the design.
package enum WarehouseSchema {
  /// The mark of `warehouse.sqlite` in its header: "TrnW".
  ///
  /// Its version is that of all files of the data directory but the catalog: a change to the format of rows, keys, columns or
  /// counts that an older program would misread needs another version here, if only with an empty step.
  package static let format = DatabaseFormat(
    applicationID: 0x5472_6E57,
    steps: [
      tables, rowsOfPieces, RetiredTable.schema, removedPieces, sessionStretches,
      RewritingTable.schema + endedDeletions, ErrorGroups.keySchema, UncountedDays.schema,
      ErrorGroups.typeSchema, columnsOfAliases,
    ])

  /// The statements that create the tables of version 1.
  private static let tables = names + events + ledger + views + errors + deletions + quarantine

  /// Version 2: a piece of an attachment knows the event that brought it; 0 if an import did, or version 1.
  private static let rowsOfPieces = """
    ALTER TABLE attachment_part ADD COLUMN row INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX attachment_part_row ON attachment_part (row);
    """

  /// Version 4: the events whose piece of an attachment had to make room, with the name of the error. A copy of the rows may
  /// still have the piece, and loses it when the error's person is deleted.
  private static let removedPieces = """
    CREATE TABLE removed_piece (row INTEGER PRIMARY KEY, app INTEGER NOT NULL, error TEXT NOT NULL);
    CREATE INDEX removed_piece_error ON removed_piece (app, error);
    """

  /// Version 5: `span_session` has each stretch of a session between its pauses; ``Writer/renewSessions()`` makes it again.
  private static let sessionStretches = """
    INSERT INTO state (name, value) SELECT 'renew_sessions', 1 WHERE EXISTS (SELECT 1 FROM span);
    """

  /// Version 6: the jobs whose deletions have ended.
  private static let endedDeletions = "CREATE TABLE ended_deletion (job INTEGER PRIMARY KEY);"

  /// Version 10: columns have aliases. An earlier program would make columns without them.
  private static let columnsOfAliases = ""

  /// IDs that texts, devices, error groups and attachments had before they were deleted are never used again, because
  /// readers may remember them.
  private static let names = """
    CREATE TABLE dictionary (
      id INTEGER PRIMARY KEY AUTOINCREMENT, app INTEGER NOT NULL, kind INTEGER NOT NULL, text TEXT NOT NULL,
      UNIQUE (app, kind, text)
    );
    CREATE TABLE device (
      id INTEGER PRIMARY KEY AUTOINCREMENT, app INTEGER NOT NULL, facts BLOB NOT NULL, UNIQUE (app, facts)
    );
    CREATE TABLE app (app INTEGER PRIMARY KEY, installs INTEGER NOT NULL);
    CREATE TABLE install (
      app INTEGER NOT NULL, name NOT NULL, slot INTEGER NOT NULL, first_day INTEGER NOT NULL, PRIMARY KEY (app, name)
    ) WITHOUT ROWID;
    CREATE INDEX install_slot ON install (app, slot);
    CREATE TABLE member (
      app INTEGER NOT NULL, name TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (app, name)
    ) WITHOUT ROWID;
    CREATE INDEX member_number ON member (app, number);
    CREATE TABLE member_count (app INTEGER PRIMARY KEY, members INTEGER NOT NULL);
    """

  /// The rows themselves are in segments; ``StoredSpan`` describes `span`. `write_probe` briefly holds a row while the
  /// writer checks that storing works again. `state` has the last row that `hit` includes.
  private static let events = """
    CREATE TABLE span (
      first_id INTEGER PRIMARY KEY, last_id INTEGER NOT NULL, segment INTEGER NOT NULL, offset INTEGER NOT NULL,
      bytes INTEGER NOT NULL, min_t INTEGER NOT NULL, max_t INTEGER NOT NULL, apps BLOB NOT NULL
    );
    CREATE TABLE write_probe (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
    CREATE TABLE hit (
      app INTEGER NOT NULL, slot INTEGER NOT NULL, t INTEGER NOT NULL, PRIMARY KEY (app, slot)
    ) WITHOUT ROWID;
    CREATE TABLE state (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE span_session (
      app INTEGER NOT NULL, first_id INTEGER NOT NULL, sessions BLOB NOT NULL, PRIMARY KEY (app, first_id)
    ) WITHOUT ROWID;
    CREATE TABLE reject (
      app INTEGER NOT NULL, day INTEGER NOT NULL, protocol TEXT NOT NULL, reason TEXT NOT NULL, n INTEGER NOT NULL,
      PRIMARY KEY (app, day, protocol, reason)
    ) WITHOUT ROWID;
    CREATE TABLE reject_sample (
      id INTEGER PRIMARY KEY, app INTEGER NOT NULL, received INTEGER NOT NULL, protocol TEXT NOT NULL,
      position INTEGER NOT NULL, event TEXT NOT NULL, reason TEXT NOT NULL, message TEXT NOT NULL
    );
    """

  private static let ledger = """
    CREATE TABLE ledger (
      app INTEGER NOT NULL, slot INTEGER NOT NULL, received INTEGER NOT NULL, tracked INTEGER NOT NULL,
      delivered INTEGER NOT NULL, waiting INTEGER NOT NULL, in_flight INTEGER NOT NULL, dropped INTEGER NOT NULL,
      PRIMARY KEY (app, slot)
    ) WITHOUT ROWID;
    """

  /// The reports of sealed days, the last row that each could count, and the states of users and orders that each has
  /// changed. Triggers protect them from changes. `view_open_day` stores the open days as counted when the server was
  /// closed.
  private static let views = """
    CREATE TABLE view_day (
      view INTEGER NOT NULL, day INTEGER NOT NULL, row INTEGER NOT NULL, present BLOB NOT NULL, metrics BLOB NOT NULL,
      PRIMARY KEY (view, day)
    ) WITHOUT ROWID;
    CREATE TABLE view_state (
      view INTEGER NOT NULL, user INTEGER NOT NULL, day INTEGER NOT NULL, state BLOB NOT NULL,
      PRIMARY KEY (view, user, day)
    ) WITHOUT ROWID;
    CREATE TABLE view_order (
      view INTEGER NOT NULL, id BLOB NOT NULL, day INTEGER NOT NULL, change BLOB NOT NULL,
      PRIMARY KEY (view, id, day)
    ) WITHOUT ROWID;
    CREATE TABLE view_open_day (
      view INTEGER NOT NULL, day INTEGER NOT NULL, rules TEXT NOT NULL, counted BLOB NOT NULL, PRIMARY KEY (view, day)
    );
    """ + sealedTables.map(immutable).joined()

  private static func immutable(_ table: String) -> String {
    """
    CREATE TRIGGER \(table)_update BEFORE UPDATE ON \(table)
    BEGIN SELECT raise(ABORT, 'sealed days must not change'); END;
    """ + undeletable(table)
  }

  private static func undeletable(_ table: String) -> String {
    """
    CREATE TRIGGER \(table)_delete BEFORE DELETE ON \(table)
    BEGIN SELECT raise(ABORT, 'sealed days must not change'); END;
    """
  }

  /// The statements that create the triggers against deletion again, after an app was deleted.
  package static let deletionTriggers = sealedTables.map(undeletable).joined()

  private static let sealedTables = ["view_day", "view_state", "view_order"]

  /// Details of errors beyond their event rows, whose IDs they share. Long texts are stored separately, so that lists don't
  /// have to read past them. `session` is 0 for none, and -1 for one whose rows have expired. `row` of an attachment is the
  /// event that brought its first piece; 0 if an import did.
  private static let errors = """
    CREATE TABLE error_group (
      id INTEGER PRIMARY KEY AUTOINCREMENT, app INTEGER NOT NULL, kind INTEGER NOT NULL, fingerprint INTEGER NOT NULL,
      type TEXT NOT NULL, place TEXT NOT NULL, message TEXT NOT NULL, UNIQUE (app, kind, fingerprint)
    );
    CREATE TABLE error (
      id INTEGER PRIMARY KEY, app INTEGER NOT NULL, grp INTEGER NOT NULL, t INTEGER NOT NULL, lag INTEGER NOT NULL,
      slot INTEGER NOT NULL, device INTEGER NOT NULL, session INTEGER NOT NULL, name TEXT NOT NULL, user TEXT
    );
    CREATE INDEX error_t ON error (app, t);
    CREATE INDEX error_group_t ON error (grp, t);
    CREATE TABLE error_text (
      id INTEGER PRIMARY KEY, app INTEGER NOT NULL, bytes INTEGER NOT NULL, name TEXT NOT NULL, message TEXT NOT NULL,
      stack TEXT NOT NULL, raw BLOB NOT NULL
    );
    CREATE INDEX error_text_app ON error_text (app);
    CREATE INDEX error_text_name ON error_text (app, name);
    CREATE TABLE attachment (
      id INTEGER PRIMARY KEY AUTOINCREMENT, app INTEGER NOT NULL, owner INTEGER NOT NULL, received INTEGER NOT NULL,
      error TEXT NOT NULL, name TEXT NOT NULL, file TEXT NOT NULL, type TEXT NOT NULL, parts INTEGER NOT NULL,
      stored INTEGER NOT NULL, bytes INTEGER NOT NULL, row INTEGER NOT NULL, UNIQUE (app, error, name)
    );
    CREATE INDEX attachment_owner ON attachment (app, owner);
    CREATE INDEX attachment_row ON attachment (row);
    CREATE TABLE attachment_part (
      id INTEGER PRIMARY KEY, attachment INTEGER NOT NULL, part INTEGER NOT NULL, data BLOB NOT NULL,
      UNIQUE (attachment, part)
    );
    CREATE TABLE error_room (app INTEGER PRIMARY KEY, claimed INTEGER NOT NULL, unclaimed INTEGER NOT NULL);
    """

  /// Deletions of persons that have begun, each with the last row that it concerns, and the days, numbers and texts of
  /// rows that are gone already: with them, a deletion that a crash interrupted can be completed. `lost_day` has the UTC
  /// days that lost rows, for the verification of sealed days. `refused_person` has hashes of the names of persons whose
  /// events are refused. `horizon` has the times before which the rows of an app are gone or about to go (`time`), and
  /// before which counts can no longer be made of rows (`counted`).
  private static let deletions = """
    CREATE TABLE deletion (
      id INTEGER PRIMARY KEY AUTOINCREMENT, app INTEGER NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL,
      slot INTEGER, through INTEGER NOT NULL, UNIQUE (app, kind, name)
    );
    CREATE TABLE deletion_trace (
      deletion INTEGER NOT NULL, kind TEXT NOT NULL, value NOT NULL, PRIMARY KEY (deletion, kind, value)
    ) WITHOUT ROWID;
    CREATE TABLE lost_day (app INTEGER NOT NULL, day INTEGER NOT NULL, PRIMARY KEY (app, day)) WITHOUT ROWID;
    CREATE TABLE horizon (app INTEGER PRIMARY KEY, time INTEGER NOT NULL, counted INTEGER);
    CREATE TABLE refused_person (app INTEGER NOT NULL, hash INTEGER NOT NULL, PRIMARY KEY (app, hash)) WITHOUT ROWID;
    """

  /// Rows that the server could not use: they are no longer in the segments. `row` is a block with the row. `day` is the
  /// civil day that must be counted again without the row; NULL once it is.
  private static let quarantine = """
    CREATE TABLE quarantine (
      id INTEGER PRIMARY KEY, app INTEGER NOT NULL, slot INTEGER NOT NULL, user TEXT NOT NULL, t INTEGER NOT NULL,
      day INTEGER, work TEXT NOT NULL, row BLOB NOT NULL
    );
    """
}
