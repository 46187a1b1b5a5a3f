import ServerBase
import Testing
import Warehouse

@testable import SignOn

/// Tests the file of providers.
@Suite struct ProviderSettingsTests {
  private func parse(_ provider: String) throws -> ProviderSettings {
    try #require(
      try ProviderSettings.parse(Array("{\"providers\": [\(provider)]}".utf8)) {
        path throws(ProviderSettings.Mistake) in
        guard path == "/secret" else { throw ProviderSettings.Mistake(message: "\(path) can't be read.") }
        return "from file"
      }.first)
  }

  private func mistake(_ provider: String) throws -> String {
    do { _ = try parse(provider) } catch let error as ProviderSettings.Mistake { return error.message }
    return ""
  }

  private static let shortest = #""id": "a", "issuer": "https://id.example.org", "client-id": "c""#

  @Test func `a provider needs four settings`() throws {
    let settings = try parse("{\(Self.shortest), \"client-secret\": \"s\"}")
    #expect(settings.name == "a" && settings.clientSecret == "s" && settings.scopes == ["openid", "email", "profile"])
    #expect(!settings.createsUsers && !settings.trustsEmail && settings.rules.isEmpty && settings.claim == "groups")
    #expect(settings.metadataAddress == "https://id.example.org/.well-known/openid-configuration")
  }

  @Test func `all settings get to their places`() throws {
    let settings = try parse(
      """
      {"id": "b-2", "name": "B", "issuer": "http://id.test/x/", "allow-http": true, "client-id": "c",
       "client-secret-file": "/secret", "scopes": ["openid", "groups"], "create-users": true, "trust-email": true,
       "claim": "roles", "ca": "/ca.pem",
       "rules": [{"value": "o", "role": "owner"},
                 {"value": "v", "role": "viewer", "apps": [1, 2], "personal-data": true}]}
      """)
    #expect(settings.id == "b-2" && settings.name == "B" && settings.clientSecret == "from file")
    #expect(settings.metadataAddress == "http://id.test/x/.well-known/openid-configuration")
    #expect(settings.scopes == ["openid", "groups"] && settings.createsUsers && settings.trustsEmail)
    #expect(settings.claim == "roles" && settings.authorities == "/ca.pem")
    let viewer = ProvidedRights(role: .viewer, apps: [AppID(1), AppID(2)], seesPersonalData: true)
    #expect(
      settings.rules == [
        .init(value: "o", rights: ProvidedRights(role: .owner)), .init(value: "v", rights: viewer),
      ])
  }

  @Test(arguments: [
    (#"{}"#, #""id" in provider 1 is missing"#), (#"1"#, "isn't a JSON object"), (#"{"x": 1}"#, "no setting \"x\""),
    (#"{"id": "A"}"#, "lowercase"), (#"{"id": "../x"}"#, "lowercase"), (#"{"id": ""}"#, "isn't empty"),
    ("{\(shortest)}", #""client-secret" in provider 1 is missing"#),
    ("{\(shortest), \"client-secret-file\": \"/none\"}", "/none can't be read"),
    ("{\(shortest), \"client-secret-file\": \"/secret\", \"client-secret\": \"s\"}", "exclude each other"),
    (#"{"id": "a", "issuer": "http://id.example.org", "client-id": "c", "client-secret": "s"}"#, "must be https"),
    (#"{"id": "a", "issuer": "id.example.org", "client-id": "c", "client-secret": "s"}"#, "must be an address"),
    (#"{"id": "a", "issuer": "https://u:p@b", "client-id": "c", "client-secret": "s"}"#, "must be an address"),
    (#"{"id": "a", "issuer": "https://b?c", "client-id": "c", "client-secret": "s"}"#, "without a query"),
    ("{\(shortest), \"client-secret\": \"s\", \"create-users\": true}", "needs \"rules\""),
    ("{\(shortest), \"client-secret\": \"s\", \"create-users\": \"yes\"}", "true or false"),
    ("{\(shortest), \"client-secret\": \"s\", \"scopes\": [\"email\"]}", "openid"),
    ("{\(shortest), \"client-secret\": \"s\", \"scopes\": [\"openid\", \"a b\"]}", "openid"),
    ("{\(shortest), \"client-secret\": \"s\", \"rules\": [{\"value\": \"x\", \"role\": \"king\"}]}", "viewer, editor"),
    (
      "{\(shortest), \"client-secret\": \"s\", \"rules\": [{\"value\": \"x\", \"role\": \"owner\", \"apps\": [1]}]}",
      "doesn't apply to owners"
    ),
    ("{\(shortest), \"client-secret\": \"s\", \"rules\": [{\"role\": \"owner\"}]}", "\"value\" in provider 1, rule 1"),
    (
      "{\(shortest), \"client-secret\": \"s\", \"rules\": [{\"value\": \"x\", \"role\": \"viewer\", \"apps\": []}]}",
      "numbers of apps"
    ),
    (
      "{\(shortest), \"client-secret\": \"s\", \"rules\": [{\"value\": \"x\", \"role\": \"viewer\", \"apps\": [1.5]}]}",
      "numbers of apps"
    ),
  ]) func `a mistake is named with its place`(text: String, part: String) throws {
    let message = try mistake(text)
    #expect(message.contains(part), "\(message)")
  }

  @Test(arguments: ["http://localhost:8080", "http://127.0.0.1", "http://[::1]:1/x"])
  func `http is allowed on this machine`(issuer: String) throws {
    #expect(
      try parse(#"{"id": "a", "issuer": "\#(issuer)", "client-id": "c", "client-secret": "s"}"#).issuer == issuer)
  }

  @Test func `two providers differ in id and issuer`() throws {
    let provider = "{\(Self.shortest), \"client-secret\": \"s\"}"
    #expect(try mistake("\(provider), \(provider)").contains("same"))
  }

  @Test(arguments: ["", "[]", "{}", #"{"providers": []}"#, #"{"providers": {}}"#, #"{"a": 1}"#])
  func `a file without providers is a mistake`(text: String) {
    #expect(throws: ProviderSettings.Mistake.self) {
      _ = try ProviderSettings.parse(Array(text.utf8)) { _ throws(ProviderSettings.Mistake) in "" }
    }
  }

  @Test func `base64 has one form for each value`() {
    for count in 0..<20 {
      let bytes = (0..<count).map { UInt8($0 * 37 & 255) }
      #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
    }
    for text in ["A", "AB", "AAB", "AAAAA", "AA==", "A+AA", "A/AA", "A AA", "Ä"] {
      #expect(Base64URL.decode(text) == nil, "\(text)")
    }
  }
}
