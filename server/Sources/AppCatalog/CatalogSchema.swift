import Warehouse

/// The tables of `catalog.sqlite`.
enum CatalogSchema {
  /// The mark of `catalog.sqlite` in its header: "TrnA".
  static let format = DatabaseFormat(
    applicationID: 0x5472_6E41,
    steps: [tables, symbols, alerts, mailReports, identities, imported, zoneData, percentages])

  /// The statements that create the tables of version 1.
  private static let tables = apps + access + views + definitions + segments + jobs + boards + errors

  /// `keeping` is the period for which rows are kept, or null for ever.
  private static let apps = """
    CREATE TABLE app (
      id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, key TEXT NOT NULL UNIQUE,
      app_secret TEXT NOT NULL UNIQUE, tracking_id TEXT NOT NULL UNIQUE, time_zone TEXT NOT NULL,
      created INTEGER NOT NULL, keeping TEXT
    );
    CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    """

  /// `hash` is the SHA-256 of a random secret of 192 bits; `password` is the salted scrypt hash of a chosen one. `apps` is
  /// a list of numbers, or null for all. The first account is the owner who gets the first login link. Rows of `audit` can
  /// be deleted only in a transaction that says in `audit_pruning` before which number.
  private static let access = """
    CREATE TABLE account (
      id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE COLLATE NOCASE, role TEXT NOT NULL, apps TEXT,
      personal INTEGER NOT NULL, password TEXT, last_login INTEGER
    );
    INSERT INTO account (name, role, personal) VALUES ('owner', 'owner', 1);
    CREATE TABLE login_code (account INTEGER PRIMARY KEY, hash BLOB NOT NULL, expires INTEGER NOT NULL);
    CREATE TABLE session (
      id INTEGER PRIMARY KEY AUTOINCREMENT, hash BLOB NOT NULL UNIQUE, account INTEGER NOT NULL, created INTEGER NOT NULL,
      used INTEGER NOT NULL, expires INTEGER NOT NULL, address TEXT NOT NULL, browser TEXT NOT NULL
    );
    CREATE TABLE token (
      id INTEGER PRIMARY KEY AUTOINCREMENT, hash BLOB NOT NULL UNIQUE, name TEXT NOT NULL, scopes TEXT NOT NULL,
      app INTEGER, created INTEGER NOT NULL, used INTEGER, expires INTEGER
    );
    CREATE TABLE link (
      id INTEGER PRIMARY KEY AUTOINCREMENT, hash BLOB NOT NULL UNIQUE, app INTEGER NOT NULL, report TEXT NOT NULL,
      query TEXT NOT NULL, sites TEXT NOT NULL, created INTEGER NOT NULL, expires INTEGER
    );
    CREATE TABLE audit (
      id INTEGER PRIMARY KEY AUTOINCREMENT, time INTEGER NOT NULL, actor TEXT NOT NULL, address TEXT NOT NULL,
      action TEXT NOT NULL, subject TEXT NOT NULL
    );
    CREATE TRIGGER audit_is_never_changed BEFORE UPDATE ON audit BEGIN SELECT raise(ABORT, 'append only'); END;
    CREATE TABLE audit_pruning (before INTEGER NOT NULL);
    CREATE TRIGGER audit_is_only_pruned BEFORE DELETE ON audit
    WHEN old.id >= coalesce((SELECT max(before) FROM audit_pruning), old.id)
    BEGIN SELECT raise(ABORT, 'append only'); END;
    CREATE TABLE failed_login (
      id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, address TEXT NOT NULL, first INTEGER NOT NULL,
      last INTEGER NOT NULL, n INTEGER NOT NULL, UNIQUE (name, address)
    );
    """

  /// `view` has a view's first rules; `view_rule` has later ones, each with the day from which it applies.
  private static let views = """
    CREATE TABLE view (
      id INTEGER PRIMARY KEY AUTOINCREMENT, app INTEGER NOT NULL, name TEXT NOT NULL, lateness TEXT NOT NULL,
      filters TEXT NOT NULL, timeout INTEGER NOT NULL, campaign_days INTEGER NOT NULL, quotas INTEGER NOT NULL,
      currency TEXT NOT NULL, identity TEXT NOT NULL
    );
    CREATE TABLE view_zone (
      view INTEGER NOT NULL, start INTEGER NOT NULL, zone TEXT NOT NULL, PRIMARY KEY (view, start)
    ) WITHOUT ROWID;
    CREATE TABLE view_rule (
      view INTEGER NOT NULL, day INTEGER NOT NULL, lateness TEXT NOT NULL, filters TEXT NOT NULL,
      timeout INTEGER NOT NULL, campaign_days INTEGER NOT NULL, quotas INTEGER NOT NULL, currency TEXT NOT NULL,
      identity TEXT NOT NULL, PRIMARY KEY (view, day)
    ) WITHOUT ROWID;
    """

