import ServerBase

/// Bounds the exchanges of codes that are in progress, since each may occupy a thread for as long as the provider takes.
package struct ExchangeLimiter: Sendable {
  /// The maximum number of one client's exchanges at a time.
  package static let maximumPerClient = 2
  /// The maximum number of exchanges with one provider at a time.
  package static let maximumPerProvider = 4

  private var clients = ConcurrencyCounts<String>()
  private var providers = ConcurrencyCounts<String>()

  package init() {}

  /// Begins an exchange; returns false if the client or the provider has too many in progress.
  ///
  /// - Parameters:
  ///   - client: The client's address.
  ///   - provider: The provider's id.
  package mutating func begin(client: String, provider: String) -> Bool {
    guard clients[client] < Self.maximumPerClient, providers[provider] < Self.maximumPerProvider else { return false }
    clients.began(client)
    providers.began(provider)
    return true
  }

  /// Ends an exchange that was begun.
  package mutating func end(client: String, provider: String) {
    clients.ended(client)
    providers.ended(provider)
  }
}
