import AppCatalog
import ArgumentParser
import Reports
import TernServer
import Warehouse

extension ViewsCommand {
  /// `tern views set`
  struct Set: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Change a view from its next day on, or its name at once.",
      discussion: """
        Days that have begun keep their settings, and each day is counted and checked by its own. Settings that you leave \
        out stay unchanged. A second change on the same day replaces the first. The definition of a user (--user-id) is \
        fixed: create another view instead, which counts all existing hits. To change the time zone, use tern views zone.

        Changing --lateness none needs --yes: days that would have stayed open forever then become final.

        Examples:
          tern views set 3 --session-timeout 60 --currency EUR
          tern views set 3 --filter av=2.0 --filter an!=Internal
          tern views set 3 --no-filters --name Everything --json
        """)

    @Argument(help: "The view's ID.")
    var view: Int64

    @Option(help: ArgumentHelp("The display name; applies to all reports at once.", valueName: "name"))
    var name: String?

    @Option(help: ArgumentHelp("cutoff, window or none.", valueName: "rule"), transform: { try choice($0) })
    var lateness: View.Lateness?

    @Option(
      help: ArgumentHelp(
        "A filter on hits, which replaces all existing ones: parameter=value or parameter!=value. Repeat the option "
          + "for more.", valueName: "filter"), transform: ViewsCommand.filter)
    var filter: [ViewFilter] = []

    @Flag(help: "Count all hits.")
    var noFilters = false

    @Option(
      parsing: .unconditional,
      help: ArgumentHelp("Minutes of silence that end a session, from 1 to 240.", valueName: "minutes"))
    var sessionTimeout: Int?

    @Option(
      parsing: .unconditional,
      help: ArgumentHelp("The duration of a campaign in days, from 1 to 731.", valueName: "days"))
    var campaignDays: Int?

    @Flag(inversion: .prefixedNo, help: "Leave out hits beyond the 500th of their session.")
    var quotas: Bool?

    @Option(help: ArgumentHelp("The label of amounts of money, for example EUR.", valueName: "code"))
    var currency: String?

    @Flag(help: "No label for amounts of money.")
    var noCurrency = false

    @Flag(
      inversion: .prefixedNo,
      help: "In a view by uid: count a session's hits before the first uid for that uid, too.")
    var unification: Bool?

    @Flag(help: "Allow days that would have stayed open forever to become final.")
    var yes = false

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var data: DataOption

    func validate() throws {
      if noFilters, !filter.isEmpty { throw ValidationError("Give either --filter or --no-filters.") }
      if noCurrency, currency != nil { throw ValidationError("Give either --currency or --no-currency.") }
      // As seconds it must not overflow; the catalog checks the range.
      guard (0...100_000).contains(sessionTimeout ?? 0) else {
        throw ValidationError(ViewSettings.sessionTimeoutFault)
      }
      if change.isEmpty { throw ValidationError("Choose a setting to change, for example --session-timeout 60.") }
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
      let view = try data.withCatalog { try $0.changeView(ViewID(self.view), change, endsOpenDays: yes) }
      if json { return Terminal.say(CommandOutput.json(ShownView(view, now: WallClock.system()), ShownView.members)) }
      let rules = view.latest
      let filters = rules.filters.map(\.description).joined(separator: " ")
      let since = rules.start.map { "from \($0) on, and as before until then" } ?? "on all days"
      Terminal.say(
        "View \(view.id), \"\(visible(view.name))\", counts by lateness \(rules.lateness.rawValue), "
          + "\(rules.settings.summary), \(filters.isEmpty ? "no filters" : "filters \(visible(filters))"), \(since).")
    }
  }
}
