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

      With --check, nothing is copied: an existing backup is read whole and compared with its list of files, as `tern
      restore` does before it uses one. Exit code 1: files are damaged or missing, which it names, or there is no backup.

      Examples:
        tern backup /mnt/backups/monday --data /var/lib/tern
        tern backup /mnt/backups/tuesday --link-to /mnt/backups/monday
        tern backup --check /mnt/backups/tuesday
      """)

  @Argument(help: "The new directory, or the backup to check.", completion: .directory)
  var directory: String

  @Flag(help: "Read an existing backup and compare it with its list of files.")
  var check = false

  @Option(help: ArgumentHelp("An earlier backup to share files with.", valueName: "directory"), completion: .directory)
  var linkTo: String?

  @OptionGroup var data: DataOption

  func validate() throws {
    guard !directory.isEmpty else { throw ValidationError("The directory must not be empty.") }
    guard !check || linkTo == nil else { throw ValidationError("--link-to belongs to a new backup, not to --check.") }
  }

  func run() throws {
    let path = URL(filePath: directory).standardizedFileURL.path
    if check { return try checkBackup(path) }
    try data.withCatalog { catalog in
      let summary = try Backup.create(
        of: data.directory, at: path, linkingTo: linkTo.map { URL(filePath: $0).standardizedFileURL.path })
      try catalog.record(.backupCreated, path)
      Terminal.say("Backed up to \(path): \(summary.text)")
      if let exposure = summary.exposure { Terminal.complain("tern: \(exposure)") }
      if let damage = summary.damageBefore { Terminal.complain("tern: \(damage) Don't restore that backup.") }
    }
  }

  private func checkBackup(_ path: String) throws {
    let result = try Backup.check(path) { Terminal.progress("\(grouped($0 >> 20)) MiB read") }
    Terminal.progress("")
    for damage in result.damages { Terminal.say(damage) }
    guard result.damages.isEmpty else {
      Terminal.complain(
        "tern: \(grouped(result.damages.count)) of \(counted(result.files, "file")) are damaged or missing. Don't restore \(path)."
      )
      throw ExitCode(1)
    }
    let summary = result.summary
    Terminal.say(
      """
      \(path) is whole: \(summary.content), of \(summary.created.isoText). \(counted(result.files, "file")) were \
      compared.\(summary.retired)
      """)
  }
}
