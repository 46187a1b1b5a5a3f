import AppCatalog
import ArgumentParser
import Foundation
import Reports
import Symbols
import TernServer
import Warehouse
import WarehouseSQLite

/// The options for the data directory, which every command has.
struct DataOption: ParsableArguments {
  @Option(\.data, completion: .directory) var path: String?

  @Option(
    name: .customLong("config"),
    help: ArgumentHelp(
      "A JSON file of settings. Without it, the server reads \(EffectiveSettings.fileName) in the data directory.",
      valueName: "file"),
    completion: .file(extensions: ["json"]))
  var configFile: String?

  func validate() throws { _ = try settings().value(\.data) }

  /// The directory as an absolute path.
  var directory: String {
    // Never fails, because the parser calls `validate` first.
    (try? settings().value(\.data)) ?? "./tern-data"
  }

  /// Returns the settings, with the values of these options.
  func settings(environment: [String: String] = ProcessInfo.processInfo.environment) throws -> EffectiveSettings {
    var settings = EffectiveSettings(environment: environment)
    if let path { settings.options[ServerSettings.table.data.name] = [path] }
    let named = configFile ?? environment[EffectiveSettings.fileVariable].flatMap { $0.isEmpty ? nil : $0 }
    if let named { settings.file = try SettingsFile(path: URL(filePath: named).standardizedFileURL.path) }
    return settings
  }

  /// Runs `body` with the catalog, which must exist: a mistyped path must not create a new, empty directory.
  func withCatalog<Value>(_ body: (Catalog) throws -> Value) throws -> Value {
    let catalog = try openCatalog()
    defer { try? catalog.close() }
    return try body(catalog)
  }

  /// Runs `body` with the catalog and a reader of the events.
  func withReader<Value>(_ body: (Catalog, WarehouseReader) async throws -> Value) async throws -> Value {
    let catalog = try openCatalog()
    defer { try? catalog.close() }
    let reader = try SQLiteWarehouse.openForReading(directory: directory, catalog: catalog) {
      Terminal.complain("tern: \($0) The output lacks them.")
    }
    defer { try? reader.close() }
    return try await body(catalog, reader)
  }

  /// Returns a store with functions and lines in the traces of errors.
  func symbolicated(_ store: any MetricsStore, _ catalog: Catalog) throws -> any MetricsStore {
    var settings = try settings()
    try settings.addFile(inDirectory: directory)
    return SymbolicatedStore(
      store,
      symbolicator: Symbolicator(
        catalog: catalog, program: try settings.value(\.symbolizer), launcher: ProcessTrials.ownProgram))
  }

  /// Opens the catalog, which must exist.
  func openCatalog() throws -> Catalog {
    try DataAccess.check(directory)
    guard access(directory + "/catalog.sqlite", F_OK) == 0 else {
      // Anything else doesn't tell whether there are data.
      guard [ENOENT, ENOTDIR].contains(errno) else {
        throw ServerFailure("\(directory) can't be read: \(String(cString: strerror(errno))).")
      }
      throw ServerFailure("\(directory) contains no data. Choose the server's directory with --data.")
    }
    let catalog = try Catalog(directory: directory, report: Terminal.note)
    connectRetiredRows(catalog)
    return catalog
  }

  /// Lets a command fetch rows that have left home, if the environment or a file of settings names the cluster.
  private func connectRetiredRows(_ catalog: Catalog) {
    do {
      var settings = try settings()
      try settings.addFile(inDirectory: directory)
      try ClusterConnection(settings)?.connectRetiredRows(of: directory, catalog)
    } catch {
      let hasCopies = ClusterConnection.hasManifest(directory: directory)
      RetiredRowCache.connect(
        directory, to: UnusableCluster(reason: ServerFailure.reason(of: error), hasCopies: hasCopies))
    }
  }
}

/// The cluster of settings with a mistake, which matters only to a command that needs the cluster.
private struct UnusableCluster: RetiredRowSource {
  let reason: String
  /// True if rows at home are, or were, copied to the cluster.
  let hasCopies: Bool

  func copies(of ids: ClosedRange<Int64>, segment: Int64) throws -> RowCopies {
    guard hasCopies else { return .none }
    throw WarehouseError(
      .rowsAway,
      "These rows can't be read here. The ClickHouse cluster may have them, but its settings can't be used: \(reason)")
  }

  func forEachRow(of unit: RetiredUnit, _ add: (StoredRow) throws -> Void) throws -> RetiredUnit {
    throw WarehouseError(
      .rowsAway, "These rows are only on the ClickHouse cluster, whose settings can't be used: \(reason)")
  }
}

struct AppOption: ParsableArguments {
  @Option(name: .customLong("app"), help: ArgumentHelp("The app's ID; `tern apps list` shows it.", valueName: "id"))
  var text: String

  /// Returns the app; throws when the ID is unknown.
  func find(in catalog: Catalog) throws -> App { try Self.find(text, in: catalog) }

  /// Finds an app by its ID as text; throws if there is none.
  static func find(_ text: String, in catalog: Catalog) throws -> App {
    guard let number = Int64(text), let app = try catalog.app(AppID(number)) else {
      throw ServerFailure("There is no app \"\(text)\". Run `tern apps list` to see all apps.")
    }
    return app
  }
}
