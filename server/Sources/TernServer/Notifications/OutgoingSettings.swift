package import AppCatalog
import Foundation
import Logging
package import Outgoing
import Portal
import ServerBase
package import TernEvents
import Warehouse
import WarehouseSQLite

/// The operator's settings for sending notifications.
package struct OutgoingSettings: Sendable {
  package var mail: (server: MailServer, from: MailAddress)?
  /// The addresses to which webhooks may go.
  package var addresses = AddressPolicy()
  /// The address of the portal for links; `nil` if the operator has set none.
  package var portal: String?

  /// Creates the settings of a server that sends webhooks to the internet, but no mails.
  package init() {}

  /// Creates the client that sends.
  package func client(_ catalog: Catalog, wallTime: @escaping @Sendable () -> Timestamp) throws -> OutgoingClient {
    OutgoingClient(
      .init(mail: mail, addresses: addresses, secret: try catalog.webhookSecret()), wallTime: wallTime)
  }
}

extension OutgoingSettings {
  static let newID: @Sendable (Timestamp) -> UniqueID = { time in
    var generator = SystemRandomNumberGenerator()
    return UniqueID.timeOrdered(at: time, using: &generator)
  }

  /// The address of the portal in links: the one that the operator has set, or the one at which the server listens.
  func address(_ catalog: Catalog) -> @Sendable () -> String? {
    { [portal] in portal ?? (try? catalog.setting(LocalServer.addressSetting)).flatMap { $0 } }
  }
}