  /// Work on the warehouse that the process with its lock does, one after the other. `message` is the result, or NULL.
  private static let jobs = """
    CREATE TABLE job (
      id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, app INTEGER NOT NULL, argument TEXT NOT NULL,
      is_failed INTEGER NOT NULL DEFAULT 0, message TEXT, progress TEXT, is_blocked INTEGER NOT NULL DEFAULT 0
    );
    """

  /// A group without a row is open.
  private static let errors = """
    CREATE TABLE error_state (
      app INTEGER NOT NULL, grp INTEGER NOT NULL, status TEXT NOT NULL, note TEXT NOT NULL, version TEXT NOT NULL,
      author TEXT NOT NULL, changed INTEGER NOT NULL, PRIMARY KEY (app, grp)
    ) WITHOUT ROWID;
    """

  private static let definitions = """
    CREATE TABLE definition (
      app INTEGER NOT NULL, kind TEXT NOT NULL, number INTEGER NOT NULL, name TEXT NOT NULL, type TEXT NOT NULL,
      PRIMARY KEY (app, kind, number)
    ) WITHOUT ROWID;
    CREATE TABLE definition_rule (
      app INTEGER NOT NULL, kind TEXT NOT NULL, number INTEGER NOT NULL, start INTEGER NOT NULL,
      scope TEXT NOT NULL, active INTEGER NOT NULL, PRIMARY KEY (app, kind, number, start)
    ) WITHOUT ROWID;
    """

  /// `cards` is a JSON array. `day` is a number of days since 1970.
  private static let boards = """
    CREATE TABLE dashboard (
      id INTEGER PRIMARY KEY AUTOINCREMENT, app INTEGER NOT NULL, name TEXT NOT NULL, cards TEXT NOT NULL,
      author TEXT NOT NULL, changed INTEGER NOT NULL
    );
    CREATE INDEX dashboard_app ON dashboard (app);
    CREATE TABLE annotation (
      id INTEGER PRIMARY KEY AUTOINCREMENT, app INTEGER NOT NULL, day INTEGER NOT NULL, text TEXT NOT NULL,
      author TEXT NOT NULL, created INTEGER NOT NULL
    );
    CREATE INDEX annotation_app ON annotation (app, day);
    """

  /// Version 2. `hash` is the name of the file in the folder `symbols`, which several apps can share.
  private static let symbols = """
    CREATE TABLE symbols (
      app INTEGER NOT NULL, build_id TEXT NOT NULL, architecture TEXT NOT NULL, image TEXT NOT NULL, hash TEXT NOT NULL,
      bytes INTEGER NOT NULL, has_lines INTEGER NOT NULL, text_address INTEGER NOT NULL, author TEXT NOT NULL,
      uploaded INTEGER NOT NULL, PRIMARY KEY (app, build_id)
    ) WITHOUT ROWID;
    CREATE INDEX symbols_by_hash ON symbols (hash);
    """

  /// `filters` is a JSON array.
  private static let segments = """
    CREATE TABLE segment (
      id INTEGER PRIMARY KEY AUTOINCREMENT, app INTEGER NOT NULL, name TEXT NOT NULL, filters TEXT NOT NULL,
      author TEXT NOT NULL, changed INTEGER NOT NULL
    );
    CREATE INDEX segment_by_app ON segment (app);
    """

