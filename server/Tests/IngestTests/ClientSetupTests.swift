import Ingest
import Testing

/// The code that clients of other systems need, as the portal shows it.
@Suite struct ClientSetupTests {
  private static func setups(_ address: String, _ keys: [String] = ["wk_1"]) -> [String: String] {
    let target = ClientTarget(address: address, keys: keys)
    let setups = ClientProtocols.all.flatMap { $0.setups(target) }
    #expect(Set(setups.map(\.client)).count == setups.count)
    return Dictionary(setups.map { ($0.client, $0.code) }, uniquingKeysWith: { first, _ in first })
  }

  @Test func `every protocol says what its clients need, with the host of this server`() {
    let target = ClientTarget(address: "https://tern.example", keys: ["wk_1"])
    for client in ClientProtocols.all {
      let setups = client.setups(target)
      #expect(!setups.isEmpty, "\(client.title)")
      for setup in setups { #expect(setup.code.contains("tern.example"), "\(setup.client)") }
    }
  }

  @Test func `keys with quotes are valid literals, and code in them stays text`() {
    let setups = Self.setups("https://tern.example", [#"a"b\c'd#{e}"#, "tern_1"])
    #expect(setups["PostHog for Python"] == ##"Posthog("a\"b\\c'd#{e}", host="https://tern.example")"##)
    #expect(
      setups["PostHog for Ruby"]
        == ##"PostHog::Client.new(api_key: 'a"b\\c\'d#{e}', host: 'https://tern.example')"##)
    #expect(
      setups["sentry-cli"] == "export SENTRY_DSN='https://tern_1@tern.example/1'", "addresses have a key that they can")
  }

  @Test(arguments: [
    ("https://tern.example", "host: 'tern.example', port: 443", "https://wk_1@tern.example/1"),
    ("https://tern.example:8443/", "host: 'tern.example', port: 8443", "https://wk_1@tern.example:8443/1"),
    ("http://127.0.0.1:8787", "host: '127.0.0.1', port: 443", "http://wk_1@127.0.0.1:8787/1"),
    ("https://[::1]", "host: '[::1]', port: 443", "https://wk_1@[::1]/1"),
    ("https://[::1]:8443/tern", "host: '[::1]', port: 8443", "https://wk_1@[::1]:8443/tern/1"),
  ])
  func `host and port come from the server's address`(address: String, host: String, dsn: String) {
    let setups = Self.setups(address)
    #expect(setups["Segment for Ruby"]?.contains(host) == true, "\(setups["Segment for Ruby"] ?? "")")
    #expect(setups["Sentry for Python"] == "sentry_sdk.init(dsn=\"\(dsn)\")")
  }

  @Test func `clients that check keys get one that they take`() {
    let bugsnag = String(repeating: "0a", count: 16)
    let setups = Self.setups("https://tern.example", ["wk_1", "A-SH-7", bugsnag])
    #expect(setups["Aptabase for Python"]?.hasPrefix("Aptabase(\"A-SH-7\"") == true)
    #expect(setups["Bugsnag for Go"]?.contains("APIKey: \"\(bugsnag)\"") == true)
    #expect(setups["Amplitude for Python"]?.hasPrefix("Amplitude(\"wk_1\"") == true)
  }
}
