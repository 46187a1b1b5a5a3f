import AppCatalog
import ArgumentParser
import Foundation
import Reports
import TernServer
import Warehouse
import WarehouseSQLite
import WarehouseUpkeep

/// `tern backup`
struct BackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Copy the data directory to a new directory, and verify the copy.",
    discussion: """
      Works while a server runs, and copies one moment: what the server had stored when the command began. Only the owner
      of the copy can read it; it contains everything, the hashes of passwords and tokens included. A directory without
      backup.json is not a backup; if the command is interrupted, there is none.

      With --link-to, files that are the same as in an earlier backup on the same disk are shared with it, which saves
      time and space. `tern serve --backup-to` makes backups regularly.

      Examples:
        tern backup /mnt/backups/monday --data /var/lib/tern
        tern backup /mnt/backups/tuesday --link-to /mnt/backups/monday
      """)

  @Argument(help: "The new directory.", completion: .directory)
  var directory: String

  @Option(help: ArgumentHelp("An earlier backup to share files with.", valueName: "directory"), completion: .directory)
  var linkTo: String?

  @OptionGroup var data: DataOption

  func validate() throws {
    guard !directory.isEmpty else { throw ValidationError("The directory must not be empty.") }
  }

  func run() throws {
    let path = URL(filePath: directory).standardizedFileURL.path
    try data.withCatalog { catalog in
      let summary = try Backup.create(
        of: data.directory, at: path, linkingTo: linkTo.map { URL(filePath: $0).standardizedFileURL.path })
      try catalog.record(.backupCreated, path)
      Terminal.say("Backed up to \(path): \(summary.text)")
    }
  }
}
