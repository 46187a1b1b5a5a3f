import Hummingbird
import Logging
import NIOCore
import Warehouse

/// The context of one request.
struct CollectorContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  /// The connection the request came in on.
  let channel: any Channel

  /// The client for which a trusted proxy forwards the request; `nil` without one.
  var forwardedClient: IPAddress?

  init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    channel = source.channel
  }

  /// The key of the client's share of all limits; empty when the client has no address.
  var clientShare: String { (forwardedClient ?? IPAddress(channel.remoteAddress))?.share ?? "" }

  /// The parties that a request of this client, for this app, is charged to.
  func owners(app: AppID?) -> [RequestOwner] {
    app.map { [.client(clientShare), .app($0.rawValue)] } ?? [.client(clientShare)]
  }
}
