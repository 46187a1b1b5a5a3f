import Outgoing
package import SignOn
import Warehouse

extension SignOnProvider {
  /// Returns the providers with a client that reaches them over the network.
  package static func connected(_ providers: [ProviderSettings]) -> [SignOnProvider] {
    guard !providers.isEmpty else { return [] }
    // A client of its own: slow receivers of notifications must not hold up logins.
    let client = OutgoingClient(.init(secret: [], timeout: SignOnProvider.timeout), wallTime: WallClock.system)
    return providers.map { settings in
      SignOnProvider(
        settings, exchange: { request throws(OutgoingError) in try await client.exchange(request) },
        wallTime: WallClock.system, uptime: Clocks.systemUptime)
    }
  }
}
