import Foundation
import RowFiles
package import TernEvents
package import Warehouse

/// Backups that a running server makes regularly, each in a directory named after its time.
///
/// Segments of rows that haven't changed are shared between them by hard links, so each further backup takes little
/// more than the two databases and the new rows. Each can be deleted, moved or restored alone.
package struct BackupSeries: Sendable {
  static let prefix = "tern-"

  /// The directory with the backups.
  package let path: String
  /// The time from one backup to the next.
  package let interval: Duration
  /// The number of backups to keep.
  package let kept: Int

  package init(path: String, interval: Duration, kept: Int) {
    self.path = path
    self.interval = interval
    self.kept = kept
  }

  /// Returns the names of the backups, earliest first, whether they are complete or not.
  func names() throws -> [String] {
    try StoredFile.names(in: path, endingWith: ["Z"]).filter { $0.hasPrefix(Self.prefix) }.sorted()
  }

  /// Returns the paths of the complete backups, earliest first.
  package func backups() throws -> [String] {
    guard FileManager.default.fileExists(atPath: path) else { return [] }
    return try names().map { "\(path)/\($0)" }.filter { (try? BackupManifest(readingFrom: $0)) != nil }
  }

  /// Returns the complete backups, earliest first.
  package func list() throws -> [BackupStatus.Backup] {
    try backups().map { path in
      let manifest = try BackupManifest(readingFrom: path)
      return BackupStatus.Backup(
        name: path.split(separator: "/").last.map(String.init) ?? path,
        created: Timestamp(millisecondsSince1970: manifest.created), events: manifest.events)
    }
  }

  /// Returns the time of the state in the last complete backup; `nil` if there is none.
  package func latest() throws -> Timestamp? {
    try backups().last.map { Timestamp(millisecondsSince1970: try BackupManifest(readingFrom: $0).created) }
  }

  /// True if the last backup is older than the interval.
  package func isDue(after latest: Timestamp?, at now: Timestamp) -> Bool {
    guard let latest else { return true }
    // A backup of the future was made before the clock was set back.
    return latest > now || now.since(latest) >= interval
  }

  /// Makes a backup and deletes those that are no longer kept.
  ///
  /// - Parameters:
  ///   - directory: The data directory.
  ///   - shouldStop: Asked from time to time; once it returns true, the backup ends with a `CancellationError`.
  /// - Returns: The path of the backup and facts about it.
  package func add(
    of directory: String, now: Timestamp, shouldStop: @escaping @Sendable () -> Bool = { false }
  ) throws -> (path: String, summary: Backup.Summary) {
    try DataDirectory(path: path).create()
    try removeUnfinished()
    let name = "\(path)/\(Self.prefix)\(Self.name(now))"
    let previous = try backups().last
    let summary = try Backup.create(
      of: directory, at: name, linkingTo: previous, now: now, shouldStop: shouldStop)
    let all = try backups().filter { $0 != name }
    for old in all.dropLast(max(kept, 1) - 1) { try remove(old) }
    return (name, summary)
  }

  /// A time as in `20261123T014200Z`.
  private static func name(_ time: Timestamp) -> String {
    let seconds = time.millisecondsSince1970 / 1_000
    let day = Day(number: Int(seconds / 86_400)).description.filter { $0 != "-" }
    let parts = [seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60]
    return "\(day)T" + parts.map { ($0 < 10 ? "0" : "") + String($0) }.joined() + "Z"
  }

  /// Deletes a backup. A crash must not leave half of one under its name.
  private func remove(_ backup: String) throws {
    try CopiedFile.rename(backup, to: backup + NewDirectory.suffix)
    try StoredFile.sync(directory: path)
    try FileManager.default.removeItem(atPath: backup + NewDirectory.suffix)
  }

  /// Deletes what crashes have left behind.
  private func removeUnfinished() throws {
    for name in try StoredFile.names(in: path, endingWith: [NewDirectory.suffix]) where name.hasPrefix(Self.prefix) {
      // Another process may be writing it.
      guard let lock = try DataDirectory(path: "\(path)/\(name)").lock() else { continue }
      defer { lock.release() }
      try FileManager.default.removeItem(atPath: "\(path)/\(name)")
    }
  }
}
