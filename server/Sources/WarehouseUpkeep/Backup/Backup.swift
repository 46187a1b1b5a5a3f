import DataFiles
import Foundation
import RowFiles
package import TernEvents
import Warehouse
import WarehouseSQLite

/// Copies of a data directory: the catalog, the warehouse, its rows, and files with symbols, of one moment.
///
/// A backup is a directory with `backup.json`, which lists the files with their sizes and hashes. The keys of the
/// duplicate index are left out; the first start on a restored directory collects them from the rows.
///
/// ## Topics
/// - ``create(of:at:linkingTo:now:)``
/// - ``check(_:)``
/// - ``restore(_:to:)``
/// - ``BackupSeries``
package enum Backup {
  /// The facts about a backup.
  package struct Summary: Sendable, Hashable {
    /// The moment that was copied.
    package var created: Timestamp
    /// The number of events.
    package var events: Int
    /// The size of all files, in bytes.
    package var bytes: Int
    /// The bytes that were copied rather than shared with the backup before.
    package var copiedBytes: Int
    /// The events among them that only a cluster has, so that the backup hasn't.
    package var retiredEvents = 0
    /// The files of the earlier backup that would have been shared, but don't have the listed content any more.
    package var damagedBefore: [String] = []
    /// The reason for which unchanged files of the earlier backup could not be shared; `nil` if they could.
    package var linkFailure: String?
    /// A warning if everyone may read the backup; `nil` if only its owner may.
    package var exposure: String?
  }

  /// The steps of a backup or of a restore. A crash may end it at each.
  enum Step: Hashable { case began, database, segment, verified }

  /// The number of attempts, in case the segments of a snapshot are replaced while they are copied.
  private static let attempts = 3

  /// Copies a data directory. A server may be running on it.
  ///
  /// - Parameters:
  ///   - path: A new directory, or an empty one.
  ///   - previous: An earlier backup on the same file system: files that haven't changed since are shared with it.
  ///   - now: The wall time.
  ///   - shouldStop: Asked from time to time; once it returns true, the backup ends with a `CancellationError`.
  /// - Throws: ``WarehouseError``. Then there is no backup.
  package static func create(
    of directory: String, at path: String, linkingTo previous: String? = nil, now: Timestamp = WallClock.system(),
    shouldStop: @escaping @Sendable () -> Bool = { false }
  ) throws -> Summary {
    try create(of: directory, at: path, linkingTo: previous, now: now) { _ in
      if shouldStop() { throw CancellationError() }
    }
  }

  /// - Parameter link: Gives a file a second name; returns the reason if the file system can't.
  static func create(
    of directory: String, at path: String, linkingTo previous: String? = nil, now: Timestamp,
    link: @escaping (_ source: String, _ path: String) -> String? = { CopiedFile.link($0, to: $1) },
    onStep: @escaping (Step) throws -> Void
  ) throws -> Summary {
    let files = DataDirectory(path: directory)
    for file in [files.catalogPath, files.warehousePath] where files.isEmpty(file) {
      throw WarehouseError(.invalid, "\(directory) contains no data: \(file) is missing.")
    }
    let target = try NewDirectory(path)
    do {
      var attempt = 1
      while true {
        do {
          let writer = try BackupWriter(
            files, target.unfinished, previous: previous, now: now, link: link, onStep: onStep)
          var summary = try writer.run()
          try target.finish()
          summary.exposure = DataDirectory.exposure(of: "\(target.path)/\(BackupManifest.name)")
          return summary
        } catch let error as WarehouseError where error.code == .damaged && attempt < attempts {
          attempt += 1
          try target.removeAll()
        }
      }
    } catch {
      target.discard()
      throw error is CancellationError ? error : WarehouseError.from(error)
    }
  }

  /// Copies a backup to a new data directory.
  ///
  /// - Throws: ``WarehouseError`` if the backup is incomplete or damaged, or the directory isn't new. Then nothing is
  ///   left in it.
  package static func restore(_ path: String, to directory: String) throws -> Summary {
    try restore(path, to: directory) { _ in }
  }

  static func restore(_ path: String, to directory: String, onStep: (Step) throws -> Void) throws -> Summary {
    let manifest = try BackupManifest(readingFrom: path)
    let target = try NewDirectory(directory)
    do {
      try onStep(.began)
      let folders = ["rows"] + (manifest.files.contains { $0.path.hasPrefix("symbols/") } ? ["symbols"] : [])
      for folder in folders { try StoredFile.createDirectory("\(target.unfinished)/\(folder)") }
      for file in manifest.files {
        let copy = "\(target.unfinished)/\(file.path)"
        try CopiedFile.copy("\(path)/\(file.path)", bytes: file.bytes, to: copy)
        guard try CopiedFile.check(copy, bytes: file.bytes) == file.check else {
          throw WarehouseError(.damaged, "\(path)/\(file.path) is damaged. Use another backup.")
        }
        try onStep(.segment)
      }
      try BackupWriter.verify(target.unfinished) { try onStep(.segment) }
      for folder in folders { try StoredFile.sync(directory: "\(target.unfinished)/\(folder)") }
      try onStep(.verified)
      try target.finish()
    } catch {
      target.discard()
      throw WarehouseError.from(error)
    }
    let bytes = manifest.files.reduce(0) { $0 + $1.bytes }
    return Summary(
      created: Timestamp(millisecondsSince1970: manifest.created), events: manifest.events, bytes: bytes,
      copiedBytes: bytes)
  }
}
