import Foundation
import Warehouse

/// Reads an export, part by part.
struct ImportReader {
  /// A part is stored in one transaction, between those of the server.
  private static let partLines = 2_000
  private static let partBytes = 8 << 20
  /// More than the longest line: an attachment of 7 MiB in base64.
  private static let maximumLineBytes = 64 << 20

  private static let oneExportEach = "Put each export into a file of its own, and import them one by one."

  private let decoder = JSONDecoder()
  private let lines: LineReader
  private var rows = ImportedRowReader()
  private var samples: [ImportedLine.RejectionSample: Int64] = [:]

  /// Creates a reader.
  ///
  /// - Parameter read: Returns the next bytes of the export; none at its end.
  init(_ read: @escaping () throws -> [UInt8]) {
    lines = LineReader(maximumBytes: Self.maximumLineBytes, read: read)
  }

  /// Reads the first line.
  mutating func header() throws -> ImportedLine {
    guard let header = try lines.next({ try? decoder.decode(ImportedLine.self, from: Data($0)) }) ?? nil,
      header.tern == "export", let version = header.version
    else { throw WarehouseError(.invalid, "This is not an export: its first line is not the header.") }
    guard version <= ExportText.version else {
      throw WarehouseError(.invalid, "The export was written by a newer version of tern. Install that version.")
    }
    return header
  }

  /// Reads the next lines.
  mutating func part(_ keys: ImportBatches.Keys) -> ImportedPart {
    var part = ImportedPart()
    var batches = ImportBatches(keys: keys)
    do {
      var (count, bytes) = (0, 0)
      while part.end == nil, count < Self.partLines, bytes < Self.partBytes {
        let length = try lines.next { line in
          try add(line, to: &part, &batches)
          return line.count
        }
        if let length { (count, bytes) = (count + 1, bytes + length) } else { part.end = .early }
      }
    } catch let error as ImportFailure {
      part.end = .damage(failure(error.reason))
    } catch is DecodingError {
      part.end = .damage(failure("It is not a line of an export."))
    } catch {
      part.end = .damage(error)
    }
    part.batches = batches.batches
    return part
  }

  private func failure(_ reason: String) -> WarehouseError {
    WarehouseError(.invalid, "Line \(lines.number) can't be imported. \(reason)")
  }

  private mutating func add(
    _ text: UnsafeRawBufferPointer, to part: inout ImportedPart, _ batches: inout ImportBatches
  ) throws {
    if let row = rows.row(text) { return batches.add(row, text) }
    let line = try decoder.decode(ImportedLine.self, from: Data(text))
    if line.row != nil {
      batches.add(try ImportedRow(line), text)
    } else if line.end == true {
      part.end = .complete
    } else if let attachment = line.attachment {
      // Checked here, where the line is known; its bytes are made when they are stored.
      _ = try ImportedRow.bytes(attachment.data)
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
      throw ImportFailure("Another export begins there. \(Self.oneExportEach)")
    } else {
      throw ImportFailure("It is of no known kind.")
    }
  }

  /// Throws unless the export is complete, and nothing but empty lines follows it.
  ///
  /// - Parameter last: The last part.
  mutating func finish(_ last: ImportedPart) throws {
    switch last.end {
    case .complete?: break
    case .damage(let error)?: throw error
    case .early?, nil:
      throw WarehouseError(.invalid, "The export ends early, at line \(lines.number). Everything before is stored.")
    }
    while let isEmpty = try lines.next({ $0.isEmpty }) {
      guard isEmpty else { throw Self.goesOn(at: lines.number) }
    }
    guard !lines.hasUnfinishedLine else { throw Self.goesOn(at: lines.number + 1) }
  }

  private static func goesOn(at line: Int) -> WarehouseError {
    WarehouseError(
      .invalid,
      """
      The file goes on at line \(line), after the end of its export. Everything before is stored. \(oneExportEach)
      """)
  }
}
