import Foundation
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

    /// True if the file in a backup has the listed content.
    func isWhole(in directory: String, step: (Int) throws -> Void) throws -> Bool {
      let path = "\(directory)/\(path)"
      do {
        return try CopiedFile.size(path) == bytes && CopiedFile.check(path, bytes: bytes, step: step) == check
      } catch is WarehouseError {
        return false
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
    guard let data = FileManager.default.contents(atPath: "\(directory)/\(Self.name)") else {
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
    // Paths from a file that may come from elsewhere must not lead out of the directory.
    for file in files where file.path.hasPrefix("/") || file.path.split(separator: "/").contains("..") {
      throw WarehouseError(.damaged, "\(directory)/\(Self.name) names a file outside: \(file.path).")
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
