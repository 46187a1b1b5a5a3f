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
  var batches: [IncomingBatch] = []
  var attachments: [ImportedLine.Attachment] = []
  var rejected: [ImportedLine.Rejected] = []
  /// The samples, each with the number of equal ones up to it: two events may be rejected alike.
  var rejections: [(sample: ImportedLine.RejectionSample, ordinal: Int64)] = []
  var ledgers: [ImportedLine.Ledger] = []
}

extension SQLiteWarehouse {
  private static let partLines = 2_000
  private static let partBytes = 8 << 20
  /// More than the longest line: an attachment of 7 MiB in base64.
  private static let maximumLineBytes = 64 << 20

  private static let oneExportEach = "Put each export into a file of its own, and import them one by one."

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
    var lines = LineReader(maximumBytes: Self.maximumLineBytes, read: read)
    guard let first = try lines.next(), let header = try? JSONDecoder().decode(ImportedLine.self, from: first),
      header.tern == "export", let version = header.version
    else { throw WarehouseError(.invalid, "This is not an export: its first line is not the header.") }
    guard version <= ExportText.version else {
      throw WarehouseError(.invalid, "The export was written by a newer version of tern. Install that version.")
    }
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
    var isComplete = false
    var samples: [ImportedLine.RejectionSample: Int64] = [:]
    while !isComplete {
      // Each part is a transaction: what is stored stays, and an import that begins again recognizes it.
      try Task.checkCancellation()
      let (part, ended) = try Self.part(&lines, keys, &samples, isComplete: &isComplete)
      summary += try await store(part, app: app.id)
      progress(summary.rows + summary.duplicates)
      if ended { break }
    }
    try await flush()
    guard isComplete else {
      throw WarehouseError(.invalid, "The export ends early, at line \(lines.number). Everything before is stored.")
    }
    while let rest = try lines.next() {
      guard rest.isEmpty else {
        throw WarehouseError(
          .invalid,
          """
          The file goes on at line \(lines.number), after the end of its export. Everything before is stored. \
          \(Self.oneExportEach)
          """)
      }
    }
    return summary
  }

  func store(_ part: ImportedPart, app: AppID) async throws -> ImportSummary {
    let summary = Locked(ImportSummary())
    try await perform { writer in
      let stored = try writer.store(imported: part, app: app)
      summary.withLock { $0 = stored }
    }
    return summary.withLock { $0 }
  }

  private static func part(
    _ lines: inout LineReader, _ keys: ImportBatches.Keys, _ samples: inout [ImportedLine.RejectionSample: Int64],
    isComplete: inout Bool
  ) throws -> (ImportedPart, ended: Bool) {
    var part = ImportedPart()
    var batches = ImportBatches(keys: keys)
    var (count, bytes) = (0, 0)
    while count < partLines, bytes < partBytes {
      guard let text = try lines.next() else {
        part.batches = batches.batches
        return (part, true)
      }
      count += 1
      bytes += text.count
      do {
        let line = try JSONDecoder().decode(ImportedLine.self, from: text)
        if line.row != nil {
          try text.withUnsafeBytes { try batches.add(line, $0) }
        } else if line.end == true {
          isComplete = true
          break
        } else if let attachment = line.attachment {
          // Checked here, where the line is known; its bytes are made when they are stored.
          _ = try ImportBatches.bytes(attachment.data)
          part.attachments.append(attachment)
        } else if let rejected = line.rejected {
          guard rejected.isPlausible else { throw ImportFailure("The day or the count of its rejections is invalid.") }
          part.rejected.append(rejected)
        } else if let rejection = line.rejection {
          samples[rejection, default: 0] += 1
          part.rejections.append((rejection, samples[rejection] ?? 1))
        } else if let ledger = line.ledger {
          part.ledgers.append(ledger)
        } else if line.tern == "export" {
          throw ImportFailure("Another export begins there. \(oneExportEach)")
        } else {
          throw ImportFailure("It is of no known kind.")
        }
      } catch let error as ImportFailure {
        throw WarehouseError(.invalid, "Line \(lines.number) can't be imported. \(error.reason)")
      } catch is DecodingError {
        throw WarehouseError(.invalid, "Line \(lines.number) can't be imported. It is not a line of an export.")
      }
    }
    part.batches = batches.batches
    return (part, false)
  }
}

/// Splits bytes into lines.
struct LineReader {
  private let maximumBytes: Int
  private let read: () throws -> [UInt8]
  private var buffer: [UInt8] = []
  private var position = 0
  private var isAtEnd = false
  /// The number of lines returned.
  private(set) var number = 0

  init(maximumBytes: Int, read: @escaping () throws -> [UInt8]) {
    self.maximumBytes = maximumBytes
    self.read = read
  }

  /// Returns the next line, without its end; `nil` after the last one. A last line without an end is not returned.
  mutating func next() throws -> Data? {
    var searched = position
    while true {
      if let end = buffer[searched...].firstIndex(of: 0x0A) {
        defer { position = end + 1 }
        number += 1
        return Data(buffer[position..<end])
      }
      guard !isAtEnd, buffer.count - position <= maximumBytes else { return nil }
      buffer.removeFirst(position)
      position = 0
      searched = buffer.count
      let more = try read()
      isAtEnd = more.isEmpty
      buffer += more
    }
  }
}
