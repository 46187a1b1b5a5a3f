import Outgoing
package import SignOn
import Warehouse

extension SignOnProvider {
  /// Returns the providers with a client that reaches them over the network.
  package static func connected(_ providers: [ProviderSettings]) -> [SignOnProvider] {
    providers.map { settings in
      // Clients with threads of their own: neither slow receivers of notifications nor another provider hold up logins.
      let client = OutgoingClient(.init(secret: [], timeout: SignOnProvider.timeout), wallTime: WallClock.system)
      return SignOnProvider(
        settings, exchange: { request throws(OutgoingError) in try await client.exchange(request) },
        wallTime: WallClock.system, uptime: Clocks.systemUptime)
    }
  }
}
