import Foundation
import Ingest
import ServerBase
import TernBase
package import Warehouse
import WarehouseSQLite

/// The result of an import.
package struct ImportSummary: Sendable, Hashable {
  /// The rows that were stored.
  package var rows = 0
  /// The rows that were stored before.
  package var duplicates = 0
  /// The pieces of attachments.
  package var attachments = 0

  static func += (left: inout ImportSummary, right: ImportSummary) {
    left.rows += right.rows
    left.duplicates += right.duplicates
    left.attachments += right.attachments
  }
}

/// Lines of an export that are stored in one transaction.
struct ImportedPart: Sendable {
  /// The reason that no part follows.
  enum End {
    case complete
    /// The file ends before its export.
    case early
    /// The rest can't be read or imported.
    case damage(any Error)
  }

  var batches: [IncomingBatch] = []
  var attachments: [ImportedLine.Attachment] = []
  var rejected: [ImportedLine.Rejected] = []
  /// The samples, each with the number of equal ones up to it: two events may be rejected alike.
  var rejections: [(sample: ImportedLine.RejectionSample, ordinal: Int64)] = []
  var ledgers: [ImportedLine.Ledger] = []
  /// `nil` if another part follows.
  var end: End?
}

extension SQLiteWarehouse {
  /// Stores an export (docs/export-format.md) of this server or another one. Rows that are stored already are left out.
  ///
  /// - Parameters:
  ///   - app: The app to which the rows are added. Its time zone must be that of the export.
  ///   - server: The text that identifies this server.
  ///   - read: Returns the next bytes of the export; none at its end.
  /// - Throws: ``WarehouseError`` with code `invalid` if the export is damaged or incomplete. What precedes the damage
  ///   is stored; importing a complete export later adds the rest.
  package func importRows(
    to app: App, server: String, progress: (Int) -> Void = { _ in }, read: @escaping () throws -> [UInt8]
  ) async throws -> ImportSummary {
    var reader = ImportReader(read)
    let header = try reader.header()
    // Zones have several names: Asia/Kolkata is Asia/Calcutta.
    let exported = header.timeZone.flatMap { ZoneDatabase.system.zone($0) }
    let isSame = exported.map { exported in
      exported.hasSameTimes(as: ZoneDatabase.system.zone(app.timeZone) ?? app.zone)
    }
    guard header.timeZone == app.timeZone || isSame == true else {
      throw WarehouseError(
        .invalid,
        """
        The export's days are in \(header.timeZone ?? "an unknown time zone"), those of app \(app.id) in \
        \(app.timeZone). Import into an app with the same time zone.
        """)
    }
    let keys = ImportBatches.Keys(header: header, app: app, server: server)
    var summary = ImportSummary()
    var part = reader.part(keys)
    while true {
      // Each part is a transaction: what is stored stays, and an import that begins again recognizes it.
      try Task.checkCancellation()
      let current = part
      async let stored = store(current, app: app.id)
      // The next part is read while this one is stored.
      if current.end == nil { part = reader.part(keys) }
      summary += try await stored
      progress(summary.rows + summary.duplicates)
      if current.end != nil { break }
    }
    try await flush()
    try reader.finish(part)
    return summary
  }

  func store(_ part: ImportedPart, app: AppID) async throws -> ImportSummary {
    try await perform { try $0.store(imported: part, app: app) }
  }
}
