import AppCatalog
import ArgumentParser
import Reports
import TernServer
import Warehouse

extension ViewsCommand {
  /// `tern views delete`
  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Delete a view with its counted days and shared links. The app's hits stay.",
      discussion: """
        This can't be undone: late hits would count in a new view. While a server runs on the directory, it does the work.

        Example:
          tern views delete 3
        """)

    @Argument(help: "The view's ID.")
    var view: Int64

    @OptionGroup var confirmation: Confirmation

    @OptionGroup var data: DataOption

    func run() async throws {
      let catalog = try data.openCatalog()
      defer { try? catalog.close() }
      guard let view = try catalog.view(ViewID(view)) else {
        throw ServerFailure("There is no view \(view). Run `tern views list` to see all views.")
      }
      try confirmation.require("This deletes view \(view.id), \"\(visible(view.name))\", with its counted days.")
      Terminal.say(try await JobRunner.wait(for: try catalog.deleteView(view), data, catalog))
    }
  }
}
