import AppCatalog
import ArgumentParser
import Foundation
import Reports
import TernServer
import Warehouse

extension ViewsCommand {
  /// `tern views imported`
  struct Imported: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Import days counted by Google Analytics into a view. Works while a server runs.",
      discussion: """
        The report `overview` of the view shows imported figures apart from counted ones, and never adds them up. It
        leaves out imported days on which the view has hits of its own. docs/export-format.md says which files are read.
        """,
      subcommands: [Add.self, List.self, Delete.self])

    struct ViewArgument: ParsableArguments {
      @Argument(help: "The view's ID; `tern views list` shows it.")
      var view: Int64

      func find(in catalog: Catalog) throws -> View {
        guard let view = try catalog.view(ViewID(view)) else {
          throw ServerFailure("There is no view \(view). Run `tern views list` to see all views.")
        }
        return view
      }
    }

    /// `tern views imported add`
    struct Add: ParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "Add the days of reports that Google Analytics (UA) exported as CSV in English (US).",
        discussion: """
          Figures of the same day and metric are replaced, so adding a file twice changes nothing. A file is added as a
          whole or not at all. The command is recorded in the audit log.

          Example:
            tern views imported add 3 2016-users.csv 2016-sessions.csv
          """)

      @OptionGroup var view: ViewArgument

      @Argument(help: "The files.", completion: .file())
      var files: [String]

      @OptionGroup var data: DataOption

      func run() throws {
        try data.withCatalog { catalog in
          let view = try view.find(in: catalog)
          for path in files { Terminal.say(try Self.add(path, to: view, catalog)) }
        }
      }

      private static func add(_ path: String, to view: View, _ catalog: Catalog) throws -> String {
        let file: AnalyticsReportFile
        do {
          file = try AnalyticsReportFile(try bytes(of: path))
        } catch let fault as AnalyticsReportFile.Fault {
          throw ServerFailure("\(path) can't be imported. \(fault)")
        }
        let name = URL(filePath: path).lastPathComponent
        let (new, changed) = try catalog.importFigures(file.figures, to: view.id, source: name)
        let metrics = Swift.Set(file.figures.map(\.metric)).sorted().map { visible($0) }.joined(separator: ", ")
        let skipped = file.skipped.map { " Left out, because it has no days: \(visible($0))." }.joined()
        return "\(path): \(metrics) of \"\(visible(file.view))\", \(file.days.lowerBound) to \(file.days.upperBound): "
          + "\(grouped(new)) figures are new, \(grouped(changed)) changed.\(skipped)"
      }

      private static func bytes(of path: String) throws -> [UInt8] {
        guard let file = FileHandle(forReadingAtPath: path) else { throw ServerFailure("\(path) can't be opened.") }
        defer { try? file.close() }
        do {
          // One byte more than the limit, so that a larger file is noticed without reading all of it.
          return [UInt8](try file.read(upToCount: AnalyticsReportFile.maximumBytes + 1) ?? Data())
        } catch {
          throw ServerFailure("\(path) can't be read: \(error.localizedDescription)")
        }
      }
    }

    /// `tern views imported list`
    struct List: ParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "List the imported metrics of a view with their days.")

      @OptionGroup var view: ViewArgument

      @Flag(help: "Print a JSON array.")
      var json = false

      @OptionGroup var data: DataOption

      private struct Description: Encodable {
        let metric, from, to: String
        let days: Int
      }

      func run() throws {
        let metrics = try data.withCatalog { try $0.importedMetrics(view: try view.find(in: $0).id) }
        if json {
          return Terminal.say(
            try CommandOutput.json(
              metrics.map {
                Description(
                  metric: $0.name, from: $0.days.lowerBound.description, to: $0.days.upperBound.description,
                  days: $0.count)
              }))
        }
        if metrics.isEmpty { return Terminal.say("Nothing was imported into this view.") }
        let rows = metrics.map {
          [visible($0.name), $0.days.lowerBound.description, $0.days.upperBound.description, grouped($0.count)]
        }
        Terminal.say(CommandOutput.table([["METRIC", "FROM", "TO", "DAYS"]] + rows))
      }
    }

    /// `tern views imported delete`
    struct Delete: ParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "Delete the imported figures of a view. What the view has counted stays.")

      @OptionGroup var view: ViewArgument

      @Option(help: ArgumentHelp("Only this metric.", valueName: "name"))
      var metric: String?

      @OptionGroup var confirmation: Confirmation

      @OptionGroup var data: DataOption

      func run() throws {
        try data.withCatalog { catalog in
          let view = try view.find(in: catalog)
          let metrics = try catalog.importedMetrics(view: view.id).filter { metric == nil || $0.name == metric }
          let count = metrics.reduce(0) { $0 + $1.count }
          guard count > 0 else {
            throw ServerFailure(
              "View \(view.id) has no such figures. Run `tern views imported list \(view.id)` to see them all.")
          }
          try confirmation.require(
            "This deletes \(grouped(count)) imported figures of view \(view.id), \"\(visible(view.name))\": "
              + "\(metrics.map { visible($0.name) }.joined(separator: ", ")).")
          let deleted = try catalog.deleteImported(view: view.id, metric: metric)
          Terminal.say("Deleted \(grouped(deleted)) imported figures of view \(view.id).")
        }
      }
    }
  }
}
