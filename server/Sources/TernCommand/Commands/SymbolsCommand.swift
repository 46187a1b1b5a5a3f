import AppCatalog
import ArgumentParser
import Foundation
import Ingest
import Reports
import Symbols
import TernServer
import Warehouse

/// `tern symbols`
struct SymbolsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "symbols",
    abstract: "Store symbols of builds, which turn crashes' positions into functions and lines.",
    discussion: """
      The server needs llvm-symbolizer to read them (Debian's package llvm). They apply to earlier crashes, too. From another
      machine, send files to the HTTP API: docs/crashes.md.
      """,
    subcommands: [Upload.self, List.self, Delete.self])

  /// `tern symbols upload`
  struct Upload: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Store files with symbols; works while a server runs.",
      discussion: """
        Files are ELF executables, libraries or .debug files with a build identifier, dSYM bundles, Mach-O files, and zip
        archives of all of these. In directories, all files with symbols are found. Ends with 1 if a named file can't be used, a file with symbols is too
        large or can't be opened, or a directory has none.

        Examples:
          tern symbols upload .build/release/MyApp --app 1
          tern symbols upload MyApp.dSYM --app 1
          tern symbols upload MyApp.xcarchive/dSYMs --app 1
          tern symbols upload MyApp.app.dSYM.zip --app 1
        """)

    @Argument(help: ArgumentHelp("Files, dSYM bundles and directories.", valueName: "path"), completion: .file())
    var paths: [String]

    @OptionGroup var app: AppOption

    @OptionGroup var data: DataOption

    func run() throws {
      try data.withCatalog { catalog in
        let app = try app.find(in: catalog)
        var limits = SymbolLimits()
        var settings = try data.settings()
        try settings.addFile(inDirectory: data.directory)
        limits.diskReserve = try settings.value(\.diskReserve)
        let store = SymbolStore(directory: data.directory, catalog: catalog, limits: limits)
        var upload = SymbolUploadRun(store: store, app: app.id)
        for path in paths { try upload.add(path) }
        Terminal.say(upload.summary)
        if upload.hasFailed { throw ExitCode(1) }
      }
    }
  }

  /// `tern symbols list`
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the symbols of an app, the latest first.",
      discussion: """
        Example:
          tern symbols list --app 1
        """)

    @OptionGroup var app: AppOption

    @OptionGroup var data: DataOption

    func run() throws {
      try data.withCatalog { catalog in
        let rows = try catalog.symbols(app: app.find(in: catalog).id).map { file in
          [
            file.buildID, visible(file.image), file.architecture, file.hasLines ? "lines" : "functions",
            "\(file.bytes)", visible(file.author), file.uploaded.isoText,
          ]
        }
        Terminal.say(
          CommandOutput.table([["BUILD ID", "IMAGE", "ARCHITECTURE", "HAS", "BYTES", "BY", "UPLOADED"]] + rows))
      }
    }
  }

  /// `tern symbols delete`
  struct Delete: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Delete the symbols of builds.",
      discussion: """
        Example:
          tern symbols delete 5f8a0c3d9e1b4a7788c2d5e6f7a8b9c0d1e2f3a4 --app 1
        """)

    @Argument(help: ArgumentHelp("Build identifiers; `tern symbols list` shows them.", valueName: "build ID"))
    var builds: [String]

    @OptionGroup var app: AppOption

    @OptionGroup var data: DataOption

    func run() throws {
      try data.withCatalog { catalog in
        let app = try app.find(in: catalog)
        for build in builds {
          guard let id = BuildIdentifier.normalized(build), try catalog.removeSymbols(app: app.id, buildID: id) else {
            throw ServerFailure(
              "App \(app.id) has no symbols of \(build). Run `tern symbols list --app \(app.id)` to see all.")
          }
        }
      }
    }
  }
}

/// The files of one `tern symbols upload`, with the counts of what became of them.
private struct SymbolUploadRun {
  let store: SymbolStore
  let app: AppID
  private var counts: [SymbolFile.Addition: Int] = [:]
  private var skipped = 0
  private(set) var hasFailed = false

  init(store: SymbolStore, app: AppID) { (self.store, self.app) = (store, app) }

  var summary: String {
    let parts = [(counts[.new], "new"), (counts[.replaced], "replaced"), (counts[.known], "known")]
      .map { "\($0 ?? 0) \($1)" }
    return (parts + ["\(skipped) skipped"]).joined(separator: ", ") + "."
  }

  mutating func add(_ path: String) throws {
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
      throw ServerFailure("\(path) doesn't exist.")
    }
    guard isDirectory.boolValue else { return try addFile(path, isNamed: true) }
    let before = counts
    // An enumerator doesn't follow links, and `.build/release` is one.
    let folder = URL(filePath: path).resolvingSymlinksInPath().path
    guard let files = FileManager.default.enumerator(atPath: folder) else {
      throw ServerFailure("\(path) can't be read. Check its permissions.")
    }
    var names: [String] = []
    for case let name as String in files where files.fileAttributes?[.type] as? FileAttributeType == .typeRegular {
      names.append(name)
    }
    for (number, name) in names.enumerated() {
      // Few of thousands of files in a folder of builds have symbols.
      if number % 16 == 0 { Terminal.progress("\(number) of \(names.count) files") }
      try addFile("\(folder)/\(name)", isNamed: false)
    }
    Terminal.progress("")
    guard counts == before else { return }
    hasFailed = true
    Terminal.complain("tern: \(visible(path)) has no files with symbols.")
  }

  private mutating func note(_ stored: StoredSymbols, _ name: String) {
    counts[stored.addition, default: 0] += 1
    Terminal.progress("")
    Terminal.say("\(stored.addition.rawValue)  \(stored.file.buildID)  \(name)")
    if let warning = stored.warning { Terminal.complain("warning  \(name): \(warning)") }
  }

  /// Stores a file. Of those found in a directory, only such that should have symbols are mentioned if they have none.
  private mutating func addFile(_ path: String, isNamed: Bool) throws {
    do {
      if isNamed, let archive = try store.addArchive(path: path, app: app) {
        for stored in archive.stored { note(stored, visible(stored.file.image)) }
        for refused in archive.refused {
          skipped += 1
          Terminal.complain("skipped  \(visible(refused.name)): \(refused.error.message)")
        }
        hasFailed = hasFailed || archive.stored.isEmpty
        return
      }
      for stored in try store.add(path: path, app: app) { note(stored, visible(path)) }
    } catch let error as ObjectError {
      skipped += 1
      hasFailed = hasFailed || isNamed
      if isNamed || [.damaged, .noBuildID, .unreadable].contains(error.code) {
        Terminal.complain("skipped  \(visible(path)): \(error.message)")
      }
    } catch let error as WarehouseError where error.code == .invalid {
      skipped += 1
      hasFailed = true
      Terminal.complain("skipped  \(visible(path)): \(error.message)")
    }
  }
}
