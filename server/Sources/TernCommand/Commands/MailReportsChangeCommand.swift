import Alerts
import AppCatalog
import ArgumentParser
import Outgoing
import Portal
import Reports
import Warehouse

/// `tern mail-reports change`
struct MailReportsChangeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "change", abstract: "Change the subject, the schedule or the recipients of a report by mail.",
    discussion: """
      Options that you leave out keep their values. --to replaces all recipients. Whoever has unsubscribed gets the report \
      again if you name them.

      Examples:
        tern mail-reports change 3 --hour 9
        tern mail-reports change 3 --every week --dashboard "At a glance"
        tern mail-reports change 3 --to a@example.org --to b@example.org
      """)

  @Argument(help: "The number of the report; `tern mail-reports list` shows it.") var report: Int64
  @Option(
    help: ArgumentHelp("The period of the report: day, week or month.", valueName: "period"),
    transform: { try choice($0) })
  var every: MailReport.Cadence?
  @Option(help: ArgumentHelp("The hour in the app's time zone, 0 to 23.", valueName: "hour")) var hour: Int?
  @Option(help: ArgumentHelp("The name of the dashboard to send.", valueName: "name")) var dashboard: String?
  @Flag(help: "Send the overview instead of a dashboard.") var overview = false
  @Option(help: ArgumentHelp("The email address of a recipient; repeatable.", valueName: "address"))
  var to: [String] = []
  @OptionGroup var data: DataOption

  func validate() throws {
    guard every != nil || hour != nil || dashboard != nil || overview || !to.isEmpty else {
      throw ValidationError("Say what to change, for example --hour 9.")
    }
    guard dashboard == nil || !overview else { throw ValidationError("Give either --dashboard or --overview.") }
  }

  func run() throws {
    let addresses = try MailReportsCommand.recipients(to)
    let (changed, name) = try data.withCatalog { catalog in
      try catalog.atomically {
        var new = try MailReportsCommand.find(report, in: catalog)
        let dashboards = try catalog.dashboards(app: new.app)
        if let every { new.cadence = every }
        if let hour { new.hour = hour }
        if let dashboard { new.subject = try MailReportsCommand.subject(dashboard, dashboards) }
        if overview { new.subject = .overview }
        if !addresses.isEmpty { new.recipients = addresses }
        guard let changed = try catalog.changeMailReport(new) else { throw MailReportsCommand.unknown(report) }
        return (changed, changed.name(among: dashboards))
      }
    }
    let recipients = changed.recipients.map(\.text).joined(separator: ", ")
    Terminal.say("Report \(changed.id), \"\(visible(name))\": \(changed.schedule), to \(recipients).")
  }
}
