import ArgumentParser
import Cryptography
import Foundation
import TernEvents

/// The program: parses the command line, runs the command, and reports errors on one line.
@main
struct RootCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tern",
    abstract: "App analytics that arrives: collects events from apps and turns them into reports.",
    discussion: """
      All data is in one directory, ./tern-data by default (--data).

      Examples:
        tern serve                                   start the server and print a login link
        tern apps create "My App"                    create an app and print its keys
        tern track Hello -p count=3 --key KEY        send one event and check that it arrives
        tern report overview --app 1 --format csv    the metrics of the last 30 days
      """,
    version: "tern \(ternVersion)",
    subcommands: [
      DemoCommand.self,
      ServeCommand.self, ConfigCommand.self,
      AppsCommand.self, ViewsCommand.self, DimensionsCommand.self, MetricsCommand.self, ReportCommand.self,
      QueryCommand.self,
      TrackCommand.self, VerifyCommand.self,
      RebuildCommand.self, BackupCommand.self, RestoreCommand.self, ExportCommand.self, ImportCommand.self,
      PersonsCommand.self, StorageCommand.self, SymbolsCommand.self, ErrorsCommand.self, AlertsCommand.self,
      MailReportsCommand.self,
      NotifyCommand.self, SignInCommand.self,
      ClickHouseCommand.self,
      LoginLinkCommand.self, UsersCommand.self, TokensCommand.self, LinksCommand.self, AuditCommand.self,
      TrialCommand.self, SandboxedCommand.self,
    ])

  static func main() async {
    await run(Array(CommandLine.arguments.dropFirst()))
  }

  /// Runs a command line and ends the process.
  static func run(_ arguments: [String]) async -> Never {
    do {
      try Libcrypto.prepare()
      var command = try parseAsRoot(arguments)
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
      Foundation.exit(0)
    } catch {
      let ending = CommandEnding(error)
      if let text = ending.text { ending.isFailure ? Terminal.complain(text) : Terminal.say(text) }
      Foundation.exit(ending.code)
    }
  }
}
