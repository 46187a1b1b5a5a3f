import AppCatalog
import ArgumentParser
import Questions
import Reports
import TernEvents
import TernServer
import Warehouse
import WarehouseSQLite
import WarehouseUpkeep

/// `tern persons`
struct PersonsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "persons", abstract: "Export or delete one person's data; works while a server runs.",
    subcommands: [Delete.self, Export.self])

  struct PersonOption: ParsableArguments {
    @Option(help: ArgumentHelp("The install: a UUID, or the client ID of a Google Analytics SDK.", valueName: "uuid"))
    var install: String?

    @Option(help: ArgumentHelp("The user ID that the app has set.", valueName: "name"))
    var user: String?

    func validate() throws {
      guard (install == nil) != (user == nil), install != "", user != "" else {
        throw ValidationError("Name one person: with --install or --user.")
      }
    }

    var person: Person { install.map { .install($0) } ?? .user(user ?? "") }
  }

  /// `tern persons delete`
  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Delete everything of an install or user: events, errors, attachments, counts and names.",
      discussion: """
        This can't be undone. The figures of all days are afterwards those of a server that never saw the person; only
        sealed days of views keep theirs, which name no one. A user is deleted on all their installs, together with the
        users and installs that aliases of other systems' clients join with them; what other installs sent without the
        user's name stays. Backups keep what they have. The audit log records the deletion without the
        name. While a server runs on the directory, it does the work, and collects meanwhile.

        The command says what it found and asks for confirmation. In scripts, add --yes.

        What the person sends later counts as a new person's, unless --refuse-later is given: then it is refused for
        good, and counted as `person_refused` in the report of dropped events.

        Examples:
          tern persons delete --app 1 --install 0f8fad5b-d9cb-469f-a165-70867728950e
          tern persons delete --user ann@example.com --refuse-later --yes
        """)

    @Option(help: ArgumentHelp("Only in this app; otherwise in all apps.", valueName: "id"))
    var app: String?

    @OptionGroup var person: PersonOption

    @Flag(help: "Refuse what the person still sends.")
    var refuseLater = false

    @OptionGroup var confirmation: Confirmation

    @OptionGroup var data: DataOption

    func run() async throws {
      let request = PersonDeletionRequest(person: person.person, refusesLater: refuseLater)
      let (apps, losses) = try await data.withReader { catalog, reader in
        var (apps, losses): ([App], [String]) = ([], [])
        for app in try app.map({ [try AppOption.find($0, in: catalog)] }) ?? catalog.apps() {
          // Someone who has sent nothing can be refused as well.
          var isMeant = refuseLater
          if !isMeant { isMeant = try await reader.has(request.person, app: app.id) }
          // Filters may name someone whose rows are gone.
          guard try isMeant || catalog.names(request.person, app: app.id) else { continue }
          apps.append(app)
          losses.append(try await Self.loss(of: request.person, in: app, reader))
        }
        return (apps, losses)
      }
      guard !apps.isEmpty else { throw ServerFailure("There is no data of this person.") }
      try confirmation.require("This deletes everything of the person in \(losses.joined(separator: "; in ")).")
      let catalog = try data.openCatalog()
      defer { try? catalog.close() }
      for app in apps {
        Terminal.say(try await JobRunner.wait(for: try catalog.requestDeletion(request, app: app.id), data, catalog))
      }
    }

    /// Returns an app's name, and a summary of the data that it has of a person.
    private static func loss(of person: Person, in app: App, _ reader: WarehouseReader) async throws -> String {
      let name = "app \(app.id), \"\(visible(app.name))\""
      guard let summary = try await reader.summary(of: person, app: app.id) else { return "\(name): no events" }
      let zone = ReportZone(app.zone)
      let counts = [
        ("event", summary.events), ("session", summary.sessions), ("error", summary.errors + summary.crashes),
      ].filter { $0.1 > 0 }.map { "\(grouped($0.1)) \($0.0)\($0.1 == 1 ? "" : "s")" }
      let (first, last) = (
        zone.day(of: Timestamp(millisecondsSince1970: summary.first)),
        zone.day(of: Timestamp(millisecondsSince1970: summary.last))
      )
      let joined = summary.identifiers.count
      let others = joined == 0 ? "" : ", with \(counted(joined, "other identifier")) that aliases join"
      return "\(name): \(counts.isEmpty ? "other rows" : counts.joined(separator: ", ")), \(first) to \(last)\(others)"
    }
  }

  /// `tern persons export`
  struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Write one person's rows, errors and attachments to standard output.",
      discussion: """
        The format is that of `tern export`. The command is recorded in the audit log, without the name.

        Examples:
          tern persons export --app 1 --user ann@example.com > ann.ndjson
          tern persons export --app 1 --install 0f8fad5b-d9cb-469f-a165-70867728950e --format csv
        """)

    @OptionGroup var app: AppOption

    @OptionGroup var person: PersonOption

    @Option(help: ArgumentHelp("The format: ndjson or csv.", valueName: "format"), transform: { try choice($0) })
    var format = ExportRequest.Format.ndjson

    @OptionGroup var csv: CSVOptions

    @OptionGroup var data: DataOption

    func run() async throws {
      try await data.withReader { catalog, reader in
        let app = try app.find(in: catalog)
        guard try await reader.has(person.person, app: app.id) else {
          throw ServerFailure("App \(app.id) has no data of this person.")
        }
        try catalog.record(.exported, "app \(app.id), one person, by tern persons export")
        var request = ExportRequest(
          app: app, format: format, person: person.person, server: try JobRunner.serverName(catalog))
        request.csv = csv.style
        try await ExportCommand.write(request, reader)
      }
    }
  }
}
