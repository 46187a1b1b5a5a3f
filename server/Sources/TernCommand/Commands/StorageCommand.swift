import AppCatalog
import ArgumentParser
import Reports
import TernEvents
import Warehouse
import WarehouseSQLite

/// `tern storage`
struct StorageCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "storage", abstract: "Show the disk usage, its growth, and when the disk will be full.",
    discussion: """
      Works while a server runs. The sizes of apps are estimates. `tern apps set ID --keep 90d` removes older rows.

      Examples:
        tern storage
        tern storage --json
      """)

  @Flag(help: "Print one JSON object.")
  var json = false

  @OptionGroup var data: DataOption

  func run() async throws {
    let reserve = try Int64(settings().value(\.diskReserve))
    let report = try await data.withReader { catalog, reader in
      try await StorageReport(
        SQLiteWarehouse.diskUse(ofDirectory: data.directory, reserve: reserve), apps: try catalog.apps(), from: reader,
        now: WallClock.system())
    }
    if json { return Terminal.say(CommandOutput.json(report, StorageReport.members)) }
    Terminal.say(report.summary)
    let lines = report.lines.map { $0.map { visible($0) } }
    if !lines.isEmpty {
      Terminal.say("\n" + CommandOutput.table([StorageReport.columns.map { $0.uppercased() }] + lines))
    }
  }

  private func settings() throws -> EffectiveSettings {
    var settings = try data.settings()
    try settings.addFile(inDirectory: data.directory)
    return settings
  }
}
