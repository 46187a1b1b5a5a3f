import AppCatalog
import ArgumentParser
import Foundation
import Reports
import TernServer
import Warehouse
import WarehouseSQLite
import WarehouseUpkeep

/// `tern restore`
struct RestoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Make a new data directory from a backup, or from the rows on a cluster.",
    discussion: """
      All files are compared with the backup's hashes before the directory gets its name. The first start takes a moment
      longer: it collects the keys that detect duplicates. Clients that delivered events after the backup don't send
      them again.

      With --from-clickhouse, rows come from the cluster, up to the last one that it confirmed, and only the catalog from
      the backup, which may be a data directory or a file catalog.sqlite as well. Without any, a new catalog is made:
      --home tells which server it was (`tern clickhouse status` and the page Cluster show the number), and --app, or the
      terminal, what its apps were. docs/scaling.md tells what the cluster doesn't have.

      Examples:
        tern restore /mnt/backups/monday --data /var/lib/tern
        tern restore --from-clickhouse /mnt/backups/monday --clickhouse http://db1:8123 --data /var/lib/tern
        tern restore --from-clickhouse --home 5577006791947779410 --app 1,zone=UTC,key=tern_… --data /var/lib/tern
      """)

  @Argument(help: "The backup.", completion: .directory)
  var directory: String?

  @Flag(help: "Take the rows from the ClickHouse cluster.")
  var fromClickhouse = false

  @Option(
    help: ArgumentHelp(
      "The number of the server on the cluster, if there is no backup; leave it out to list all.", valueName: "number"))
  var home: UInt64?

  @Option(help: ArgumentHelp("Restore an older set of rows of that server.", valueName: "number"))
  var epoch: UInt64?

  @Option(
    help: ArgumentHelp(
      "An app that the catalog lacks, with the time zone that it had and the keys that clients use; can be repeated.",
      valueName: "number,zone=…,key=…,secret=…,tracking=…,name=…"))
  var app: [RestoredApp] = []

  @OptionGroup var data: DataOption
  @OptionGroup var cluster: ClusterOptions

  func validate() throws {
    if fromClickhouse { return }
    guard directory != nil else { throw ValidationError("Name a backup, or use --from-clickhouse.") }
    guard home == nil, epoch == nil, app.isEmpty else {
      throw ValidationError("--home, --epoch and --app belong to --from-clickhouse.")
    }
  }

  func run() async throws {
    let path = directory.map { URL(filePath: $0).standardizedFileURL.path }
    if fromClickhouse { return try await restoreFromCluster(path) }
    guard let path else { return }
    let summary = try Backup.restore(path, to: data.directory)
    let time = summary.created.isoText
    try data.withCatalog { catalog in
      try catalog.record(.backupRestored, "\(path), of \(time)")
      // It may be gone by now.
      try catalog.setSetting(LocalServer.lastBackupSetting, to: "")
    }
    Terminal.say("Restored \(grouped(summary.events)) events of \(time) to \(data.directory).")
  }

  private func restoreFromCluster(_ backup: String?) async throws {
    guard let connection = try ClusterConnection(try cluster.settings(data)) else {
      throw ServerFailure("Name the servers of the cluster with --clickhouse, such as --clickhouse http://db1:8123.")
    }
    let restore = ClusterRestore(
      connection: connection, directory: data.directory, backup: backup, homeID: home, epoch: epoch, apps: app)
    try await ServerFailure.describing { try await restore.run() }
  }
}
