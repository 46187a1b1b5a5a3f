import ClickHouse

/// The tables of a cluster, and the views for people.
///
/// They use what ClickHouse has had since 18.16: no codecs, no `LowCardinality`, no lightweight deletes. The tables are Tern's
/// and may change with its versions; people query the views.
package struct ClusterSchema: Sendable {
  typealias Column = (name: String, type: ColumnType)

  /// The columns that tell which copy of which row it is.
  static let copyColumns: [Column] = [
    ("home", .one(.uint64)), ("epoch", .one(.uint64)), ("unit", .one(.uint64)), ("generation", .one(.uint32)),
    ("month", .one(.date)), ("hash", .one(.uint64)),
  ]

  /// The columns of a row, in the order in which ``RowColumns`` fills them. They have all that home knows about it, with
  /// the number of each text, so that a home can be restored from them. `user_number` is one more than the user's number, 0 for
  /// none.
  static let rowColumns: [Column] = [
    ("id", .one(.uint64)), ("app", .one(.uint32)), ("day", .one(.date)), ("milliseconds", .one(.int64)),
    ("received_milliseconds", .one(.int64)), ("kind", .one(.string)), ("flags", .one(.uint64)),
    ("name", .one(.string)), ("name_id", .one(.uint64)), ("install", .one(.string)), ("slot", .one(.uint32)),
    ("session", .one(.uint64)), ("user", .one(.string)), ("user_number", .one(.uint64)), ("has_key", .one(.uint8)),
    ("key_milliseconds", .one(.int64)), ("key_hash", .one(.uint64)), ("device", .one(.uint64)),
    ("version", .one(.string)), ("os", .one(.string)), ("language", .one(.string)), ("model", .one(.string)),
    ("country", .one(.string)), ("os_name", .one(.string)), ("os_version", .one(.string)),
    ("locale", .one(.string)), ("app_version", .one(.string)), ("app_build", .one(.string)),
    ("sdk_name", .one(.string)), ("sdk_version", .one(.string)), ("zone_offset", .one(.int32)),
    ("device_texts", .array(.uint64)), ("property_names", .array(.string)), ("property_name_ids", .array(.uint64)),
    ("property_types", .array(.uint8)), ("property_values", .array(.string)), ("has_parameters", .one(.uint8)),
    ("parameter_names", .array(.string)),
    ("parameter_values", .array(.string)),
  ]

  /// The columns of an error's details, and of an attachment or a piece of one. They have a hash of their own, because old
  /// texts and attachments have to make room for newer ones at home.
  static let errorColumns: [Column] = [
    ("error_id", .one(.string)), ("error_group", .one(.uint64)),
    ("error_type", .one(.string)), ("error_place", .one(.string)),
    ("error_fingerprint", .one(.uint64)), ("error_message", .one(.string)), ("error_stack", .one(.string)),
    ("error_raw", .one(.string)), ("error_has_texts", .one(.uint8)), ("attachment_error", .one(.string)),
    ("attachment_id", .one(.string)), ("attachment_file", .one(.string)), ("attachment_type", .one(.string)),
    ("attachment_part", .one(.uint32)), ("attachment_parts", .one(.uint32)), ("attachment_data", .one(.string)),
  ]

  static let columns = copyColumns + rowColumns + errorColumns

  package static let rowTable = "tern_row"
  static let allRows = "tern_row_all"
  package static let eventView = "tern_events"
  package static let errorView = "tern_errors"

  private let isReplicated: Bool
  private let cluster: String?

  /// - Parameters:
  ///   - isReplicated: True if the servers have the macros `shard` and `replica`.
  ///   - cluster: The name of the cluster in the servers' settings, so that the views have the rows of all shards; `nil` for
  ///     those of one server.
  package init(isReplicated: Bool, cluster: String? = nil) {
    (self.isReplicated, self.cluster) = (isReplicated, cluster)
  }

  /// The statements that make the tables and views on one server, in order. An existing table stays as it is, the views are
  /// made again.
  ///
  /// - Parameter database: The database of the tables.
  package func statements(database: String = "default") -> [String] {
    let columns = Self.columns.map { "\($0.name) \($0.type)" }.joined(separator: ", ")
    // The rows of a unit are in one partition, so that an insert is one part, and whole or not there at all.
    var statements = [
      """
      CREATE TABLE IF NOT EXISTS \(Self.rowTable) (\(columns)) \
      ENGINE = \(engine(database)) PARTITION BY month ORDER BY (app, home, id)
      """
    ]
    if let cluster {
      statements += [
        "DROP TABLE IF EXISTS \(Self.allRows)",
        "CREATE TABLE \(Self.allRows) (\(columns)) ENGINE = Distributed(\(cluster), \(database), \(Self.rowTable))",
      ]
    }
    for (view, query) in views {
      statements += ["DROP TABLE IF EXISTS \(view)", "CREATE VIEW \(view) AS \(query)"]
    }
    return statements
  }

  private var views: [(String, String)] {
    let rows = cluster == nil ? Self.rowTable : Self.allRows
    // Outside of these a DateTime would wrap around.
    func time(_ column: String, as name: String) -> String {
      "toDateTime(intDiv(least(greatest(\(column), 0), 4294967295000), 1000)) AS \(name)"
    }
    // As in exports; empty for 0.
    func hexadecimal(_ column: String) -> String { "replaceRegexpOne(lower(hex(\(column))), '^0+', '')" }
    let common = """
      app, day, \(time("milliseconds", as: "time")), kind, name, version, os, model, country, language, install, user, \
      \(hexadecimal("session")) AS session
      """
    return [
      (
        Self.eventView,
        """
        SELECT \(common), property_names, property_values, parameter_names, parameter_values, \
        \(time("received_milliseconds", as: "received")), milliseconds, sdk_name, sdk_version, locale FROM \(rows)
        """
      ),
      (
        Self.errorView,
        """
        SELECT \(common), error_type AS type, error_place AS place, error_message AS message, error_stack AS stack, \
        \(hexadecimal("error_fingerprint")) AS fingerprint FROM \(rows) WHERE kind IN ('crash', 'handled_error')
        """
      ),
    ]
  }

  private func engine(_ database: String) -> String {
    isReplicated
      ? "ReplicatedMergeTree('/clickhouse/tables/{shard}/\(database)/\(Self.rowTable)', '{replica}')" : "MergeTree"
  }

  /// The statement for a server without replication, so that it ignores known blocks; old versions don't know it.
  static let ignoringKnownBlocks = "ALTER TABLE \(rowTable) MODIFY SETTING non_replicated_deduplication_window = 1000"
}
