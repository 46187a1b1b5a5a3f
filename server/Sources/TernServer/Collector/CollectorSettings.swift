package import HTTP
package import HTTPTypes
import Ingest
package import Ingestion
package import ServerBase
package import Warehouse

/// Limits and policies of a collector.
package struct CollectorSettings: Sendable {
  /// The settings by default: clients with unknown secrets retry later, and no proxy is trusted.
  package static let standard = CollectorSettings()

  /// The limits on clients.
  package var limits = CollectorLimits.standard
  /// The limits and policies of the protocols.
  var protocols = ProtocolSettings.standard
  /// The proxies trusted to name the client in `X-Forwarded-For`.
  package var trustedProxies: [AddressBlock] = []
  /// The header in which trusted proxies name the person whom they have logged in; `nil` to ignore all.
  package var loginHeader: HTTPField.Name?
  /// The address of the portal that the operator has set; `nil` for the one that each request names.
  package var portalAddress: String?
  /// True if `/metrics` needs no login.
  package var hasPublicMetrics = false
  /// The limits of each client address.
  package var addressLimits = UsageLimits.address
  /// The interval between heartbeats on silent live streams.
  var heartbeat = Duration.seconds(15)
}

extension CollectorSettings {
  /// Creates settings with the policies that operators choose.
  package init(
    unknownSecret: UnknownSecretPolicy, trustedProxies: [AddressBlock], hasPublicMetrics: Bool,
    addressLimits: UsageLimits, maximumEventAge: Duration, loginHeader: HTTPField.Name? = nil,
    portalAddress: String? = nil
  ) {
    self.init()
    protocols.native.maximumAge = min(protocols.native.maximumAge, maximumEventAge)
    protocols.appCenter.maximumAge = min(protocols.appCenter.maximumAge, maximumEventAge)
    protocols.clients.maximumAge = min(protocols.clients.maximumAge, maximumEventAge)
    protocols.measurement.maximumAge = min(protocols.measurement.maximumAge, maximumEventAge)
    protocols.unknownSecret = unknownSecret
    self.trustedProxies = trustedProxies
    self.hasPublicMetrics = hasPublicMetrics
    self.addressLimits = addressLimits
    (self.loginHeader, self.portalAddress) = (loginHeader, portalAddress)
  }
}
