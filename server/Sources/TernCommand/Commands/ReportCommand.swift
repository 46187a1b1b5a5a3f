import AppCatalog
import ArgumentParser
import Foundation
import Reports
import ServerBase
import Warehouse

/// `tern report`
struct ReportCommand: AsyncParsableCommand {
  private static func list(_ reports: [ReportDefinition]) -> String {
    reports.map { "  \($0.name.padding(toLength: 12, withPad: " ", startingAt: 0))\($0.explanation)" }
      .joined(separator: "\n")
  }

  private static let reports = ReportRegistry.standard
  private static let completions = Set((reports.app + reports.view).map(\.name)).sorted()

  static let configuration = CommandConfiguration(
    commandName: "report", abstract: "Print a report of an app or view; works while a server runs.",
    discussion: """
      Reports of an app:
      \(list(reports.app))

      Reports of a view (--view):
      \(list(reports.view))

      Days are in the time zone of the app or view. The default range is the last 30 days, ending today.

      Examples:
        tern report overview --app 1
        tern report events --app 1 --from 2026-05-01 --to 2026-05-31 --format csv
        tern report events --app 1 --format csv --decimal comma > events.csv
        tern report event --event "Video clicked" --app 1 --format json
        tern report errors --app 1 --days 7
        tern report error --occurrence 4711 --app 1
        tern report dropped --app 1
        tern report live --app 1 --limit 20
        tern report late --app 1 --view 3
        tern report flow --app 1 --view 3 --days 7
      """)

  @Argument(help: "The report.", completion: .list(Self.completions))
  var name: String

  @OptionGroup var app: AppOption

  @Option(help: ArgumentHelp("The first day, YYYY-MM-DD.", valueName: "day"))
  var from: String?

  @Option(help: ArgumentHelp("The last day, YYYY-MM-DD.", valueName: "day"))
  var to: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The number of days in the range, ending with the last day.", valueName: "number"))
  var days: String?

  @Option(help: ArgumentHelp("The event of the report `event`; the report `events` lists them.", valueName: "name"))
  var event: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The group of the report `error`; the report `errors` lists them.", valueName: "number"))
  var group: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The occurrence of the report `error`; with --group, `error` lists them.", valueName: "number"))
  var occurrence: String?

  @Option(
    help: ArgumentHelp(
      "The errors of the report `errors`: open (the default), closed, ignored or all.", valueName: "status"))
  var status: String?

  @Option(help: ArgumentHelp("The view; `tern views list` lists them.", valueName: "id"))
  var view: String?

  @Option(parsing: .unconditional, help: ArgumentHelp("The maximum number of rows in each list.", valueName: "number"))
  var limit: String?

  @Option(help: ArgumentHelp("table, json or csv.", valueName: "format"))
  var format = ReportFormat.table.rawValue

  @OptionGroup var csv: CSVOptions

  @OptionGroup var data: DataOption

  func run() async throws {
    let format = try ReportFormat(parsing: format)
    // Check the request first: its mistakes do not depend on the data directory.
    if view == nil {
      _ = try request(of: .app(AppID(0), zone: .utc))
    } else {
      _ = try Self.reports.report(named: name, ofView: true)
    }
    let report = try await data.withReader { catalog, reader in
      try await catalog.addingStoredFacts(
        to: try request(of: try catalog.subject(view: view, of: app.find(in: catalog)))
      ).report(from: try data.symbolicated(reader, catalog))
    }
    if let remark = report.remark { Terminal.complain(remark) }
    Terminal.say(try report.text(format, csv.style))
  }

  private var parameters: [String: String] {
    var parameters: [String: String] = [:]
    parameters["from"] = from
    parameters["to"] = to
    parameters["days"] = days
    parameters["event"] = event
    parameters["group"] = group
    parameters["occurrence"] = occurrence
    parameters["status"] = status
    parameters["limit"] = limit
    return parameters
  }

  private func request(of subject: ReportSubject) throws -> ReportRequest {
    try ReportRequest(name, of: subject, parameters: parameters, now: WallClock.system())
  }
}
