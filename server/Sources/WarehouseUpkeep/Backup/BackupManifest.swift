import DataFiles
import Foundation
import RowFiles
import TernEvents
import Warehouse

/// The file `backup.json`, which is written last: a directory without it is not a backup.
struct BackupManifest: Codable {
  static let name = "backup.json"
  static let currentFormat = "tern-backup"
  static let currentVersion = 1

  struct File: Codable {
    /// The path within the data directory.
    var path: String
    var bytes: Int
    /// A hash of the content, in hexadecimal digits.
    var check: String
    /// The identity of the copied segment's file, by which the next backup recognizes it; absent for databases.
    var source: String?

    /// True for a name that backups give their files. A list may come from elsewhere, and a directory of data has other files as
    /// well: a `config.json` would set the options of the server.
    var isOfBackup: Bool {
      if ["catalog.sqlite", "warehouse.sqlite", "counts.sqlite"].contains(path) { return true }
      let parts = path.split(separator: "/", omittingEmptySubsequences: false)
      guard parts.count == 2 else { return false }
      switch parts[0] {
      case "rows":
        return Int64(parts[1].dropLast(RowSegment.suffix.count)).map { RowSegment.name($0) == parts[1] } ?? false
      case "symbols": return !parts[1].isEmpty && parts[1].utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
      default: return false
      }
    }

    /// True for a database, which each backup copies anew.
    var isDatabase: Bool { !path.contains("/") }

    /// True if the file in a backup has the listed content.
    func isWhole(in directory: String, step: (Int) throws -> Void) throws -> Bool {
      do {
        return try damage(in: directory, step: step) == nil
      } catch is WarehouseError {
        return false
      }
    }

    /// Returns a message if the file in a backup doesn't have the listed content; `nil` if it has.
    ///
    /// - Parameter readsContent: False to look only whether it is there with the listed size.
    /// - Throws: ``WarehouseError`` if the system doesn't open the file, or what `step` throws.
    func damage(in directory: String, readsContent: Bool = true, step: (Int) throws -> Void) throws -> String? {
      let path = "\(directory)/\(path)"
      do {
        let size = try CopiedFile.size(path)
        guard size == bytes else { return "\(path) is damaged: it has \(size) bytes instead of \(bytes)." }
        guard try readsContent && CopiedFile.check(path, bytes: bytes, step: step) != check else { return nil }
        return "\(path) is damaged."
      } catch let error as WarehouseError where error.code == .damaged {
        return error.message
      }
    }
  }

  var format = currentFormat
  var version = currentVersion
  /// The time of the snapshot, in milliseconds since 1970.
  var created: Int64
  var events: Int
  /// The number of these that are not in the backup, because only a cluster has them; absent for none.
  var retiredEvents: Int?
  var files: [File]

  /// Reads the manifest of a backup.
  ///
  /// - Throws: ``WarehouseError`` if the directory is not a backup, or one of a newer version.
  init(readingFrom directory: String) throws {
    let path = "\(directory)/\(Self.name)"
    // Only what is certainly missing tells that this is no backup.
    guard access(path, R_OK) == 0 || DataDirectory.isMissing(path) else { throw StoredFile.readFailure(path) }
    guard CopiedFile.isRegular(path), let data = FileManager.default.contents(atPath: path) else {
      throw WarehouseError(.invalid, "\(directory) is not a complete backup: it has no \(Self.name).")
    }
    guard let head = try? JSONDecoder().decode(Head.self, from: data), head.format == Self.currentFormat else {
      throw WarehouseError(.invalid, "\(directory)/\(Self.name) is not of a backup.")
    }
    guard head.version <= Self.currentVersion else {
      throw WarehouseError(.invalid, "\(directory) was written by a newer version of tern. Install that version.")
    }
    do {
      self = try JSONDecoder().decode(Self.self, from: data)
    } catch {
      throw WarehouseError(.damaged, "\(directory)/\(Self.name) is damaged.", cause: error)
    }
    for file in files where !file.isOfBackup || file.bytes < 0 {
      throw WarehouseError(
        .damaged,
        "\(directory)/\(Self.name) lists a file that no backup has: \(String(reflecting: file.path.prefix(100))). Use another backup."
      )
    }
  }

  init(created: Timestamp, events: Int, files: [File]) {
    self.created = created.millisecondsSince1970
    self.events = events
    self.files = files
  }

  private struct Head: Decodable {
    var format: String
    var version: Int
  }

  /// Writes the manifest so that it is either complete or missing.
  func write(to directory: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let bytes = [UInt8](try encoder.encode(self))
    let file = try CopiedFile(creating: "\(directory)/\(Self.name).new")
    try bytes.withUnsafeBytes { try file.append($0) }
    try file.sync()
    try CopiedFile.rename("\(directory)/\(Self.name).new", to: "\(directory)/\(Self.name)")
    try StoredFile.sync(directory: directory)
  }

  var filesByPath: [String: File] { Dictionary(files.map { ($0.path, $0) }, uniquingKeysWith: { $1 }) }
}
