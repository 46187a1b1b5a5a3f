import AppCatalog
import ArgumentParser
import Warehouse
import WarehouseSQLite

extension AppsCommand {
  /// `tern apps names`
  struct Names: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show how many different names an app has brought, and change how many new ones it may bring a day.",
      discussion: """
        Names beyond the limit of their kind, and beyond the new ones of the day, are stored and counted, but reported
        as "(other)"; those that are known are never touched. Anybody who has the app's key can use up the new ones of
        a day. A running server follows a change within a second; `tern rebuild` gives stored events their names.

        Examples:
          tern apps names 1
          tern apps names 1 --per-day 20000     more, for each kind of name
          tern apps names 1 --per-day 0         none beyond the limit
          tern apps names 1 --usual-per-day     as many as before
        """)

    @Argument(help: ArgumentHelp("The app's id, as `tern apps list` shows it.", valueName: "id"))
    var app: String

    @Option(help: ArgumentHelp("How many new names of each kind the app may bring a day.", valueName: "number"))
    var perDay: Int?

    @Flag(help: "Go back to the usual number.")
    var usualPerDay = false

    @Flag(help: "Print a JSON array.")
    var json = false

    @OptionGroup var data: DataOption

    func validate() throws {
      guard perDay == nil || !usualPerDay else { throw ValidationError("Choose --per-day or --usual-per-day.") }
    }

    func run() async throws {
      let catalog = try data.existingCatalog()
      defer { try? catalog.close() }
      let app = try AppOption.find(app, in: catalog)
      if perDay != nil || usualPerDay { try catalog.setNewNamesPerDay(of: app.id, to: perDay) }
      let reader = try SQLiteWarehouse.openForReading(directory: data.directory, catalog: catalog)
      defer { try? reader.close() }
      let names = try await reader.names(of: app.id)
      Terminal.say(json ? try CommandOutput.json(names) : Self.listing(names))
    }

    /// The numbers as people read them.
    static func listing(_ names: [NameFigures]) -> String {
      let rows = names.map { [$0.kind, "\($0.known)", "\($0.limit)", "\($0.perDay)"] }
      return CommandOutput.table([["NAMES OF", "KNOWN", "LIMIT", "THEN PER DAY"]] + rows)
    }
  }
}
