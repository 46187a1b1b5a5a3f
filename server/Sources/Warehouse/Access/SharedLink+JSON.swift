package import JSON
import TernEvents

/// A link as it is shown, with the contents of its page in words.
package struct ShownLink: Sendable {
  package let link: SharedLink
  package let name: String

  package init(_ link: SharedLink, name: String) { (self.link, self.name) = (link, name) }

  package static let members: [JSONMember<ShownLink>] = [
    .shown("id", .count) { .integer($0.link.id) },
    .shown("page", .text) { .text($0.link.report) },
    .shown("query", .text) { .text($0.link.query) },
    .shown("name", .text.described("The contents of the page in words.")) { .text($0.name) },
    .shown("sites", .list(.text)) { .texts($0.link.sites) },
    .shown("created", .time) { .time($0.link.created) },
    .shown("expires", .nullable(.time)) { .time($0.link.expires) },
  ]
}

/// A page to share.
package struct NewLink: Sendable {
  package var page = ""
  package var query = ""
  package var sites: [String] = []
  /// The days after which the link ends; `nil` for never.
  package var days: Int?

  package init() {}

  /// The maximum size of a page's query, in bytes. Like the sites, it is in a header field of each answer.
  private static let maximumQueryBytes = DashboardCard.maximumQueryBytes

  package static let members: [JSONMember<NewLink>] = [
    .required("page", \.page, .text).example(.text("overview"))
      .described("The name of a report without personal data, of a page that asks a question, or `dashboards`."),
    .optional(
      "query", \.query, .text(atMost: maximumQueryBytes).specified(.text(0...maximumQueryBytes))
    ).example(.text("days=7")).described("The parameters in the page's address."),
    .optional("sites", \.sites, .list(.text.specified(.text.example(.text("https://wiki.example.com"))), 0...20))
      .described("The sites that may show the page in a frame."),
    .optional("days", \.days, .integer(1...3_650)).described("The days after which the link ends."),
  ]
}
