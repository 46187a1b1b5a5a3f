package import TernEvents

/// A question that was saved to be asked again.
package struct DashboardCard: Sendable, Hashable, Codable {
  /// The longest query of a card, a link or an alert, in bytes: longer addresses are refused anyway.
  package static let maximumQueryBytes = 8_192

  /// The heading.
  package var name: String
  /// The name of the page that asks the question, for example `funnels`.
  package var page: String
  /// The state of the page's form, as the query of its address. Ranges such as `30d` end on the day of the reader.
  package var query: String
  /// True if the card takes the whole width of the page.
  package var isWide: Bool

  /// Creates a card.
  package init(name: String, page: String, query: String, isWide: Bool = false) {
    self.name = name
    self.page = page
    self.query = query
    self.isWide = isWide
  }

  private enum CodingKeys: String, CodingKey {
    case name, page, query, wide
  }

  /// Decodes a card; one without a width is not wide.
  package init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    name = try members.decode(String.self, forKey: .name)
    page = try members.decode(String.self, forKey: .page)
    query = try members.decode(String.self, forKey: .query)
    isWide = try members.decodeIfPresent(Bool.self, forKey: .wide) ?? false
  }

  /// Encodes the card.
  package func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(name, forKey: .name)
    try members.encode(page, forKey: .page)
    try members.encode(query, forKey: .query)
    if isWide { try members.encode(true, forKey: .wide) }
  }
}

/// Saved questions on one page.
package struct Dashboard: Sendable, Hashable {
  /// The most cards. Each asks its question whenever the page is opened.
  package static let maximumCards = 24

  /// The number.
  package var id: Int64
  package var app: AppID
  /// The name, unique within the app.
  package var name: String
  /// The questions, in the order of the page.
  package var cards: [DashboardCard]
  /// The name of the account or token that made the last change.
  package var author: String
  /// The time of the last change.
  package var changed: Timestamp

  package init(
    id: Int64 = 0, app: AppID, name: String = "", cards: [DashboardCard] = [], author: String = "",
    changed: Timestamp = Timestamp(millisecondsSince1970: 0)
  ) {
    self.id = id
    self.app = app
    self.name = name
    self.cards = cards
    self.author = author
    self.changed = changed
  }
}

extension Dashboard {
  /// The dashboard with which each app begins.
  package static func standard(for app: AppID, created: Timestamp) -> Dashboard {
    Dashboard(
      id: 0, app: app, name: "At a glance",
      cards: [
        DashboardCard(name: "Users", page: "explore", query: "metric=users"),
        DashboardCard(name: "Sessions", page: "explore", query: "metric=sessions"),
        DashboardCard(name: "Crash-free users", page: "explore", query: "metric=crash_free_users"),
        DashboardCard(name: "Users by version", page: "explore", query: "metric=users&by=version"),
        DashboardCard(name: "Users who come back", page: "retention", query: "days=90"),
        DashboardCard(name: "New and returning users", page: "lifecycle", query: "interval=week"),
      ], author: AuditActor.current.name, changed: created)
  }
}
