import AppCatalog
import ArgumentParser
import Reports
import TernServer
import Warehouse
import WarehouseSQLite

/// `tern errors`
struct ErrorsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "errors",
    abstract: "Decide which errors are one group.",
    discussion: """
      Errors with the same cause are one group (docs/crashes.md). `tern report errors` lists the groups with their numbers. A running
      server applies changes within seconds; nothing is counted again, and each change can be undone.
      """,
    subcommands: [Groups.self, Rules.self, Merge.self, Separate.self, Rejoin.self])

  /// `tern errors groups`
  struct Groups: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "groups",
      abstract: "Show the rules, the merged groups, and the stacks that were taken out of theirs.",
      discussion: """
        Example:
          tern errors groups --app 1
        """)

    @Flag(help: "Print a JSON object.")
    var json = false

    @OptionGroup var app: AppOption
    @OptionGroup var data: DataOption

    func run() throws {
      let decisions = try data.withCatalog { try $0.errorDecisions(app: app.find(in: $0).id) }
      guard !json else { return Terminal.say(CommandOutput.json(decisions, ErrorDecisions.members)) }
      let rules = [
        ("functions", decisions.rules.skippedFunctions), ("files", decisions.rules.skippedFiles),
        ("images", decisions.rules.skippedImages),
      ].flatMap { kind, names in names.map { ["skipped \(kind)", visible($0)] } }
      let merged = decisions.merged.map { ["error \($0.group)", "is part of error \($0.into)"] }
      let split = decisions.split.map { ["error \($0)", "has a group of its own"] }
      let rows = rules + merged + split
      let none = "Nothing has been decided: stacks, types and messages decide."
      Terminal.say(rows.isEmpty ? none : CommandOutput.table(rows))
    }
  }

  /// `tern errors rules`
  struct Rules: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "rules", abstract: "Set the frames that don't count.",
      discussion: """
        The rules replace those that are set; without any, every frame of the app counts. * stands for any text.

        Examples:
          tern errors rules --app 1 --skip-function 'report(_:)' --skip-function 'Log.*'
          tern errors rules --app 1 --skip-file Log.swift --skip-image 'libvendor*'
          tern errors rules --app 1 --none
        """)

    @Option(help: ArgumentHelp("A function that doesn't count.", valueName: "name"))
    var skipFunction: [String] = []

    @Option(help: ArgumentHelp("A source file whose functions don't count.", valueName: "name"))
    var skipFile: [String] = []

    @Option(help: ArgumentHelp("An executable or library whose functions don't count.", valueName: "name"))
    var skipImage: [String] = []

    @Flag(help: "Let every frame count.")
    var none = false

    @OptionGroup var app: AppOption
    @OptionGroup var data: DataOption

    func validate() throws {
      guard none == (skipFunction + skipFile + skipImage).isEmpty else {
        throw ValidationError("Choose what to skip with --skip-function, --skip-file or --skip-image, or --none.")
      }
    }

    func run() throws {
      var rules = ErrorRules()
      (rules.skippedFunctions, rules.skippedFiles, rules.skippedImages) = (skipFunction, skipFile, skipImage)
      try data.withCatalog { try $0.setErrorRules(rules, app: app.find(in: $0).id) }
      Terminal.say("Saved. A running server groups the errors again within seconds.")
    }
  }

  /// `tern errors merge`
  struct Merge: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "merge", abstract: "Make a group part of another one.",
      discussion: """
        Example:
          tern errors merge 12 --into 7 --app 1
        """)

    @Argument(help: ArgumentHelp("The group's number.", valueName: "group"))
    var group: Int64

    @Option(help: ArgumentHelp("A number of the group that it is part of.", valueName: "group"))
    var into: Int64

    @OptionGroup var app: AppOption
    @OptionGroup var data: DataOption

    func run() async throws {
      try await data.withReader { catalog, reader in
        let app = try app.find(in: catalog).id
        let merge = ErrorDecisions.Merge(group: group, into: into)
        try await merge.check(app: app, in: reader)
        try catalog.mergeErrors(merge, app: app)
      }
      Terminal.say("Merged. Undo it with: tern errors separate \(group) --app \(app.text)")
    }
  }

  /// `tern errors separate`
  struct Separate: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "separate", abstract: "Undo the merge of a group.",
      discussion: """
        Example:
          tern errors separate 12 --app 1
        """)

    @Argument(help: ArgumentHelp("The number of the merged group.", valueName: "group"))
    var group: Int64

    @OptionGroup var app: AppOption
    @OptionGroup var data: DataOption

    func run() throws {
      guard try data.withCatalog({ try $0.separateErrors(group, app: app.find(in: $0).id) }) else {
        throw ServerFailure("Error \(group) is not merged. `tern errors groups` lists those that are.")
      }
      Terminal.say("Separated.")
    }
  }

  /// `tern errors rejoin`
  struct Rejoin: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "rejoin", abstract: "Put errors back that were taken out of their group on the page of an error.",
      discussion: """
        Example:
          tern errors rejoin 12 --app 1
        """)

    @Argument(help: ArgumentHelp("The number of their group.", valueName: "group"))
    var group: Int64

    @OptionGroup var app: AppOption
    @OptionGroup var data: DataOption

    func run() throws {
      guard try data.withCatalog({ try $0.rejoinErrors(group, app: app.find(in: $0).id) }) else {
        throw ServerFailure(
          "Error \(group) was not taken out of a group. `tern errors groups` lists those that were.")
      }
      Terminal.say("Put back.")
    }
  }
}
