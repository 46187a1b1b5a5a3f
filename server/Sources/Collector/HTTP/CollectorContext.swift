import Hummingbird
import Logging
import NIOCore

/// What travels with one request.
struct CollectorContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  /// The connection the request came in on.
  let channel: any Channel

  init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    channel = source.channel
  }

  /// By what the shares of clients are told apart; empty when the client has no address.
  var clientShare: String { channel.remoteAddress?.clientShare ?? "" }

  /// The client's address without its port; empty when it has none.
  var clientAddress: String {
    channel.remoteAddress?.ipAddress ?? ""
  }
}
