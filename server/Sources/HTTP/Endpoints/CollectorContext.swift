package import Hummingbird
import Logging
package import NIOCore
import Reports
import ServerBase
package import Warehouse

/// The context of one request.
package struct CollectorContext: RequestContext {
  package var coreContext: CoreRequestContextStorage
  /// The connection of the request.
  package let channel: any Channel

  /// The client for which a trusted proxy forwards the request, or `nil` if there is no proxy.
  var forwardedClient: IPAddress?

  /// The name of the person whom a trusted proxy has logged in; `nil` if proxies log no one in.
  var proxyUser: String?

  /// The right with which the request was admitted; `nil` for endpoints without a requirement.
  package var grant: Grant?

  package init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    channel = source.channel
  }

  /// The key of the client's share of all limits; empty if the client has no address.
  package var clientShare: String { (forwardedClient ?? IPAddress(channel.remoteAddress))?.share ?? "" }

  /// The visitor of an endpoint with a requirement; throws ``APIError`` for others.
  package var visitor: Visitor {
    get throws(APIError) {
      guard let grant else { throw .loginNeeded }
      return grant.visitor
    }
  }

  /// The app that the address names; throws ``APIError`` if it names none.
  package var app: App {
    get throws(APIError) {
      guard let app = grant?.app else { throw .unknownApp }
      return app
    }
  }

  /// The owners to which a request of this client, for this app, is charged.
  package func owners(app: AppID?) -> [RequestOwner] {
    app.map { [.client(clientShare), .app($0.rawValue)] } ?? [.client(clientShare)]
  }

  /// The segments of the request's app that the visitor may see.
  package func visibleSegments(_ catalog: any CatalogEditor) throws -> [SavedSegment] {
    let app = try app.id
    let seesPersonalData = try visitor.rights.allows(.readPersonalData, app: app)
    return try catalog.segments(app: app).filter { seesPersonalData || !$0.showsPersonalData }
  }

  /// Returns the number that the path has as parameter `name`; throws `error` if it isn't a number.
  package func number(_ name: String, else error: APIError) throws(APIError) -> Int64 {
    guard let number = parameters.get(name).flatMap({ Int64($0) }) else { throw error }
    return number
  }
}
