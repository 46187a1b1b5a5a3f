import Alerts
import AppCatalog
import ArgumentParser
import Outgoing
import Portal
import Reports
import TernEvents
import TernServer
import Warehouse

/// `tern mail-reports`
struct MailReportsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mail-reports",
    abstract: "Mail the overview or a dashboard regularly. Works while a server runs.",
    subcommands: [Add.self, MailReportsChangeCommand.self, List.self, Send.self, History.self, Delete.self])

  /// `tern mail-reports add`
  struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add a report by mail.",
      discussion: """
        The report has the figures of the day, week or month that has ended, with their changes since the one before. It is \
        sent every day, on Mondays or on the first of the month.

        Examples:
          tern mail-reports add --app 1 --every day --to someone@example.org
          tern mail-reports add --app 1 --every week --hour 9 --dashboard "At a glance" --to a@example.org --to b@example.org
        """)

    @Option(name: .customLong("app"), help: ArgumentHelp("The app's ID; `tern apps list` shows it.", valueName: "id"))
    var app: String
    @Option(
      help: ArgumentHelp("The period of the report: day, week or month.", valueName: "period"),
      transform: { try choice($0) })
    var every: MailReport.Cadence
    @Option(help: ArgumentHelp("The hour in the app's time zone, 0 to 23.", valueName: "hour")) var hour = 7
    @Option(help: ArgumentHelp("The name of a dashboard. Without it, the overview is sent.", valueName: "name"))
    var dashboard: String?
    @Option(help: ArgumentHelp("The email address of a recipient; repeatable.", valueName: "address")) var to: [String]
    @OptionGroup var data: DataOption

    func run() throws {
      let recipients = try MailReportsCommand.recipients(to)
      let (report, name) = try data.withCatalog { catalog in
        let app = try AppOption.find(app, in: catalog).id
        let dashboards = try catalog.dashboards(app: app)
        let report = try catalog.createMailReport(
          MailReport(
            app: app, subject: try dashboard.map { try MailReportsCommand.subject($0, dashboards) } ?? .overview,
            cadence: every, hour: hour, recipients: recipients))
        return (report, report.name(among: dashboards))
      }
      Terminal.say("Report \(report.id), \"\(visible(name))\": \(report.schedule).")
    }
  }

  /// `tern mail-reports list`
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List reports by mail.",
      discussion: """
        Examples:
          tern mail-reports list
          tern mail-reports list --app 1 --json
        """)

    @Option(name: .customLong("app"), help: ArgumentHelp("List only the reports of this app.", valueName: "id"))
    var app: String?
    @Flag(help: "Print a JSON array.") var json = false
    @OptionGroup var data: DataOption

    func run() throws {
      let reports = try data.withCatalog { catalog in
        let app = try app.map { try AppOption.find($0, in: catalog).id }
        return try catalog.mailReports().map(\.report).filter { app == nil || $0.app == app }.map { report in
          ShownMailReport(report, name: report.name(among: try catalog.dashboards(app: report.app)))
        }
      }
      if json { return Terminal.say(CommandOutput.json(reports, ShownMailReport.members)) }
      if reports.isEmpty { return Terminal.say("No reports by mail yet. Add one with tern mail-reports add.") }
      Terminal.say(
        CommandOutput.table(
          [["REPORT", "APP", "NAME", "SCHEDULE", "TO"]]
            + reports.map { shown in
              let (report, to) = (shown.report, shown.report.recipients.map(\.text).joined(separator: ", "))
              return [
                "\(report.id)", "\(report.app)", visible(shown.name), report.schedule,
                to.isEmpty ? "no one: all have unsubscribed" : to,
              ]
            }))
    }
  }

  /// `tern mail-reports send-now`
  struct Send: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "send-now", abstract: "Send a report now, about the last period that has ended.",
      discussion: """
        The server sends it. The next regular mail is sent as well.

        Example:
          tern mail-reports send-now 3
        """)

    @Argument(help: "The number of the report; `tern mail-reports list` shows it.") var report: Int64
    @OptionGroup var data: DataOption

    func run() throws {
      try data.withCatalog { catalog in
        let found = try MailReportsCommand.find(report, in: catalog)
        guard !found.recipients.isEmpty else {
          throw ServerFailure(
            "This report has no recipients: all have unsubscribed. Add some with `tern mail-reports change`, or delete it."
          )
        }
        guard try catalog.requestMailReport(report, app: found.app) != nil else {
          throw MailReportsCommand.unknown(report)
        }
        let when = try catalog.isServed() ? "in a few seconds" : "when the server is started"
        Terminal.say("The report will be sent \(when). `tern mail-reports history \(report)` shows whether it arrives.")
      }
    }
  }

  /// `tern mail-reports history`
  struct History: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the mails of a report, and whether they arrived.",
      discussion: """
        Example:
          tern mail-reports history 3
        """)

    @Argument(help: "The number of the report; `tern mail-reports list` shows it.") var report: Int64
    @OptionGroup var data: DataOption

    func run() throws {
      let mails = try data.withCatalog { catalog in
        _ = try MailReportsCommand.find(report, in: catalog)
        return try catalog.mailReportNotifications(of: report, limit: 100)
      }
      if mails.isEmpty { return Terminal.say("No mails yet.") }
      CommandOutput.say(mails)
    }
  }

  /// `tern mail-reports delete`
  struct Delete: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Delete a report by mail with its history.",
      discussion: """
        Example:
          tern mail-reports delete 3
        """)

    @Argument(help: "The number of the report; `tern mail-reports list` shows it.") var report: Int64
    @OptionGroup var data: DataOption

    func run() throws {
      try data.withCatalog { catalog in
        let app = try MailReportsCommand.find(report, in: catalog).app
        guard try catalog.removeMailReport(report, app: app) != nil else { throw MailReportsCommand.unknown(report) }
      }
      Terminal.say("Report \(report) was deleted.")
    }
  }

  /// Finds a report by its number; throws if there is none.
  static func find(_ id: Int64, in catalog: Catalog) throws -> MailReport {
    guard let report = try catalog.mailReports().first(where: { $0.report.id == id })?.report else { throw unknown(id) }
    return report
  }

  /// Parses addresses; throws if one of them isn't an email address.
  static func recipients(_ texts: [String]) throws -> [MailAddress] {
    try texts.map { text in
      do throws(OutgoingError) { return try MailAddress.parse(text) } catch {
        throw ServerFailure("\"\(visible(text))\" can't be a recipient. \(error.message)")
      }
    }
  }

  /// Finds a dashboard by its name; throws if there is none.
  static func subject(_ name: String, _ dashboards: [Dashboard]) throws -> MailReport.Subject {
    guard let found = dashboards.first(where: { $0.name == name }) else {
      throw ServerFailure("There is no dashboard \"\(visible(name))\". Give its name as on its page.")
    }
    return .dashboard(found.id)
  }

  static func unknown(_ id: Int64) -> ServerFailure {
    ServerFailure("There is no report \(id). Run `tern mail-reports list` to see all reports by mail.")
  }
}
