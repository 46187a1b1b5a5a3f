import Answering
import HTTP
import HTTPTypes
import JSON
import Portal
import TernEvents
import Warehouse

/// `/api/v1/apps/{app}/links`: the links with which anyone can read one page. The address of a new one is only in the
/// answer.
struct LinkEndpoints: Sendable {
  let catalog: any CollectorCatalog
  /// The server's address in links if the request doesn't name it.
  let server: String
  let wallTime: @Sendable () -> Timestamp

  private static let link = JSONAnswer("SharedLink", ShownLink.members)
  private static let newLink = JSONAnswer<(ShownLink, address: String)>([
    .shown("link", link.schema) { link.tree($0.0) },
    .shown(
      "address", .text.example(.text("https://tern.example.com/shared/…")).described("It can't be read again.")
    ) { .text($0.address) },
  ]).created

  func add(to api: EndpointGroup) {
    let links = api.group("/apps/:app/links", .edit)
    let unknown = APIError.unknown("link", "This app has no link with this number.")
    links.get(
      "", "listLinks", "The pages of an app that are shared, without the secrets of their links.",
      .list("links", of: Self.link)
    ) { call in try catalog.links(app: try call.app.id).map { try shown($0, call) } }
    links.on(
      .post, "", "createLink",
      "Shares a page with everyone who has its link. The link's address is only in this answer.",
      JSONBody("SharedLinkInput", NewLink.members, maximumBytes: 32 << 10), Self.newLink
    ) { call, sent in
      let (wanted, app) = (try sent.value(from: NewLink()), try call.app)
      let (link, secret) = try catalog.atomically {
        let secret = try catalog.share(
          wanted.page, query: wanted.query, of: app, sites: wanted.sites,
          lasting: wanted.days.map { .seconds($0 * 86_400) }, now: wallTime())
        return (try catalog.link(secret), secret)
      }
      guard let link else { throw unknown }
      return (try shown(link, call), "\(call.request.serverAddress ?? server)/shared/\(secret)")
    }
    links.delete("/:link", "revokeLink", "Ends a shared link at once.") { call in
      let (app, number) = (try call.app, try call.number("link", else: unknown))
      let link = try catalog.links(app: app.id).first { $0.id == number }
      guard try catalog.revoke(link, app: app, now: wallTime()) else { throw unknown }
    }
  }

  private func shown(_ link: SharedLink, _ call: Call) throws -> ShownLink {
    ShownLink(
      link,
      name: catalog.name(
        of: link, app: try call.app, now: wallTime(), segments: try call.context.visibleSegments(catalog)))
  }
}
