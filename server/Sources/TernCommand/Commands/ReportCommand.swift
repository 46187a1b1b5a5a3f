import ArgumentParser
import Foundation
import Reports
import Warehouse

/// `tern report`
struct ReportCommand: AsyncParsableCommand {
  private static let viewNames = ViewReportName.allCases.map { name in
    "  \(name.rawValue.padding(toLength: 12, withPad: " ", startingAt: 0))\(name.explanation)"
  }.joined(separator: "\n")
  private static let completions = Set(
    ReportName.allCases.map(\.rawValue) + ViewReportName.allCases.map(\.rawValue)
  ).sorted()
  private static let names = ReportName.allCases.map(\.rawValue).joined(separator: ", ")

  static let configuration = CommandConfiguration(
    commandName: "report", abstract: "Print a report of an app; works while a server runs.",
    discussion: """
      Reports: \(names).
      With --view:
      \(viewNames)
      Days are those of the time zone of the app, or of the view; without --from and --to they are the last 30, ending today.

      Examples:
        tern report overview --app 1
        tern report events --app 1 --from 2026-05-01 --to 2026-05-31 --format csv
        tern report event --event "Video clicked" --app 1 --format json
        tern report errors --app 1 --days 7
        tern report error --occurrence 4711 --app 1
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

  @Option(help: ArgumentHelp("The number of days that end with the last one.", valueName: "number"))
  var days: String?

  @Option(help: ArgumentHelp("The event that the report `event` is about.", valueName: "name"))
  var event: String?

  @Option(help: ArgumentHelp("The fault that the report `error` is about; `errors` lists them.", valueName: "number"))
  var group: String?

  @Option(help: ArgumentHelp("The occurrence that the report `error` is about.", valueName: "number"))
  var occurrence: String?

  @Option(help: ArgumentHelp("The view whose figures to show; `tern views list` shows all.", valueName: "id"))
  var view: String?

  @Option(help: ArgumentHelp("The most rows of each list.", valueName: "number"))
  var limit: String?

  @Option(help: ArgumentHelp("table, json or csv.", valueName: "format"))
  var format = ReportFormat.table.rawValue

  @OptionGroup var data: DataOption

  func run() async throws {
    let format = try ReportFormat(parsing: format)
    // Before the directory is looked at: what is wrong with the question does not depend on it.
    if view == nil { _ = try request(app: AppID(0), timeZone: "UTC") } else { _ = try ViewReportName(parsing: name) }
    let catalog = try data.existingCatalog()
    defer { try? catalog.close() }
    let app = try app.find(in: catalog)
    let reader = try SQLiteWarehouse.openForReading(directory: data.directory, catalog: catalog)
    defer { try? reader.close() }
    if let view = try catalog.view(named: view, of: app.id) {
      let request = try ViewReportRequest(
        name: name, view: view, parameters: parameters, now: Catalog.systemTime())
      return Terminal.say(try await request.report(from: reader).text(format))
    }
    let report = try await request(app: app.id, timeZone: app.timeZone).report(from: reader)
    Terminal.say(try report.text(format))
  }

  private var parameters: [String: String] {
    var parameters: [String: String] = [:]
    parameters["from"] = from
    parameters["to"] = to
    parameters["days"] = days
    parameters["event"] = event
    parameters["group"] = group
    parameters["occurrence"] = occurrence
    parameters["limit"] = limit
    return parameters
  }

  private func request(app: AppID, timeZone: String) throws -> ReportRequest {
    try ReportRequest(
      name: name, app: app, timeZone: timeZone, parameters: parameters, now: Catalog.systemTime())
  }
}
