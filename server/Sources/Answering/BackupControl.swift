package import Warehouse

/// The regular backups of a server.
package protocol BackupControl: Sendable {
  /// Returns the status of the backups. Reads the disk.
  func status() throws -> BackupStatus
  /// The state as the server last found it. Doesn't read the disk.
  var health: BackupHealth { get }
  /// Asks for a backup in addition to the regular ones. A second request before it is complete changes nothing.
  func request()
}
