import JSON

/// The types of an export's fields, in the language of a program that reads exports.
package enum ExportSchema: String, Sendable, CaseIterable {
  /// SQL that defines `tern_rows(file)` for NDJSON and `tern_csv(file)` for CSV.
  case duckdb
  /// A Table Schema of the CSV form, as JSON (Frictionless Data).
  case frictionless

  /// The schema, whose last line ends with a line feed.
  package var text: String {
    switch self {
    case .duckdb: Self.duckDB
    case .frictionless: Self.tableSchema
    }
  }

  // MARK: - DuckDB

  private static var duckDB: String {
    // An export also has lines that are no rows: they have no number.
    """
    -- The rows of an NDJSON file of `tern export`.
    CREATE OR REPLACE MACRO tern_rows(file) AS TABLE
    SELECT * FROM read_ndjson(file, columns = {
    \(duckDBTypes(ExportField.members))
    }) WHERE "row" IS NOT NULL;

    -- The rows of a CSV file of `tern export --format csv`.
    CREATE OR REPLACE MACRO tern_csv(file) AS TABLE
    SELECT * FROM read_csv(file, auto_detect = false, header = true, delim = ',', quote = '"', escape = '"',
      nullstr = '', allow_quoted_nulls = false, columns = {
    \(duckDBTypes(ExportField.columns))
    });

    """
  }

  /// Members of a DuckDB struct that maps names to types.
  private static func duckDBTypes(_ fields: [ExportField]) -> String {
    fields.map { "  \"\($0.name)\": '\(duckDBType($0.kind))'" }.joined(separator: ",\n")
  }

  private static func duckDBType(_ kind: ExportField.Kind) -> String {
    switch kind {
    case .integer: "BIGINT"
    case .double: "DOUBLE"
    case .boolean: "BOOLEAN"
    case .text: "VARCHAR"
    case .json: "JSON"
    case .list(let element): duckDBType(element) + "[]"
    case .object(let fields):
      "STRUCT(\(fields.map { "\"\($0.name)\" \(duckDBType($0.kind))" }.joined(separator: ", ")))"
    }
  }

  // MARK: - Frictionless Data

  private static var tableSchema: String {
    let fields = ExportField.columns.map { field in
      "    " + json([("name", .text(field.name))] + tableType(field.kind) + [("description", .text(field.meaning))])
    }
    return """
      {
        "fields": [
      \(fields.joined(separator: ",\n"))
        ],
        "primaryKey": "row",
        "missingValues": [""]
      }

      """
  }

  private static func json(_ members: [(String, JSONTree)]) -> String {
    String(decoding: JSONTree.object(members).encoded, as: UTF8.self)
  }

  private static func tableType(_ kind: ExportField.Kind) -> [(String, JSONTree)] {
    switch kind {
    case .integer: [("type", .text("integer"))]
    case .double: [("type", .text("number"))]
    case .boolean: [("type", .text("boolean")), ("trueValues", .texts(["1"])), ("falseValues", .texts(["0"]))]
    case .text: [("type", .text("string"))]
    case .json, .object: [("type", .text("object"))]
    case .list: [("type", .text("array"))]
    }
  }
}
