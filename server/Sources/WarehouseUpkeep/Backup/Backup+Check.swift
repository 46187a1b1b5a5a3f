import RowFiles
import TernEvents
import Warehouse

extension Backup {
  /// The result of reading a backup.
  package struct Check: Sendable, Hashable {
    package var summary: Summary
    /// The number of its files.
    package var files: Int
    /// A message for each file that doesn't have the listed content.
    package var damages: [String]
  }

  /// Reads a backup whole, and compares it with its list.
  ///
  /// - Parameter progress: Receives the number of bytes read so far.
  /// - Throws: ``WarehouseError`` if there is no complete backup under the name, or if a file can't be opened.
  package static func check(_ path: String, progress: (Int) -> Void = { _ in }) throws -> Check {
    let manifest = try BackupManifest(readingFrom: path)
    var bytes = 0
    let damages = try manifest.files.compactMap { file in
      try file.damage(in: path) { count in
        bytes += count
        progress(bytes)
      }
    }
    let size = manifest.files.reduce(0) { $0 + $1.bytes }
    let summary = Summary(
      created: Timestamp(millisecondsSince1970: manifest.created), events: manifest.events, bytes: size,
      copiedBytes: size, retiredEvents: manifest.retiredEvents ?? 0)
    return Check(summary: summary, files: manifest.files.count, damages: damages)
  }
}

extension BackupSeries {
  /// Returns a message if a backup that was complete isn't any more, as far as that can be seen without reading all of it: each
  /// file must be there with its size, and each database with its content. The next backup compares the content of the files that it
  /// shares with it.
  ///
  /// - Parameter shouldStop: Asked from time to time; once it returns true, the check ends with a `CancellationError`.
  /// - Returns: `nil` if nothing is wrong, or if it belongs to another directory of backups.
  package func problem(with backup: String, shouldStop: () -> Bool = { false }) throws -> String? {
    guard backup.hasPrefix("\(path)/") else { return nil }
    guard StoredFile.exists(backup) else { return "\(backup) is gone." }
    let manifest: BackupManifest
    do {
      manifest = try BackupManifest(readingFrom: backup)
    } catch let error as WarehouseError {
      return error.message
    }
    for file in manifest.files {
      let damage = try file.damage(in: backup, readsContent: file.isDatabase) { _ in
        if shouldStop() { throw CancellationError() }
      }
      if let damage { return damage }
    }
    return nil
  }
}