  /// `app` is null for an alert about the server. `state` is an `AlertState`. A row of `delivery` is to be sent at
  /// `next`; if that is null, it was delivered or given up.
  private static let alerts = """
    CREATE TABLE alert (
      id INTEGER PRIMARY KEY AUTOINCREMENT, app INTEGER, name TEXT NOT NULL, condition TEXT NOT NULL,
      minimum_users INTEGER NOT NULL, destinations TEXT NOT NULL, muted_until INTEGER, state TEXT NOT NULL,
      author TEXT NOT NULL, changed INTEGER NOT NULL
    );
    CREATE INDEX alert_app ON alert (app);
    CREATE TABLE notification (
      id TEXT PRIMARY KEY, alert INTEGER NOT NULL, time INTEGER NOT NULL, message TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX notification_alert ON notification (alert, time);
    CREATE TABLE delivery (
      id INTEGER PRIMARY KEY AUTOINCREMENT, notification TEXT NOT NULL, destination TEXT NOT NULL,
      failures INTEGER NOT NULL DEFAULT 0, next INTEGER, is_delivered INTEGER NOT NULL DEFAULT 0,
      answer TEXT NOT NULL DEFAULT ''
    );
    CREATE INDEX delivery_next ON delivery (next) WHERE next IS NOT NULL;
    CREATE INDEX delivery_notification ON delivery (notification);
    """

  /// Version 4. `dashboard` is null for the overview. `sent` is a number of days since 1970. A notification belongs
  /// to an alert or to a report.
  private static let mailReports = """
    CREATE TABLE mail_report (
      id INTEGER PRIMARY KEY AUTOINCREMENT, app INTEGER NOT NULL, dashboard INTEGER, cadence TEXT NOT NULL,
      hour INTEGER NOT NULL, recipients TEXT NOT NULL, sent INTEGER NOT NULL, is_requested INTEGER NOT NULL DEFAULT 0,
      author TEXT NOT NULL, created INTEGER NOT NULL
    );
    CREATE INDEX mail_report_app ON mail_report (app);
    CREATE TABLE new_notification (
      id TEXT PRIMARY KEY, alert INTEGER, report INTEGER, time INTEGER NOT NULL, message TEXT NOT NULL
    ) WITHOUT ROWID;
    INSERT INTO new_notification SELECT id, alert, NULL, time, message FROM notification;
    DROP TABLE notification;
    ALTER TABLE new_notification RENAME TO notification;
    CREATE INDEX notification_alert ON notification (alert, time);
    CREATE INDEX notification_report ON notification (report, time);
    """

  /// People as identity providers name them. An account belongs to one person of a provider. `provider` is the id of the
  /// provider with which a session began, or null.
  private static let identities = """
    CREATE TABLE identity (
      issuer TEXT NOT NULL, subject TEXT NOT NULL, account INTEGER NOT NULL, PRIMARY KEY (issuer, subject),
      UNIQUE (account, issuer)
    ) WITHOUT ROWID;
    ALTER TABLE session ADD COLUMN provider TEXT;
    """

  /// Version 7. The rules of time zones by which days are counted, as TZif files without the names of their kinds of time. Without a
  /// reference to them, the data of Swift's runtime apply, as in earlier versions.
  private static let zoneData = """
    CREATE TABLE zone_data (
      id INTEGER PRIMARY KEY AUTOINCREMENT, zone TEXT NOT NULL, edition TEXT, place TEXT NOT NULL, file BLOB NOT NULL,
      UNIQUE (zone, edition, place, file)
    );
    ALTER TABLE app ADD COLUMN zone_data INTEGER;
    ALTER TABLE view_zone ADD COLUMN zone_data INTEGER;
    """

  /// Figures of a view's days that another service counted, as it wrote them. `day` is a number of days since 1970.
  private static let imported = """
    CREATE TABLE imported (
      view INTEGER NOT NULL, metric TEXT NOT NULL, day INTEGER NOT NULL, value TEXT NOT NULL,
      PRIMARY KEY (view, metric, day)
    ) WITHOUT ROWID;
    """

  /// Version 8. The limits of crash-free users and sessions, until then shares from 0 to 1, as percentages. A limit above 1 was
  /// always crossed, and meant as a percentage. Forms of such an alert that are open must be opened again.
  private static let percentages = """
    UPDATE alert SET changed = changed + 1, condition = json_set(
      condition, '$.limit', round(json_extract(condition, '$.limit') * 100, 10))
    WHERE json_extract(condition, '$.kind') IN ('above', 'below') AND json_extract(condition, '$.page') = 'explore'
    AND (instr('&' || json_extract(condition, '$.query') || '&', '&metric=crash_free_users&') > 0
      OR instr('&' || json_extract(condition, '$.query') || '&', '&metric=crash_free_sessions&') > 0)
    AND json_extract(condition, '$.limit') BETWEEN 0 AND 1;
    """
}
