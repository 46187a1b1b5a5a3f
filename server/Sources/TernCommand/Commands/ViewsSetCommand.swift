import AppCatalog
import ArgumentParser
import Collector
import Reports
import Warehouse

extension ViewsCommand {
  /// `tern views set`
  struct Set: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Change a view from its next day on; its name at once.",
      discussion: """
        Days that have begun stay as they are, and each day is counted and checked by what holds for it. What is not given \
        stays. A change that was made today takes the place of an earlier one of today. Who is a user can only be chosen \
        when a view is created: create another for that, it counts all hits there are. The zone has a command of its own, \
        tern views zone.

        A view whose days were open for ever (--lateness none) asks for --yes: with another lateness those days become \
        final, too.

        Examples:
          tern views set 3 --session-timeout 60 --currency EUR
          tern views set 3 --filter av=2.0 --filter an!=Internal
          tern views set 3 --no-filters --name Everything --json
        """)

    @Argument(help: "The view's id.")
    var view: Int64

    @Option(help: ArgumentHelp("The name that people read; holds for all reports at once.", valueName: "name"))
    var name: String?

    @Option(help: ArgumentHelp("cutoff, window or none.", valueName: "rule"), transform: { try choice($0) })
    var lateness: View.Lateness?

    @Option(
      help: ArgumentHelp(
        "What a hit must have, in place of all filters so far: parameter=value or parameter!=value; may be given several "
          + "times.", valueName: "filter"), transform: ViewsCommand.filter)
    var filter: [ViewFilter] = []

    @Flag(help: "Count all hits, whatever they have.")
    var noFilters = false

    @Option(help: ArgumentHelp("Minutes of silence that end a session, from 1 to 240.", valueName: "minutes"))
    var sessionTimeout: Int?

    @Option(help: ArgumentHelp("Days that a campaign lasts, from 1 to 731.", valueName: "days"))
    var campaignDays: Int?

    @Flag(inversion: .prefixedNo, help: "Whether hits beyond the 500th of their session are left out.")
    var quotas: Bool?

    @Option(help: ArgumentHelp("What amounts of money are in, for example EUR; a label.", valueName: "code"))
    var currency: String?

    @Flag(help: "No label for amounts of money.")
    var noCurrency = false

    @Flag(
      inversion: .prefixedNo,
      help: "In a view by uid: whether hits before the one that names the uid belong to it in their session.")
    var unification: Bool?

    @Flag(help: "Let days that were open for ever become final.")
    var yes = false

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var data: DataOption

    func validate() throws {
      if noFilters, !filter.isEmpty { throw ValidationError("Give either --filter or --no-filters.") }
      if noCurrency, currency != nil { throw ValidationError("Give either --currency or --no-currency.") }
      // As seconds it must not overflow; the catalog says what is allowed.
      guard (0...100_000).contains(sessionTimeout ?? 0) else {
        throw ValidationError("A session time-out is from 1 to 240 minutes.")
      }
      if change.isEmpty { throw ValidationError("Say what to change, for example --session-timeout 60.") }
    }

    private var change: ViewChange {
      var change = ViewChange()
      change.name = name
      change.lateness = lateness
      change.filters = noFilters || !filter.isEmpty ? filter : nil
      change.sessionTimeout = sessionTimeout.map { .seconds($0 * 60) }
      change.campaignDays = campaignDays
      change.hasQuotas = quotas
      change.currency = noCurrency ? "" : currency
      change.hasUnification = unification
      return change
    }

    func run() throws {
      let catalog = try data.existingCatalog()
      defer { try? catalog.close() }
      let view = try catalog.changeView(ViewID(view), change, endsOpenDays: yes)
      if json { return Terminal.say(try CommandOutput.json(ViewDescription(view, now: WallClock.system()))) }
      let rules = view.latest
      let filters = rules.filters.map(\.description).joined(separator: " ")
      let since = rules.start.map { "from \($0) on, and as before until then" } ?? "on all days"
      Terminal.say(
        "View \(view.id), \"\(visible(view.name))\", counts by lateness \(rules.lateness.rawValue), "
          + "\(rules.settings.summary), \(filters.isEmpty ? "no filters" : "filters \(visible(filters))"), \(since).")
    }
  }
}
