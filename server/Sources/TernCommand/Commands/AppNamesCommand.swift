import AppCatalog
import ArgumentParser
import Warehouse
import WarehouseSQLite

extension AppsCommand {
  /// `tern apps names`
  struct Names: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show an app's numbers of names, and change its daily allowance of new ones.",
      discussion: """
        Events with names beyond the limit of their kind and beyond the day's allowance are stored and counted, but
        reported as "(other)". Known names are not affected. Anyone with the app's key can use up a day's allowance.
        A running server applies a change within a second; `tern rebuild` gives stored events their names.

        Examples:
          tern apps names 1
          tern apps names 1 --per-day 20000     a larger allowance for each kind of name
          tern apps names 1 --per-day 0         no new names beyond the limit
          tern apps names 1 --usual-per-day     the default allowance
        """)

    @Argument(help: ArgumentHelp("The app's ID; `tern apps list` shows it.", valueName: "id"))
    var app: String

    @Option(
      parsing: .unconditional, help: ArgumentHelp("The number of new names of each kind per day.", valueName: "number"))
    var perDay: Int?

    @Flag(help: "Restore the default allowance.")
    var usualPerDay = false

    @Flag(help: "Print a JSON array.")
    var json = false

    @OptionGroup var data: DataOption

    func validate() throws {
      guard perDay == nil || !usualPerDay else { throw ValidationError("Choose --per-day or --usual-per-day.") }
    }

    func run() async throws {
      let names = try await data.withReader { catalog, reader in
        let app = try AppOption.find(app, in: catalog)
        if perDay != nil || usualPerDay { try catalog.changeApp(app.id, AppChange(newNamesPerDay: perDay)) }
        return try await reader.names(of: app.id)
      }
      Terminal.say(json ? try CommandOutput.json(names) : Self.listing(names))
    }

    /// The table of names and limits.
    static func listing(_ names: [NameUsage]) -> String {
      let rows = names.map { [$0.kind, "\($0.known)", "\($0.limit)", "\($0.perDay)"] }
      return CommandOutput.table([["NAMES OF", "KNOWN", "LIMIT", "THEN PER DAY"]] + rows)
    }
  }
}
