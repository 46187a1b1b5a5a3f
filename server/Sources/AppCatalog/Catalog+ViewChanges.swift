import GRDB
import TernEvents
import Views
public import Warehouse

/// What is to be changed of a view; what is `nil` stays as it is.
public struct ViewChange: Sendable, Hashable {
  /// The name, for all reports at once.
  public var name: String?
  /// Which hits come too late.
  public var lateness: View.Lateness?
  /// What hits must have, in place of all filters of before.
  public var filters: [ViewFilter]?
  /// The longest silence within a session.
  public var sessionTimeout: Duration?
  /// How long a campaign lasts.
  public var campaignDays: Int?
  /// Whether hits beyond the 500th of their session are left out.
  public var hasQuotas: Bool?
  /// What amounts are in; empty for no label.
  public var currency: String?
  /// Whether hits before the one that names the user are that user's, where users are `uid`s.
  public var hasUnification: Bool?

  /// Creates a change of nothing.
  public init() {}

  /// Whether nothing is to be changed.
  public var isEmpty: Bool { self == ViewChange() }

  /// The rules that come of others.
  func applied(to rules: View.Rules) -> View.Rules {
    var rules = rules
    rules.lateness = lateness ?? rules.lateness
    rules.filters = filters ?? rules.filters
    rules.settings.sessionTimeout = sessionTimeout ?? rules.settings.sessionTimeout
    rules.settings.campaignDays = campaignDays ?? rules.settings.campaignDays
    rules.settings.hasQuotas = hasQuotas ?? rules.settings.hasQuotas
    rules.settings.currency = currency ?? rules.settings.currency
    if let hasUnification { rules.settings.identity = hasUnification ? .user : .explicitUser }
    return rules
  }
}

extension Catalog {
  /// Changes a view: its name at once, all else from its next day on. Days that have begun stay as they are.
  ///
  /// - Parameters:
  ///   - endsOpenDays: must be said when days that would stay open for ever become final by the change, as nothing can
  ///     open them again.
  /// - Throws: ``WarehouseError`` with code `invalid` when there is no such view, or a value cannot be used.
  public func changeView(_ id: ViewID, _ change: ViewChange, endsOpenDays: Bool = false) throws -> View {
    let known = try existing(id)
    if let name = change.name { try check(name: name, timeZone: known.timeZone) }
    if change.hasUnification != nil, !known.countsMembers {
      throw WarehouseError(
        code: .invalid,
        message:
          "View \(id) counts clients as users, so nothing can be unified. Create another with --user-id: it counts "
          + "all hits there are.")
    }
    var rules = change.applied(to: known.latest)
    try check(rules)
    // A clock that was set back must not reach rules that have begun to hold.
    let start = max(try nextDay(of: known), known.changes.last?.start ?? Day(number: .min))
    rules.start = start
    // What has not begun to hold is replaced, and what changes nothing is none.
    let before = known.changes.last { $0.start ?? start < start } ?? known.first
    var unchanged = before
    unchanged.start = start
    if let lateness = change.lateness, lateness != .none, before.lateness == .none, known.latest.lateness == .none,
      !endsOpenDays
    {
      throw WarehouseError(
        code: .invalid,
        message: "All days of view \(id) are open. With --lateness \(lateness.rawValue), those before \(start) become "
          + "final, too, when the last of them does, and cannot be opened again. Say --yes if that is meant.")
    }
    try writing { database in
      if let name = change.name {
        try database.execute(sql: "UPDATE view SET name = ? WHERE id = ?", arguments: [name, id.rawValue])
      }
      try database.execute(
        sql: "DELETE FROM view_rule WHERE view = ? AND day = ?", arguments: [id.rawValue, start.number])
      if rules != unchanged { try Self.store(rules, of: id, start, database) }
    }
    return try existing(id)
  }

  private static func store(_ rules: View.Rules, of view: ViewID, _ start: Day, _ database: Database) throws {
    try database.execute(
      sql: """
        INSERT INTO view_rule (view, day, lateness, filters, timeout, campaign_days, quotas, currency, identity)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        view.rawValue, start.number, rules.lateness.rawValue, try text(of: rules.filters),
        rules.settings.sessionTimeout.components.seconds, rules.settings.campaignDays, rules.settings.hasQuotas,
        rules.settings.currency, rules.settings.identity.rawValue,
      ])
  }

  /// The first day of a view that has not begun.
  private func nextDay(of view: View) throws -> Day {
    guard let calendar = ViewCalendar(view) else {
      throw WarehouseError(code: .invalid, message: "This system does not know the time zone \(view.timeZone).")
    }
    return Day(number: calendar.next(after: calendar.day(of: now().millisecondsSince1970)))
  }
}
