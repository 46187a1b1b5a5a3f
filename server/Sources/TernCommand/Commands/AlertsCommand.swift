import Alerts
import AppCatalog
import ArgumentParser
import Foundation
import Outgoing
import Reports
import TernEvents
import TernServer
import Warehouse

/// `tern alerts`
struct AlertsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "alerts", abstract: "Get notified when a figure crosses a limit. Works while a server runs.",
    subcommands: [List.self, AlertsAddCommand.self, AlertsChangeCommand.self, Mute.self, History.self, Delete.self])

  /// `tern alerts list`
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List alerts and their states.",
      discussion: """
        Examples:
          tern alerts list
          tern alerts list --app 1 --json
        """)

    @Option(name: .customLong("app"), help: ArgumentHelp("List only the alerts of this app.", valueName: "id")) var app:
      String?
    @Flag(help: "Print a JSON array.") var json = false
    @OptionGroup var data: DataOption

    func run() throws {
      let alerts = try data.withCatalog { catalog in
        let app = try app.map { try AppOption.find($0, in: catalog).id }
        return try catalog.alerts().filter { app == nil || $0.alert.app == app }
      }
      let now = WallClock.system()
      if json { return Terminal.say(CommandOutput.json(alerts.map { ShownAlert($0, now: now) }, ShownAlert.members)) }
      if alerts.isEmpty { return Terminal.say("No alerts yet. Add one with tern alerts add.") }
      Terminal.say(
        CommandOutput.table(
          [["ALERT", "APP", "NAME", "CONDITION", "STATUS", "TO"]]
            + alerts.map { stored in
              let alert = stored.alert
              return [
                "\(alert.id)", alert.app.map { "\($0)" } ?? "server", visible(alert.name), alert.condition.text,
                stored.status(at: now).rawValue, alert.destinations.map(\.shown).joined(separator: ", "),
              ]
            }))
    }
  }

  /// `tern alerts mute`
  struct Mute: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Mute an alert for a time, or unmute it.",
      discussion: """
        A muted alert isn't evaluated. Whatever still holds when it is unmuted is reported then.

        Examples:
          tern alerts mute 3 --time 8h
          tern alerts mute 3 --off
        """)

    @Argument(help: "The number of the alert; `tern alerts list` shows it.") var alert: Int64
    @Option(
      name: .customLong("time"),
      help: ArgumentHelp("The time for which to mute it, for example 8h or 7d.", valueName: "time"),
      transform: { try Period.time($0) })
    var time: Duration?
    @Flag(help: "Unmute it.") var off = false
    @OptionGroup var data: DataOption

    func validate() throws {
      guard (time == nil) == off else { throw ValidationError("Give either --time or --off.") }
    }

    func run() throws {
      let until = time.map { WallClock.system() + $0 }
      guard
        let muted = try data.withCatalog({ catalog in
          try catalog.muteAlert(alert, app: try AlertsCommand.find(alert, in: catalog).app, until: until)
        })
      else {
        throw AlertsCommand.unknown(alert)
      }
      let state = until.map { "is muted until \($0.utcText(withMilliseconds: false))" } ?? "is no longer muted"
      Terminal.say("\"\(visible(muted.name))\" \(state).")
    }
  }

  /// `tern alerts history`
  struct History: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the notifications of an alert, and whether they arrived.",
      discussion: """
        Example:
          tern alerts history 3
        """)

    @Argument(help: "The number of the alert; `tern alerts list` shows it.") var alert: Int64
    @OptionGroup var data: DataOption

    func run() throws {
      let notifications = try data.withCatalog { catalog in
        _ = try AlertsCommand.find(alert, in: catalog)
        return try catalog.notifications(of: alert, limit: 100)
      }
      if notifications.isEmpty { return Terminal.say("No notifications yet.") }
      CommandOutput.say(notifications)
    }
  }

  /// `tern alerts delete`
  struct Delete: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Delete an alert with its history.",
      discussion: """
        Example:
          tern alerts delete 3
        """)

    @Argument(help: "The number of the alert; `tern alerts list` shows it.") var alert: Int64
    @OptionGroup var data: DataOption

    func run() throws {
      guard
        let removed = try data.withCatalog({ catalog in
          try catalog.removeAlert(alert, app: try AlertsCommand.find(alert, in: catalog).app)
        })
      else {
        throw AlertsCommand.unknown(alert)
      }
      Terminal.say("\"\(visible(removed.name))\" was deleted.")
    }
  }

  /// Finds an alert by its number; throws if there is none.
  static func find(_ id: Int64, in catalog: Catalog) throws -> Alert {
    guard let alert = try catalog.alerts().first(where: { $0.alert.id == id })?.alert else { throw unknown(id) }
    return alert
  }

  /// Parses destinations; see ``Outgoing/Destination/parse(_:keeping:)``.
  static func destinations(_ texts: [String], keeping old: [Destination] = []) throws -> [Destination] {
    do throws(OutgoingError) { return try Destination.parse(texts, keeping: old) } catch {
      throw ServerFailure(error.message)
    }
  }

  static func unknown(_ id: Int64) -> ServerFailure {
    ServerFailure("There is no alert \(id). Run `tern alerts list` to see all alerts.")
  }
}

extension CommandOutput {
  /// Prints notifications with the status of each delivery.
  static func say(_ notifications: [AlertNotification]) {
    for notification in notifications {
      Terminal.say(
        "\(notification.message.time.utcText(withMilliseconds: false))  \(ServerFailure.line(notification.message.title))"
      )
      for delivery in notification.deliveries {
        let answer = delivery.answer.isEmpty ? "" : ": \(ServerFailure.line(delivery.answer))"
        Terminal.say("  \(delivery.destination)  \(delivery.status.rawValue)\(answer)")
      }
    }
  }
}
