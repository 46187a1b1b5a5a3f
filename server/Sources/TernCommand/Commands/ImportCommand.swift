import AppCatalog
import ArgumentParser
import Foundation
import Reports
import TernServer
import Warehouse

/// `tern import`
struct ImportCommand: AsyncParsableCommand {
  /// The kinds of files.
  enum Format: String, CaseIterable, Sendable {
    case tern
    case appCenter = "app-center"
  }

  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Add the rows of an export to an app.",
    discussion: """
      Reads NDJSON that `tern export` wrote on this server or another one (docs/export-format.md). The app must have the
      time zone of the export. With --format app-center, it reads logs that App Center exported to Azure Blob Storage,
      from files or folders. Files may be compressed with gzip. Rows that were imported before are recognized, so an
      interrupted import can simply be repeated. While a server runs on the directory, it does the work. The command is
      recorded in the audit log.

      Examples:
        tern import --app 2 app.ndjson
        zcat app.ndjson.gz | tern import --app 2 -
        tern import --app 2 --format app-center archive/2017 archive/2018
      """)

  @OptionGroup var app: AppOption

  @Option(
    help: ArgumentHelp("The kind of files: tern or app-center.", valueName: "format"), transform: { try choice($0) })
  var format = Format.tern

  @Argument(help: "The files, or folders of App Center's logs; - for standard input.", completion: .file())
  var files: [String]

  @OptionGroup var data: DataOption

  func validate() throws {
    guard files.count == 1 || !files.contains("-") else {
      throw ValidationError("Standard input can't be imported together with files.")
    }
  }

  func run() async throws {
    let catalog = try data.openCatalog()
    defer { try? catalog.close() }
    let app = try app.find(in: catalog)
    for file in files { try await add(file, to: app, catalog) }
  }

  private func add(_ file: String, to app: App, _ catalog: Catalog) async throws {
    let path =
      file == "-"
      ? try ImportInput.copyOfStandardInput(in: data.directory) : URL(filePath: file).standardizedFileURL.path
    guard FileManager.default.isReadableFile(atPath: path) else {
      throw ServerFailure("\(path) can't be read. Check its name and its permissions.")
    }
    let kind: DataJob.Kind = format == .tern ? .importFile : .importAppCenter
    let job: DataJob
    do {
      job = try catalog.addJob(kind, app: app.id, argument: path, audit: .imported, "app \(app.id), \(path)")
    } catch {
      ImportInput.removeCopy(path)
      throw error
    }
    Terminal.say(try await JobRunner.wait(for: job, data, catalog))
  }
}
