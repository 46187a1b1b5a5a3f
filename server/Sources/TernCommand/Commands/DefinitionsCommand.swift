import AppCatalog
import ArgumentParser
import Foundation
import Reports
import Warehouse

/// `tern dimensions`
struct DimensionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dimensions", abstract: "Define and list an app's custom dimensions. Works while a server runs.",
    subcommands: [Set.self, List.self])

  /// `tern dimensions set`
  struct Set: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Define a custom dimension, or change its definition.",
      discussion: """
        A new name applies to all reports at once. Scope and state apply to hits from now on. Scope hit, the default: \
        the value of the hit itself; session: the session's last value, for all its hits; user: for this session and \
        later ones until the next value. Settings that you leave out stay unchanged.

        Examples:
          tern dimensions set --app 1 --index 3 --scope session --name Plan
          tern dimensions set --app 1 --index 3 --inactive
        """)

    @OptionGroup var definition: DefinitionOptions

    @Option(help: ArgumentHelp("hit, session or user.", valueName: "scope"), transform: { try choice($0) })
    var scope: CustomDefinition.Scope?

    func run() throws {
      let definition = try definition.define(.dimension, type: nil, scope: scope)
      let state = definition.isActive ? "now has \(definition.scope.rawValue) scope" : "is no longer processed"
      Terminal.say("\(definition.parameter), \"\(visible(definition.name))\", \(state).")
    }
  }

  /// `tern dimensions list`
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List an app's defined custom dimensions.",
      discussion: """
        Example:
          tern dimensions list --app 1 --json
        """)

    @OptionGroup var list: DefinitionListOptions

    func run() throws {
      try list.list(.dimension, columns: ["DIMENSION", "NAME", "SCOPE", "STATE", "SINCE"]) { [$0.scope.rawValue] }
    }
  }
}

/// `tern metrics`
struct MetricsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "metrics", abstract: "Define and list an app's custom metrics. Works while a server runs.",
    subcommands: [Set.self, List.self])

  /// `tern metrics set`
  struct Set: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Define a custom metric, or change its definition.",
      discussion: """
        Name and type apply to all reports at once, the state to hits from now on. Settings that you leave out stay \
        unchanged. A metric applies to the hit that contains it.

        Examples:
          tern metrics set --app 1 --index 2 --name "Time to play" --type time
          tern metrics set --app 1 --index 2 --inactive
        """)

    @OptionGroup var definition: DefinitionOptions

    @Option(
      help: ArgumentHelp("The format of values: integer, currency or time.", valueName: "type"),
      transform: { try choice($0) })
    var type: CustomDefinition.MetricType?

    func run() throws {
      let definition = try definition.define(.metric, type: type, scope: nil)
      let state = definition.isActive ? "is now processed" : "is no longer processed"
      Terminal.say("\(definition.parameter), \"\(visible(definition.name))\", \(state).")
    }
  }

  /// `tern metrics list`
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List an app's defined custom metrics.",
      discussion: """
        Example:
          tern metrics list --app 1 --json
        """)

    @OptionGroup var list: DefinitionListOptions

    func run() throws {
      try list.list(.metric, columns: ["METRIC", "NAME", "TYPE", "STATE", "SINCE"]) { [$0.type.rawValue] }
    }
  }
}

/// The common options of commands that change a definition.
struct DefinitionOptions: ParsableArguments {
  @OptionGroup var app: AppOption

  @Option(parsing: .unconditional, help: ArgumentHelp("The number, from 1 to 200.", valueName: "number"))
  var index: Int

  @Option(help: ArgumentHelp("The display name.", valueName: "name"))
  var name: String?

  @Flag(help: "Stop processing values.")
  var inactive = false

  @Flag(help: "Start processing values.")
  var active = false

  @OptionGroup var data: DataOption

  func validate() throws {
    if active, inactive { throw ValidationError("Give either --active or --inactive.") }
  }

  func define(
    _ kind: CustomDefinition.Kind, type: CustomDefinition.MetricType?, scope: CustomDefinition.Scope?
  ) throws -> CustomDefinition {
    try data.withCatalog { catalog in
      try catalog.define(
        app: app.find(in: catalog).id, kind: kind, index: index, name: name, type: type, scope: scope,
        isActive: active ? true : inactive ? false : nil)
    }
  }
}

/// The common options of commands that list definitions.
struct DefinitionListOptions: ParsableArguments {
  @OptionGroup var app: AppOption

  @Flag(help: "Print a JSON array.")
  var json = false

  @OptionGroup var data: DataOption

  func list(
    _ kind: CustomDefinition.Kind, columns: [String], _ more: (CustomDefinition) -> [String]
  ) throws {
    let definitions = try data.withCatalog { try $0.definitions(app: app.find(in: $0).id) }.filter { $0.kind == kind }
    if json { return Terminal.say(try CommandOutput.json(definitions.map(DefinitionDescription.init))) }
    if definitions.isEmpty {
      return Terminal.say("No \(kind.rawValue)s defined yet. Define one with tern \(kind.rawValue)s set.")
    }
    Terminal.say(
      CommandOutput.table(
        [columns]
          + definitions.map { definition in
            [definition.parameter, visible(definition.name)] + more(definition) + [
              definition.isActive ? "active" : "inactive", definition.rules.last?.start.isoText ?? "",
            ]
          }))
  }
}

/// The JSON of a definition, as in the API.
private struct DefinitionDescription: Encodable {
  let index: Int
  let parameter: String
  let name: String
  let scope: String?
  let type: String?
  let active: Bool
  let since: String?

  init(_ definition: CustomDefinition) {
    index = definition.index
    parameter = definition.parameter
    name = definition.name
    scope = definition.kind == .dimension ? definition.scope.rawValue : nil
    type = definition.kind == .metric ? definition.type.rawValue : nil
    active = definition.isActive
    since = definition.rules.last?.start.isoText
  }
}
