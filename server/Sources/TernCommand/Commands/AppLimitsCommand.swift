import AppCatalog
import ArgumentParser
import Warehouse

extension AppsCommand {
  /// `tern apps limits`
  struct Limits: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show how much an app may send, and change it.",
      discussion: """
        Requests beyond a limit are refused with the time after which to try again. Tern's SDK and App Center's keep their
        events until then; hits of Google Analytics are dropped and counted as "rate_limited". Requests and events are
        averaged over a minute. Bytes are those that the server stores, and no app can fill more than a quarter of the free
        disk space in a day. A running server applies a change within a second.

        Examples:
          tern apps limits 1
          tern apps limits 1 --events-per-second 50000 --bytes-per-day 100GiB
          tern apps limits 1 --usual                   the default limits
        """)

    @Argument(help: ArgumentHelp("The app's ID; `tern apps list` shows it.", valueName: "id"))
    var app: String

    @Option(parsing: .unconditional, help: ArgumentHelp("Requests per second.", valueName: "number"))
    var requestsPerSecond: Int?

    @Option(parsing: .unconditional, help: ArgumentHelp("Events per second.", valueName: "number"))
    var eventsPerSecond: Int?

    @Option(help: ArgumentHelp("Bytes stored per day, for example 50GiB.", valueName: "size"))
    var bytesPerDay: String?

    @Option(parsing: .unconditional, help: ArgumentHelp("New installs per day.", valueName: "number"))
    var installsPerDay: Int?

    @Flag(help: "Restore the default limits.")
    var usual = false

    @Flag(help: "Print a JSON object.")
    var json = false

    @OptionGroup var data: DataOption

    func validate() throws {
      let isChanging = requestsPerSecond != nil || eventsPerSecond != nil || bytesPerDay != nil || installsPerDay != nil
      guard !usual || !isChanging else { throw ValidationError("Choose limits or --usual.") }
      if let bytesPerDay { _ = try ServerSettings.size(bytesPerDay) }
    }

    func run() throws {
      let limits = try data.withCatalog { catalog in
        let app = try AppOption.find(app, in: catalog)
        let before = try catalog.usageLimitChanges(of: app.id)
        var changes = usual ? UsageLimitChanges() : before
        changes.requestsPerSecond = requestsPerSecond ?? changes.requestsPerSecond
        changes.eventsPerSecond = eventsPerSecond ?? changes.eventsPerSecond
        changes.bytesPerDay = try bytesPerDay.map { try ServerSettings.size($0) } ?? changes.bytesPerDay
        changes.installsPerDay = installsPerDay ?? changes.installsPerDay
        if changes != before { try catalog.setUsageLimits(of: app.id, to: changes) }
        return changes.limits
      }
      Terminal.say(json ? try CommandOutput.json(limits) : Self.listing(limits))
    }

    /// The table of limits and their defaults.
    static func listing(_ limits: UsageLimits) -> String {
      let usual = UsageLimits.app
      return CommandOutput.table([
        ["LIMIT", "NOW", "USUALLY"],
        ["requests per second", "\(limits.requestsPerSecond)", "\(usual.requestsPerSecond)"],
        ["events per second", "\(limits.eventsPerSecond)", "\(usual.eventsPerSecond)"],
        ["MiB stored per day", "\(limits.bytesPerDay >> 20)", "\(usual.bytesPerDay >> 20)"],
        ["new installs per day", "\(limits.installsPerDay)", "\(usual.installsPerDay)"],
      ])
    }
  }
}
