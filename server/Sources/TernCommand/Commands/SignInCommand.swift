import ArgumentParser
import SignOn
import TernServer

/// `tern sign-in`
struct SignInCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign-in", abstract: "Check the providers with which people sign in. Works while a server runs.",
    subcommands: [Check.self])

  /// The options about providers.
  struct Options: SettingArguments {
    @Option(\.signIn) var signIn: String?
    @Option(\.portalUrl) var portalUrl: String?

    func validate() throws { try EffectiveSettings(options: values).check() }
  }

  /// `tern sign-in check`
  struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Read the file of providers, and ask each whether it knows the client.",
      discussion: """
        Prints the address to which each provider must send people back; register it there. Exits with code 1 if a \
        provider can't be used.

        Example:
          tern sign-in check --sign-in /etc/tern/sign-in.json --portal-url https://tern.example.org
        """)

    @OptionGroup var data: DataOption
    @OptionGroup var options: Options

    func run() async throws {
      let settings = try options.settings(data)
      let signOn = try SignOnSettings(settings)
      for warning in signOn.secretFiles.compactMap(SecretFile.warning) { Terminal.complain(warning) }
      let providers = SignOnProvider.connected(signOn.providers)
      guard !providers.isEmpty else {
        throw ServerFailure("There are no providers. Name a file with --sign-in; docs/sign-on.md describes it.")
      }
      let portal = try settings.value(\.portalUrl) ?? "https://TERN"
      var hasFailed = false
      for provider in providers {
        let id = provider.settings.id
        let redirect = "\(portal)/sign-in/\(id)/callback"
        Terminal.say("\(id): sends people back to \(redirect)")
        do throws(SignOnError) {
          _ = try await provider.description()
          Terminal.say("\(id): can be reached")
          try await provider.checkClient(redirect: redirect)
          Terminal.say("\(id): accepts the client's ID and secret")
        } catch {
          hasFailed = true
          Terminal.say("\(id): failed. \(ServerFailure.line(error.message))")
        }
      }
      if hasFailed { throw ExitCode(1) }
    }
  }
}
