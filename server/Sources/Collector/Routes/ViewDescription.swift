import Reports
public import TernEvents
public import Warehouse

/// A view in the JSON of the API and of `tern views`.
public struct ViewDescription: Encodable, Sendable {
  private let id: Int64
  private let app: Int64
  private let name: String
  private let timeZone: String
  private let rules: [RulesDescription]
  private let current: RulesDescription

  private enum CodingKeys: String, CodingKey {
    case id, app, name, timeZone, rules
  }

  /// Describes a view.
  ///
  /// - Parameter now: The current time, which determines the current rules.
  /// - Throws: ``ReportError`` if the system does not know the view's zone.
  public init(_ view: View, now: Timestamp) throws {
    id = view.id.rawValue
    app = view.app.rawValue
    name = view.name
    timeZone = view.timeZone
    rules = view.rules.map { RulesDescription($0, isListed: true) }
    current = RulesDescription(view.rules(on: try ReportZone(view.timeZone).day(of: now)), isListed: false)
  }

  /// Writes the view with its current rules, and all rules in `rules`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    try container.encode(app, forKey: .app)
    try container.encode(name, forKey: .name)
    try container.encode(timeZone, forKey: .timeZone)
    try container.encode(rules, forKey: .rules)
    try current.encode(to: encoder)
  }
}

/// The rules of a view; in a list, with the first day to which they apply.
private struct RulesDescription: Encodable, Sendable {
  private enum CodingKeys: String, CodingKey {
    case since, lateness, filters, sessionTimeoutMinutes, campaignDays, quotas, currency, userID, unification
  }

  private let rules: View.Rules
  private let isListed: Bool

  init(_ rules: View.Rules, isListed: Bool) {
    self.rules = rules
    self.isListed = isListed
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    // The first rules have `null` rather than no member.
    if isListed { try container.encode(rules.start?.description, forKey: .since) }
    let settings = rules.settings
    try container.encode(rules.lateness.rawValue, forKey: .lateness)
    try container.encode(rules.filters.map(\.description), forKey: .filters)
    try container.encode(settings.sessionTimeout.components.seconds / 60, forKey: .sessionTimeoutMinutes)
    try container.encode(settings.campaignDays, forKey: .campaignDays)
    try container.encode(settings.hasQuotas, forKey: .quotas)
    try container.encode(settings.currency, forKey: .currency)
    try container.encode(settings.identity != .client, forKey: .userID)
    try container.encode(settings.identity == .user, forKey: .unification)
  }
}
