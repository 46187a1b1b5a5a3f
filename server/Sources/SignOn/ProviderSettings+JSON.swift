import Foundation
import JSON
import Warehouse

/// Reading the file of providers, an object with the member `providers`.
extension ProviderSettings {
  /// A mistake in the file. The message names its place.
  package struct Mistake: Error, Sendable {
    package var message: String

    package init(message: String) { self.message = message }
  }

  /// The most providers: each is a button on the login page.
  static let maximumCount = 20

  /// Parses the file.
  ///
  /// - Parameter secret: Returns the first line of a file with a secret.
  package static func parse(
    _ bytes: [UInt8], secret: (_ path: String) throws(Mistake) -> String
  ) throws(Mistake) -> [ProviderSettings] {
    let tree: JSONTree
    do throws(JSONFault) { tree = try JSONTree(parsing: bytes) } catch {
      throw Mistake(message: error.message.replacing("document", with: "file"))
    }
    let file = try Members(tree, "the file", allowed: ["providers"])
    guard case .array(let elements)? = file.json["providers"], (1...maximumCount).contains(elements.count) else {
      throw Mistake(message: "\"providers\" must be a list of 1 to \(maximumCount) providers.")
    }
    var providers: [ProviderSettings] = []
    for (index, element) in elements.enumerated() {
      let provider = try provider(element, "provider \(index + 1)", secret)
      guard !providers.contains(where: { $0.id == provider.id || $0.issuer == provider.issuer }) else {
        throw Mistake(message: "Two providers have the same \"id\" or \"issuer\". Change one of them.")
      }
      providers.append(provider)
    }
    return providers
  }

  private static func provider(
    _ tree: JSONTree, _ place: String, _ secret: (_ path: String) throws(Mistake) -> String
  ) throws(Mistake) -> ProviderSettings {
    let members = try Members(
      tree, place,
      allowed: [
        "id", "name", "issuer", "client-id", "client-secret", "client-secret-file", "scopes", "create-users",
        "trust-email", "claim", "rules", "ca", "allow-http",
      ])
    let id = try members.text("id")
    guard id.wholeMatch(of: /[a-z0-9][a-z0-9-]{0,30}/) != nil else {
      throw members.mistake("id", "must be 1 to 31 lowercase letters, digits and hyphens, and not begin with a hyphen")
    }
    let secretText: String
    if let path = try members.textIfAny("client-secret-file") {
      guard !members.json.has("client-secret") else {
        throw members.mistake("client-secret", "and \"client-secret-file\" exclude each other; keep one of them")
      }
      secretText = try secret(path)
    } else {
      secretText = try members.text("client-secret")
    }
    var settings = ProviderSettings(
      id: id, name: try members.textIfAny("name") ?? id, issuer: try members.text("issuer"),
      clientID: try members.text("client-id"), clientSecret: secretText)
    try checkIssuer(settings, allowsHTTP: members.flag("allow-http"), members)
    settings.scopes = try members.textsIfAny("scopes") ?? settings.scopes
    guard settings.scopes.contains("openid"),
      settings.scopes.allSatisfy({ $0.wholeMatch(of: /[\x21\x23-\x5B\x5D-\x7E]+/) != nil })
    else { throw members.mistake("scopes", "must be a list of names with \"openid\" among them") }
    settings.createsUsers = try members.flag("create-users")
    settings.trustsEmail = try members.flag("trust-email")
    settings.claim = try members.textIfAny("claim") ?? settings.claim
    settings.rules = try rules(members)
    settings.authorities = try members.textIfAny("ca")
    guard !settings.createsUsers || !settings.rules.isEmpty else {
      throw members.mistake(
        "create-users", "needs \"rules\"; otherwise everyone with a login there could become a user here")
    }
    return settings
  }

