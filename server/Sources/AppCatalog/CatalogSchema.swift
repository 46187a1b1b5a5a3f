import Warehouse

/// The tables of `catalog.sqlite`.
enum CatalogSchema {
  /// The mark of `catalog.sqlite` in its header: "TrnC".
  static let format = DatabaseFormat(applicationID: 0x5472_6E43, version: 1)

  /// All statements that create the tables of an empty file.
  static let tables = apps + views + definitions

  private static let apps = """
    CREATE TABLE app (
      id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, key TEXT NOT NULL UNIQUE,
      app_secret TEXT NOT NULL UNIQUE, tracking_id TEXT NOT NULL UNIQUE, time_zone TEXT NOT NULL,
      created INTEGER NOT NULL
    );
    CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE session (hash BLOB PRIMARY KEY, expires INTEGER NOT NULL) WITHOUT ROWID;
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
}
