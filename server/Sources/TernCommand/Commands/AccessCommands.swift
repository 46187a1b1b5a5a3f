import AppCatalog
import ArgumentParser
import Foundation

/// `tern login-link`
struct LoginLinkCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "login-link", abstract: "Print a link that logs one browser in to the portal.",
    discussion: """
      The link works once, for 15 minutes, and replaces any earlier one. Works while a server runs.

      Examples:
        tern login-link
        tern login-link --data /var/lib/tern --url https://tern.example.com
      """)

  @Option(
    help: ArgumentHelp(
      "The server's address; by default, where it last listened on this machine.", valueName: "address"))
  var url: String?

  @OptionGroup var data: DataOption

  func validate() throws {
    guard let url else { return }
    guard let address = URL(string: url), address.scheme == "http" || address.scheme == "https", address.host() != nil,
      address.query() == nil, address.fragment() == nil
    else { throw ValidationError("\"\(url)\" is not an address of a server, such as https://tern.example.com.") }
  }

  func run() throws {
    try data.withCatalog { catalog in
      guard let address = try url ?? catalog.setting(LocalServer.addressSetting) else {
        throw CommandFailure("No server has run on \(data.directory) yet. Start one, or give its address with --url.")
      }
      Terminal.say(try Self.link(to: address, catalog))
    }
  }

  /// Creates a login code and returns a link with it.
  static func link(to address: String, _ catalog: Catalog) throws -> String {
    let base = address.hasSuffix("/") ? String(address.dropLast()) : address
    return "\(base)/login?code=\(try catalog.createLoginCode())"
  }
}

/// `tern token`
struct TokenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "Manage the admin token, with which programs read reports.",
    subcommands: [Reset.self])

  /// `tern token reset`
  struct Reset: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Create a new admin token and print it. The old one and all logins end at once.",
      discussion: """
        Programs send it as "Authorization: Bearer TOKEN"; people can log in with it. Works while a server runs.

        Example:
          tern token reset --data /var/lib/tern
        """)

    @OptionGroup var data: DataOption

    func run() throws {
      let token = try data.withCatalog { try $0.resetAdminToken() }
      Terminal.say(
        """
        New admin token (shown only once):
          \(token)
        """)
    }
  }
}
