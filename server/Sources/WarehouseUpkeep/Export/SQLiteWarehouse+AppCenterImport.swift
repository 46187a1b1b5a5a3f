import Foundation
package import Ingest
package import Warehouse
import WarehouseSQLite

/// The result of an import of App Center's logs.
package struct AppCenterImportSummary: Sendable, Hashable {
  /// The most faults that are described; further ones are only counted.
  static let maximumFaults = 10

  /// The rows that this import has stored.
  package var rows = 0
  /// The rows that had been stored before.
  package var duplicates = 0
  /// The logs that aren't events, pages or sessions, by type.
  package var others: [String: Int] = [:]
  /// The logs that can't be stored.
  package var faulty = 0
  /// Descriptions of the first of them.
  package var faults: [String] = []

  /// Creates an empty summary.
  package init() {}

  mutating func note(_ reason: String, _ place: String) {
    faulty += 1
    if faults.count < Self.maximumFaults { faults.append("\(place): \(reason)") }
  }
}

/// A file of logs to import.
package struct AppCenterLogFile {
  /// The name in messages.
  package var name: String
  /// Returns the next bytes; none at the end.
  package var read: () throws -> [UInt8]

  /// Creates a file.
  package init(name: String, read: @escaping () throws -> [UInt8]) {
    self.name = name
    self.read = read
  }
}

extension SQLiteWarehouse {
  private static let partRecords = 2_000
  /// Far more than a log with all its properties.
  private static let maximumRecordBytes = 1 << 20
  /// The most types that are counted by name, since they are texts from the file.
  private static let maximumTypes = 20

  /// Stores a file of App Center's continuous export (docs/export-format.md). Logs that are stored already are left out.
  ///
  /// - Parameters:
  ///   - app: The app to which the rows are added.
  ///   - source: The app's ID in App Center, set by the first log; logs of other apps are faulty.
  ///   - key: The server's secret for duplicate keys.
  ///   - summary: The result, to which that of this file is added.
  /// - Throws: The errors of reading and storing. A faulty log is only noted.
  package func importAppCenter(
    _ file: AppCenterLogFile, to app: App, source: inout String?, key: DuplicateHashKey,
    summary: inout AppCenterImportSummary
  ) async throws {
    var objects = JSONObjectReader(maximumBytes: Self.maximumRecordBytes, read: file.read)
    var isAtEnd = false
    while !isAtEnd {
      // Each part is a transaction: what is stored stays, and an import that begins again recognizes it.
      try Task.checkCancellation()
      var part = ImportedPart()
      while part.batches.count < Self.partRecords {
        guard let piece = try objects.next() else {
          isAtEnd = true
          break
        }
        switch piece {
        case .damage(let reason, let line): summary.note(reason, "\(file.name), line \(line)")
        case .object(let bytes, let line):
          do {
            let record = try JSONDecoder().decode(AppCenterRecord.self, from: Data(bytes))
            if let batch = try Self.batch(record, app: app, source: &source, key: key, &summary) {
              part.batches.append(batch)
            }
          } catch let failure as ImportFailure {
            summary.note(failure.reason, "\(file.name), line \(line)")
          } catch is DecodingError {
            summary.note("It isn't a log of App Center's export.", "\(file.name), line \(line)")
          }
        }
      }
      guard !part.batches.isEmpty else { continue }
      let stored = try await store(part, app: app.id)
      summary.rows += stored.rows
      summary.duplicates += stored.duplicates
    }
  }

  private static func batch(
    _ record: AppCenterRecord, app: App, source: inout String?, key: DuplicateHashKey,
    _ summary: inout AppCenterImportSummary
  ) throws -> IncomingBatch? {
    guard let type = record.type?.value else { throw ImportFailure("It has no MessageType.") }
    if let id = record.app?.value.lowercased() {
      guard source == nil || source == id else {
        throw ImportFailure(
          "It belongs to another app than the first log. Import each app's logs into an app of its own.")
      }
      source = id
    }
    guard let wireType = record.wireType else {
      let name = summary.others.count < maximumTypes || summary.others[type] != nil ? String(type.prefix(60)) : "others"
      summary.others[name, default: 0] += 1
      return nil
    }
    return try record.batch(wireType: wireType, key: key, app: app.id)
  }
}
