import AppCatalog
import ArgumentParser
import Reports
import TernServer
import Warehouse

extension AppsCommand {
  /// `tern apps delete`
  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Delete an app with everything: events, errors, counts, views, links and tokens.",
      discussion: """
        This can't be undone; `tern export` or `tern backup` keep a copy. Events that clients still send are refused like
        those of an unknown app. The space goes back to the disk. While a server runs on the directory, it does the work,
        and collects for other apps meanwhile.

        Example:
          tern apps delete 3
        """)

    @Argument(help: ArgumentHelp("The app's ID; `tern apps list` shows it.", valueName: "id"))
    var app: String

    @OptionGroup var confirmation: Confirmation

    @OptionGroup var data: DataOption

    func run() async throws {
      let catalog = try data.openCatalog()
      defer { try? catalog.close() }
      let app = try AppOption.find(app, in: catalog)
      try confirmation.require("This deletes app \(app.id), \"\(visible(app.name))\", with all its events.")
      Terminal.say(try await JobRunner.wait(for: try catalog.requestDeletion(of: app), data, catalog))
    }
  }
}
