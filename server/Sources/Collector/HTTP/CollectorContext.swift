import Hummingbird
import Logging
import NIOCore

/// What travels with one request.
struct CollectorContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  /// The connection the request came in on.
  let channel: any Channel

  /// Whom a trusted proxy has sent the request for; `nil` where none is asked.
  var forwardedClient: IPAddress?

  init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    channel = source.channel
  }

  /// By what the shares of clients are told apart; empty when the client has no address.
  var clientShare: String { (forwardedClient ?? IPAddress(channel.remoteAddress))?.share ?? "" }
}
