import AppCatalog
import ArgumentParser
import Foundation
import Reports
import TernServer
import Warehouse

/// `tern users`
struct UsersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "users", abstract: "Invite, change and remove users of the portal; works while a server runs.",
    subcommands: [Invite.self, List.self, Set.self, LogOut.self, ResetSecondFactor.self, Remove.self])

  /// Finds a user by name; throws if there is none.
  static func find(_ name: String, in catalog: Catalog) throws -> Account {
    guard let account = try catalog.account(named: name) else {
      throw ServerFailure("There is no user \"\(name)\". Run `tern users list` to see all users.")
    }
    return account
  }

  /// Parses the IDs of apps.
  static func apps(_ texts: [String], in catalog: Catalog) throws -> Swift.Set<AppID> {
    Swift.Set(try texts.map { try AppOption.find($0, in: catalog).id })
  }

  /// `tern users invite`
  struct Invite: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Create a user and print a link with which they choose a password.",
      discussion: """
        The link works once, for 7 days. Roles: a viewer reads reports, an editor also changes settings and shares \
        pages, an owner does everything. Without --app the user sees all apps.

        Examples:
          tern users invite ann --app 1 --url https://tern.example.com
          tern users invite bob --role editor --app 1 --app 2
        """)

    @Argument(help: "The name, with which the user logs in.")
    var name: String

    @Option(help: ArgumentHelp("viewer, editor or owner.", valueName: "role"), transform: { try choice($0) })
    var role = Account.Role.viewer

    @Option(help: ArgumentHelp("An app that the user sees; repeatable.", valueName: "id"))
    var app: [String] = []

    @Flag(help: "Let a viewer see single events and errors, which may contain personal data.")
    var personalData = false

    @OptionGroup var server: ServerAddressOption

    @OptionGroup var data: DataOption

    func run() throws {
      try data.withCatalog { catalog in
        let apps = try UsersCommand.apps(app, in: catalog)
        let (_, code) = try catalog.invite(
          name: name, role: role, apps: apps.isEmpty ? nil : apps, seesPersonalData: personalData)
        Terminal.say(try server.address("/welcome?code=\(code)", catalog))
      }
    }
  }

  /// `tern users list`
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List all users with their rights.",
      discussion: """
        Examples:
          tern users list
          tern users list --json
        """)

    @Flag(help: "Print a JSON array.") var json = false
    @OptionGroup var data: DataOption

    func run() throws {
      try data.withCatalog { catalog in
        if json { return Terminal.say(CommandOutput.json(try catalog.accounts(), Account.members)) }
        let sessions = try catalog.loginSessions()
        let rows = try catalog.accounts().map { account in
          let apps = account.apps.map { $0.sorted().map(\.description).joined(separator: ",") } ?? "all"
          let personal = account.rights.permissions.contains(.readPersonalData) ? "yes" : "no"
          return [
            visible(account.name), account.role.rawValue, apps, personal, account.lastLogin?.isoText ?? "never",
            String(sessions.count { $0.account.id == account.id }), account.hasSecondFactor ? "yes" : "no",
          ]
        }
        Terminal.say(
          CommandOutput.table(
            [["NAME", "ROLE", "APPS", "PERSONAL DATA", "LAST LOGIN", "SESSIONS", "SECOND FACTOR"]] + rows))
      }
    }
  }

  /// `tern users set`
  struct Set: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Change a user's rights, from the next request on.",
      discussion: """
        Examples:
          tern users set ann --role editor
          tern users set ann --app 2 --app 3        only these apps
          tern users set ann --all-apps --no-personal-data
        """)

    @Argument(help: "The name of the user.")
    var name: String

    @Option(help: ArgumentHelp("viewer, editor or owner.", valueName: "role"), transform: { try choice($0) })
    var role: Account.Role?

    @Option(help: ArgumentHelp("An app that the user sees; repeatable. Replaces all earlier ones.", valueName: "id"))
    var app: [String] = []

    @Flag(help: "Let the user see all apps.")
    var allApps = false

    @Flag(inversion: .prefixedNo, help: "Let a viewer see single events and errors.")
    var personalData: Bool?

    @OptionGroup var data: DataOption

    func validate() throws {
      guard app.isEmpty || !allApps else { throw ValidationError("Choose --app or --all-apps.") }
      guard role != nil || !app.isEmpty || allApps || personalData != nil else {
        throw ValidationError("Choose what to change; `tern help users set` lists the options.")
      }
    }

    func run() throws {
      try data.withCatalog { catalog in
        let account = try UsersCommand.find(name, in: catalog)
        var change = AccountChange(role: role, seesPersonalData: personalData)
        if allApps { change.apps = .some(nil) }
        if !app.isEmpty { change.apps = try UsersCommand.apps(app, in: catalog) }
        _ = try catalog.changeAccount(account.id, change)
      }
    }
  }

  /// `tern users log-out`
  struct LogOut: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "log-out", abstract: "End all sessions of a user.",
      discussion: """
        Example:
          tern users log-out ann
        """)

    @Argument(help: "The name of the user.")
    var name: String

    @OptionGroup var data: DataOption

    func run() throws {
      try data.withCatalog { catalog in
        let count = try catalog.endLoginSessions(of: UsersCommand.find(name, in: catalog).id)
        Terminal.say("Sessions ended: \(count)")
      }
    }
  }

  /// `tern users reset-second-factor`
  struct ResetSecondFactor: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "reset-second-factor",
      abstract: "Turn off the second factor of a user who has lost the app and the recovery codes.",
      discussion: """
        The password then suffices. Make sure that it is really the user who asks for this.

        Example:
          tern users reset-second-factor ann
        """)

    @Argument(help: "The name of the user.")
    var name: String

    @OptionGroup var data: DataOption

    func run() throws {
      try data.withCatalog { catalog in
        try catalog.removeSecondFactor(of: UsersCommand.find(name, in: catalog).id, isReset: true)
      }
    }
  }

  /// `tern users remove`
  struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Remove a user and end their sessions.",
      discussion: """
        Example:
          tern users remove ann
        """)

    @Argument(help: "The name of the user.")
    var name: String

    @OptionGroup var data: DataOption

    func run() throws {
      try data.withCatalog { catalog in
        try catalog.removeAccount(UsersCommand.find(name, in: catalog).id)
      }
    }
  }
}
