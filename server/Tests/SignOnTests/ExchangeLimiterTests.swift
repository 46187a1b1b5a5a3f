import Testing

@testable import SignOn

@Suite struct ExchangeLimiterTests {
  @Test func `one client has two exchanges at a time, and one provider four`() {
    var limiter = ExchangeLimiter()
    let begins = [
      ("a", "slow", true), ("a", "other", true), ("a", "third", false), ("b", "slow", true), ("c", "slow", true),
      ("d", "slow", true), ("e", "slow", false), ("e", "other", true),
    ]
    for (client, provider, isAdmitted) in begins {
      #expect(limiter.begin(client: client, provider: provider) == isAdmitted, "\(client) with \(provider)")
    }
    limiter.end(client: "a", provider: "slow")
    for (client, provider, isAdmitted) in [
      ("f", "slow", true), ("g", "slow", false), ("a", "third", true), ("a", "third", false),
    ] {
      #expect(limiter.begin(client: client, provider: provider) == isAdmitted, "\(client) with \(provider), afterwards")
    }
  }
}
