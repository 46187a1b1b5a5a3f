import AppCatalog
import ArgumentParser
import Reports
import TernEvents
import TernServer
import Warehouse
import WarehouseSQLite

extension AppsCommand {
  /// `tern apps set`
  struct Set: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Change an app's name, time zone, identifiers, or how long its rows are kept.",
      discussion: """
        A running server applies a change within a second; clients that send an old app secret or tracking ID are then no
        longer accepted. After a new time zone all days are counted again, by the server if one runs; until then, figures
        of some days are those of the old time zone. Days whose rows are gone keep the old one.

        --keep removes rows that are older, with people's trails and the texts and attachments of errors: at once, and
        then once an hour while a server runs. Reports of whole days stay; questions lose the days before. Removed rows
        can't be brought back, so before any are removed at once, the command says how many and asks for confirmation.
        In scripts, add --yes.

        Examples:
          tern apps set 1 --name "My Player"
          tern apps set 1 --app-secret 6f9a1c52-0d4e-4a0b-9f5e-2f1f3f6f7a10
          tern apps set 1 --time-zone Europe/Berlin
          tern apps set 1 --add-write-key wk_example
          tern apps set 1 --keep 13mo
        """)

    @Argument(help: ArgumentHelp("The app's ID; `tern apps list` shows it.", valueName: "id"))
    var app: String

    @Option(help: "The display name.")
    var name: String?

    @Option(help: ArgumentHelp("The time zone of the reports' days, for example Europe/Berlin.", valueName: "zone"))
    var timeZone: String?

    @Option(help: ArgumentHelp("The app secret of an app with an App Center SDK.", valueName: "uuid"))
    var appSecret: String?

    @Option(
      name: .customLong("tracking-id"),
      help: ArgumentHelp("The tracking ID of an app with a Google Analytics SDK.", valueName: "UA-…"))
    var trackingID: String?

    @Option(
      help: ArgumentHelp("A key that clients of another system send (docs/clients.md); repeatable.", valueName: "key"))
    var addWriteKey: [String] = []

    @Option(help: ArgumentHelp("A key of another system that is no longer accepted; repeatable.", valueName: "key"))
    var removeWriteKey: [String] = []

    @Option(help: ArgumentHelp("How long rows are kept: 90d, 13mo, forever.", valueName: "time"))
    var keep: String?

    @OptionGroup var confirmation: Confirmation

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var data: DataOption

    func validate() throws {
      guard
        name != nil || timeZone != nil || appSecret != nil || trackingID != nil || keep != nil
          || !(addWriteKey + removeWriteKey).isEmpty
      else {
        throw ValidationError("Choose what to change; `tern help apps set` lists the options.")
      }
      do { _ = try keep.map { try KeepingPeriod.reading($0) } } catch let error as WarehouseError {
        throw ValidationError(error.message)
      }
    }

    func run() async throws {
      let catalog = try data.openCatalog()
      defer { try? catalog.close() }
      let app = try AppOption.find(app, in: catalog)
      let period = try keep.flatMap { try KeepingPeriod.reading($0) }
      let removed = if let period { try await confirmedRemoval(period, of: app) } else { Day?.none }
      let (changed, job) = try catalog.changeApp(
        app.id,
        AppChange(
          name: name, timeZone: timeZone, appSecret: appSecret, trackingID: trackingID,
          writeKeys: try writeKeys(of: app),
          keeping: try keep.map { try KeepingPeriod.reading($0) }))
      Terminal.say(json ? CommandOutput.json(ShownApp(changed), ShownApp.members) : List.listing([changed]))
      if let job {
        let message = try await JobRunner.wait(for: job, data, catalog)
        if !json { Terminal.say(message) }
      }
      if let removed {
        let job = try catalog.requestRemoval(ofRowsOf: app.id, before: removed)
        let message = try await JobRunner.wait(for: job, data, catalog)
        if !json { Terminal.say(message) }
      }
    }

    /// Returns all keys of other systems after the change; `nil` without one.
    private func writeKeys(of app: App) throws -> [String]? {
      guard !(addWriteKey + removeWriteKey).isEmpty else { return nil }
      if let unknown = removeWriteKey.first(where: { !app.writeKeys.contains($0) }) {
        throw ServerFailure(
          "App \(app.id) has no write key \(visible(unknown)). It has: \(app.writeKeys.joined(separator: ", ")).")
      }
      let kept = app.writeKeys.filter { !removeWriteKey.contains($0) }
      return kept + addWriteKey.filter { !kept.contains($0) }
    }

    /// Asks for confirmation if a shorter period removes rows, and returns the day before which they are to be removed
    /// at once; `nil` if there are none. A wrong clock can't remove more than the person has confirmed.
    private func confirmedRemoval(_ period: KeepingPeriod, of app: App) async throws -> Day? {
      let now = WallClock.system()
      let today = ReportZone(app.zone).day(of: now)
      let first = period.firstDay(today: today)
      if let kept = app.keeping, kept.firstDay(today: today) >= first { return nil }
      let usage = try await data.withReader { _, reader in
        try await reader.rowUsage(of: app.id, before: [Int64(first.number) * 86_400_000])
      }
      let rows = usage.rowsBefore.first ?? 0
      guard rows > 0 else { return nil }
      try confirmation.require(
        """
        This removes about \(grouped(rows)) of \(grouped(usage.rows)) rows of app \(app.id), \"\(visible(app.name))\": those \
        before \(first), with people's trails and the texts and attachments of errors. Reports of whole days stay.
        """)
      return first
    }
  }
}
