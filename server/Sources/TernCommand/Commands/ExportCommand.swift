import AppCatalog
import ArgumentParser
import Foundation
import Reports
import TernGzip
import TernServer
import Warehouse
import WarehouseSQLite
import WarehouseUpkeep

/// `tern export`
struct ExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write an app's raw rows, errors and attachments to standard output.",
    discussion: """
      Works while a server runs. NDJSON has one JSON object per line and everything that `tern import` needs; CSV is a
      table of rows without the texts of errors and without attachments. docs/export-format.md describes both. Days are
      in the app's time zone. The command is recorded in the audit log.

      --schema writes the types of the fields instead of rows, so that programs needn't guess them: for DuckDB, SQL that
      defines tern_rows(file) for NDJSON and tern_csv(file) for CSV; as a Table Schema of Frictionless Data, the CSV form.

      Examples:
        tern export --app 1 > app.ndjson
        tern export --app 1 --gzip > app.ndjson.gz
        tern export --app 1 --after 81920 > app-2.ndjson
        tern export --app 1 --from 2026-05-01 --to 2026-05-31 --format csv > may.csv
        tern export --app 1 --format csv --texts raw > app.csv
        tern export --schema duckdb > tern.sql
      """)

  @Option(help: ArgumentHelp("The app's ID; `tern apps list` shows it.", valueName: "id"))
  var app: String?

  @Option(help: ArgumentHelp("The first day, YYYY-MM-DD.", valueName: "day"), transform: Period.day)
  var from: Day?

  @Option(help: ArgumentHelp("The last day, YYYY-MM-DD.", valueName: "day"), transform: Period.day)
  var to: Day?

  @Option(
    help: ArgumentHelp("The format: ndjson or csv.", valueName: "format"), transform: { try choice($0) })
  var format = ExportRequest.Format.ndjson

  @OptionGroup var csv: CSVOptions
  @Option(
    help: ArgumentHelp(
      "Write the types of the fields and no rows: duckdb or frictionless.", valueName: "language"),
    transform: { try choice($0) })
  var schema: ExportSchema?

  @Option(parsing: .unconditional, help: ArgumentHelp("Only rows after the one with this number.", valueName: "row"))
  var after: Int64 = 0

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Only attachments after the one with this number.", valueName: "number"))
  var afterAttachment: Int64 = 0

  @Flag(help: "Compress the output with gzip.")
  var gzip = false

  @OptionGroup var data: DataOption

  func validate() throws {
    guard (app == nil) != (schema == nil) else {
      throw ValidationError("Give either --app, to write its rows, or --schema, which is the same for all apps.")
    }
    guard schema == nil || !gzip else {
      throw ValidationError("--schema writes a short text, which --gzip doesn't compress.")
    }
    guard from.map({ from in to.map { from <= $0 } ?? true }) ?? true else {
      throw ValidationError("--from must not be after --to.")
    }
    guard after >= 0 else {
      throw ValidationError("--after must be the number of a row, such as the last one of an earlier export.")
    }
    guard afterAttachment >= 0 else {
      throw ValidationError(
        "--after-attachment must be the number of an attachment, such as the last one of an earlier export.")
    }
  }

  func run() async throws {
    if let schema { try Self.write(Array(schema.text.utf8)) }
    guard let app else { return }
    try await data.withReader { catalog, reader in
      let app = try AppOption.find(app, in: catalog)
      var request = ExportRequest(
        app: app, format: format, from: from, to: to,
        server: try JobRunner.serverName(catalog))
      request.csv = csv.style
      request.after = after
      request.afterAttachment = afterAttachment
      try catalog.record(.exported, "app \(app.id), by tern export")
      try await Self.write(request, reader, isCompressed: gzip)
    }
  }

  /// Writes an export to standard output.
  static func write(_ request: ExportRequest, _ reader: WarehouseReader, isCompressed: Bool = false) async throws {
    // Level 1, because a compressed export should be as fast as one that isn't.
    let compression = isCompressed ? GzipStream(level: 1) : nil
    var page = try await reader.exportPage(request, at: .start)
    while let next = page.next {
      // The next part is read while this one is written.
      async let following = reader.exportPage(request, at: next)
      try write(compression?.add(page.bytes) ?? page.bytes)
      page = try await following
    }
    try write(compression?.finish(page.bytes) ?? page.bytes)
  }

  private static func write(_ bytes: [UInt8]) throws {
    do {
      try FileHandle.standardOutput.write(contentsOf: Data(bytes))
    } catch {
      throw ServerFailure("Standard output can't be written to, so the export is incomplete.")
    }
  }
}
