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
    abstract: "Store symbols of builds, which turn crashes' positions and R8's names into functions and lines.",
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
        archives of all of these. In directories, all files with symbols are found. With --app-version and --build, the file is the
        mapping.txt of R8 or ProGuard for that version (versionName) and build (versionCode) of the app. Ends with 1 if a named file
        can't be used, a file with symbols is too large or can't be opened, or a directory has none.

        Examples:
          tern symbols upload .build/release/MyApp --app 1
          tern symbols upload MyApp.dSYM --app 1
          tern symbols upload MyApp.xcarchive/dSYMs --app 1
          tern symbols upload MyApp.app.dSYM.zip --app 1
          tern symbols upload app/build/outputs/mapping/release/mapping.txt --app 1 --app-version 1.2 --build 34
        """)

    @Argument(help: ArgumentHelp("Files, dSYM bundles and directories.", valueName: "path"), completion: .file())
    var paths: [String]

    @Option(help: "The version of the app whose mapping the file is.")
    var appVersion = ""

    @Option(help: "The build of that version.")
    var build = ""

    @OptionGroup var app: AppOption

    @OptionGroup var data: DataOption

    func validate() throws {
      guard appVersion.isEmpty == build.isEmpty else {
        throw ValidationError("A mapping needs both --app-version and --build: versionName and versionCode.")
      }
      guard appVersion.isEmpty || paths.count == 1 else {
        throw ValidationError("Name one mapping.txt: each version and build has one.")
      }
    }

    func run() throws {
      let mapping = try appVersion.isEmpty ? nil : MappedBuild(version: appVersion, build: build)
      try data.withCatalog { catalog in
        let app = try app.find(in: catalog)
        var limits = SymbolLimits()
        var settings = try data.settings()
        try settings.addFile(inDirectory: data.directory)
        limits.diskReserve = try settings.value(\.diskReserve)
        let store = SymbolStore(directory: data.directory, catalog: catalog, limits: limits)
        let upload = SymbolUploadRun(store: store, app: app.id, mapping: mapping)
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
            visible(file.buildID), visible(file.image), file.architecture,
            file.hasLines ? "lines" : file.isMapping ? "names" : "functions",
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
          tern symbols delete "1.2 (34)" --app 1
        """)

    @Argument(
      help: ArgumentHelp(
        "Build identifiers, and versions with builds; `tern symbols list` shows them.", valueName: "build ID"))
    var builds: [String]

    @OptionGroup var app: AppOption

    @OptionGroup var data: DataOption

    func run() throws {
      try data.withCatalog { catalog in
        let app = try app.find(in: catalog)
        for build in builds {
          let id = BuildIdentifier.normalized(build) ?? build
          guard try catalog.removeSymbols(app: app.id, buildID: id) else {
            throw ServerFailure(
              "App \(app.id) has no symbols of \(build). Run `tern symbols list --app \(app.id)` to see all.")
          }
        }
      }
    }
  }
}
