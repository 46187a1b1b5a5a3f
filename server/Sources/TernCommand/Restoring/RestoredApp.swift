import AppCatalog
import ArgumentParser
import ServerBase
import TernServer
import Warehouse

/// An app that is made again because its catalog is lost.
///
/// Its keys are those that clients have. The time zone must be the one that the app had, since rows were counted by its days.
struct RestoredApp: ExpressibleByArgument, Equatable {
  let id: Int64
  var zone: String?
  var name: String?
  var key: String?
  var secret: String?
  var tracking: String?

  /// Reads a number and members, such as `1,zone=Europe/Berlin,key=tern_…,name=Shop`.
  init?(argument: String) {
    let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
    guard let id = parts.first.flatMap({ Int64($0) }), id > 0 else { return nil }
    self.id = id
    for part in parts.dropFirst() {
      guard let equals = part.firstIndex(of: "="), equals != part.indices.last else { return nil }
      let value = String(part[part.index(after: equals)...])
      switch part[..<equals] {
      case "zone": zone = value
      case "name": name = value
      case "key": key = value
      case "secret": secret = value
      case "tracking": tracking = value
      default: return nil
      }
    }
  }

  /// Asks on the terminal for what the rows don't tell.
  ///
  /// - Throws: ``ServerFailure`` if there is no terminal.
  init(asking id: Int64, at terminal: AskingTerminal = .standard) throws {
    self.id = id
    guard terminal.isInteractive else {
      throw ServerFailure(
        """
        The cluster has rows of app \(id), which the catalog doesn't have. Describe it with --app \
        \(id),zone=Europe/Berlin,key=tern_…,secret=…,tracking=UA-…,name=…: the time zone that it had, and the keys that clients use.
        """)
    }
    func answer(_ question: String) -> String? {
      terminal.ask("  \(question): ")
      let line = terminal.answer()?.trimmed ?? ""
      return line.isEmpty ? nil : line
    }
    terminal.ask("App \(id) has to be made again. Leave out keys that no client uses.\n")
    zone = answer("Time zone that it had, such as Europe/Berlin")
    name = answer("Name")
    key = answer("Key (tern_…)")
    secret = answer("App secret of App Center (a UUID)")
    tracking = answer("Tracking ID of Google Analytics (UA-…)")
  }

  func create(in catalog: Catalog) throws {
    guard let zone else {
      throw ServerFailure("Give the time zone that app \(id) had, such as --app \(id),zone=Europe/Berlin.")
    }
    _ = try catalog.makeApp(
      name: name ?? "App \(id)", timeZone: zone, appSecret: secret, trackingID: tracking, id: AppID(id), key: key)
  }
}