  private static func checkIssuer(
    _ settings: ProviderSettings, allowsHTTP: Bool, _ members: Members
  ) throws(Mistake) {
    let parts = URLComponents(string: settings.issuer)
    let isLocal = ["localhost", "127.0.0.1", "::1", "[::1]"].contains(parts?.host?.lowercased() ?? "")
    guard settings.accepts(settings.issuer), parts?.query == nil else {
      throw members.mistake("issuer", "must be an address such as https://id.example.org, without a query")
    }
    guard parts?.scheme?.lowercased() == "https" || isLocal || allowsHTTP else {
      throw members.mistake(
        "issuer",
        "must be https, since others could read and change what is sent. \"allow-http\": true allows it anyway")
    }
  }

  private static func rules(_ members: Members) throws(Mistake) -> [Rule] {
    guard let value = members.json["rules"] else { return [] }
    guard case .array(let elements) = value, elements.count <= 200 else {
      throw members.mistake("rules", "must be a list of at most 200 rules")
    }
    var rules: [Rule] = []
    for (index, element) in elements.enumerated() {
      let rule = try Members(
        element, "\(members.place), rule \(index + 1)", allowed: ["value", "role", "apps", "personal-data"])
      guard let role = Account.Role(rawValue: try rule.text("role")) else {
        throw rule.mistake("role", "must be viewer, editor or owner")
      }
      guard role != .owner || !rule.json.has("apps") else {
        throw rule.mistake("apps", "doesn't apply to owners, who have all apps; leave it out, or choose another role")
      }
      let rights = ProvidedRights(
        role: role, apps: try rule.apps(), seesPersonalData: try rule.flag("personal-data"))
      rules.append(Rule(value: try rule.text("value"), rights: rights))
    }
    return rules
  }

  /// The members of an object, with errors that name them.
  private struct Members {
    let json: ProviderJSON
    let place: String

    init(_ tree: JSONTree, _ place: String, allowed: Set<String>) throws(Mistake) {
      do throws(SignOnError) { json = try ProviderJSON(tree, .provider, place) } catch {
        throw Mistake(message: error.message.prefix(1).uppercased() + error.message.dropFirst())
      }
      if let unknown = json.names.filter({ !allowed.contains($0) }).sorted().first {
        let names = allowed.sorted().joined(separator: ", ")
        throw Mistake(message: "There is no setting \"\(unknown)\" in \(place). The settings are \(names).")
      }
      self.place = place
    }

    func mistake(_ name: String, _ text: String) -> Mistake { Mistake(message: "\"\(name)\" in \(place) \(text).") }

    func textIfAny(_ name: String) throws(Mistake) -> String? {
      guard json.has(name) else { return nil }
      guard let text = json.text(name), (1...2_000).contains(text.utf8.count) else {
        throw mistake(name, "must be a text that isn't empty and has at most 2,000 bytes")
      }
      return text
    }

    func text(_ name: String) throws(Mistake) -> String {
      guard let text = try textIfAny(name) else { throw mistake(name, "is missing") }
      return text
    }

    func textsIfAny(_ name: String) throws(Mistake) -> [String]? {
      guard json.has(name) else { return nil }
      guard let texts = json.texts(name) else { throw mistake(name, "must be a list of texts") }
      return texts
    }

    func flag(_ name: String) throws(Mistake) -> Bool {
      switch json[name] {
      case nil: return false
      case .boolean(let flag)?: return flag
      default: throw mistake(name, "must be true or false")
      }
    }

    func apps() throws(Mistake) -> Set<AppID>? {
      guard json.has("apps") else { return nil }
      guard case .array(let elements)? = json["apps"], !elements.isEmpty else {
        throw mistake("apps", "must be a list of the numbers of apps; leave it out for all apps")
      }
      var apps: Set<AppID> = []
      for element in elements {
        guard case .number(let number) = element, let id = Int64(exactly: number), id > 0 else {
          throw mistake("apps", "must be a list of the numbers of apps, such as [1, 2]")
        }
        apps.insert(AppID(id))
      }
      return apps
    }
  }
}
