import Alerts
import AppCatalog
import ArgumentParser
import Outgoing
import TernEvents
import TernServer
import Warehouse

/// `tern notify`
struct NotifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "notify", abstract: "Test destinations of notifications. Works while a server runs.",
    subcommands: [Test.self, Secret.self])

  /// `tern notify test`
  struct Test: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Send a test message to each destination, and print the answers.",
      discussion: """
        Without --to, it is sent to every destination of every alert. Exits with code 1 if one of them doesn't accept it.
        A running server sends it with its own settings, unless an option about mails, webhooks or the portal is given.

        Examples:
          tern notify test --to mail:someone@example.org --smtp smtp://mail.example.org:587 --mail-from tern@example.org
          tern notify test --to webhook:https://example.org/hook --to chat:https://hooks.example.org/T0/B0
          tern notify test
        """)

    @Option(help: ArgumentHelp("\(Destination.forms()); repeatable.", valueName: "destination"))
    var to: [String] = []

    @OptionGroup var data: DataOption
    @OptionGroup var options: OutgoingOptions

    func validate() throws { _ = try Self.destinations(to) }

    func run() async throws {
      let catalog = try data.openCatalog()
      defer { try? catalog.close() }
      var destinations = try Self.destinations(to)
      if destinations.isEmpty {
        for alert in try catalog.alerts() {
          destinations += alert.alert.destinations.filter { !destinations.contains($0) }
        }
      }
      guard !destinations.isEmpty else {
        throw ServerFailure(
          "No alert has a destination yet. Name one with --to, such as --to mail:someone@example.org.")
      }
      // Options are for this test alone.
      let outcomes =
        if options.values.isEmpty, try catalog.isServed() {
          try await Self.send(
            message(try catalog.setting(LocalServer.addressSetting)), to: destinations, byServerOf: catalog,
            isServed: catalog.isServed)
        } else { try await send(to: destinations, catalog) }
      for outcome in outcomes {
        let word = outcome.isAccepted ? "accepted" : "failed"
        Terminal.say("\(outcome.destination): \(word). \(ServerFailure.line(outcome.answer))")
      }
      if outcomes.contains(where: { !$0.isAccepted }) { throw ExitCode(1) }
    }

    /// Sends with the settings of this command.
    private func send(to destinations: [Destination], _ catalog: Catalog) async throws -> [TestMessage.Outcome] {
      let settings = try OutgoingSettings(options.settings(data))
      let client = try settings.client(catalog, wallTime: WallClock.system)
      var outcomes: [TestMessage.Outcome] = []
      for destination in destinations {
        do throws(OutgoingError) {
          let answer = try await client.send(message(settings.portal), to: destination)
          outcomes.append(.init(destination: destination.shown, isAccepted: true, answer: answer))
        } catch {
          outcomes.append(.init(destination: destination.shown, isAccepted: false, answer: error.message))
        }
      }
      return outcomes
    }

    private func message(_ portal: String?) -> OutgoingMessage {
      let now = WallClock.system()
      var generator = SystemRandomNumberGenerator()
      return OutgoingMessage(
        id: UniqueID.timeOrdered(at: now, using: &generator), time: now, event: OutgoingMessage.testEvent,
        title: "Tern: a test message", text: "This message was sent by `tern notify test`. Nothing is wrong.",
        facts: [.init("sent", "Sent", now.utcText(withMilliseconds: false))], link: portal)
    }

    private static func destinations(_ texts: [String]) throws -> [Destination] {
      do throws(OutgoingError) {
        var destinations: [Destination] = []
        for text in texts { destinations.append(try Destination(text)) }
        return destinations
      } catch {
        throw ValidationError(error.message)
      }
    }
  }

  /// `tern notify secret`
  struct Secret: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Print the secret that signs webhooks to an address.",
      discussion: """
        The receiver needs it to check X-Tern-Signature; docs/alerts.md says how. Each address has a secret of its own.

        Example:
          tern notify secret https://example.org/hook
        """)

    @Argument(help: "The address, exactly as in the alert.") var address: String
    @OptionGroup var data: DataOption

    func run() throws {
      guard let address = WebAddress(address) else {
        throw ServerFailure("Enter an http or https address, such as https://example.org/hook.")
      }
      try data.withCatalog { catalog in
        Terminal.say(try OutgoingSettings().client(catalog, wallTime: WallClock.system).secret(of: address))
      }
    }
  }
}
