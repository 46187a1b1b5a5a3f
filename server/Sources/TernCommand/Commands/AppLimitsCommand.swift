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
        disk space in a day. Beyond the limit of errors' texts and attachments, the oldest are removed; their errors still
        count. A running server applies a change within a second.

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

    @Option(
      help: ArgumentHelp("Bytes of errors' texts and attachments that are kept, for example 4GiB.", valueName: "size"))
    var errorTextBytes: String?

    @Flag(help: "Restore the default limits.")
    var usual = false

    @Flag(help: "Print a JSON object.")
    var json = false

    @OptionGroup var data: DataOption

    func validate() throws {
      let sizes = [bytesPerDay, errorTextBytes].compactMap(\.self)
      let isChanging = requestsPerSecond != nil || eventsPerSecond != nil || installsPerDay != nil || !sizes.isEmpty
      guard !usual || !isChanging else { throw ValidationError("Choose limits or --usual.") }
      for size in sizes { _ = try ServerSettings.size(size) }
    }

    func run() throws {
      let limits = try data.withCatalog { catalog in
        let app = try AppOption.find(app, in: catalog)
        var changes = usual ? UsageLimitChanges() : try catalog.usageLimitChanges(of: app.id)
        changes.requestsPerSecond = requestsPerSecond ?? changes.requestsPerSecond
        changes.eventsPerSecond = eventsPerSecond ?? changes.eventsPerSecond
        changes.bytesPerDay = try bytesPerDay.map { try ServerSettings.size($0) } ?? changes.bytesPerDay
        changes.installsPerDay = installsPerDay ?? changes.installsPerDay
        changes.errorTextBytes = try errorTextBytes.map { try ServerSettings.size($0) } ?? changes.errorTextBytes
        try catalog.setUsageLimits(of: app.id, to: changes)
        return changes.values
      }
      Terminal.say(json ? try CommandOutput.json(limits) : Self.listing(limits))
    }

    /// The table of limits and their defaults.
    static func listing(_ limits: [String: Int]) -> String {
      CommandOutput.table(
        [["LIMIT", "NOW", "USUALLY"]]
          + UsageLimitChanges.members.map { member in
            [
              member.title, "\((limits[member.name] ?? member.usual) / member.unitBytes)",
              "\(member.usual / member.unitBytes)",
            ]
          })
    }
  }
}
