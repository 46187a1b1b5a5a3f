import GRDB
import TernEvents
import Views
package import Warehouse

extension AuditEntry.Action {
  static let viewDeleted = Self("view deleted")
}

extension Catalog {
  /// Changes a view: its name immediately, everything else from its next day on. Days that have already begun are
  /// unaffected.
  ///
  /// - Parameters:
  ///   - endsOpenDays: Confirms that open days may become final. Required if the change would close days that would
  ///     otherwise stay open forever, since they can't be reopened.
  /// - Throws: ``WarehouseError`` with code `invalid` if there is no such view or a value is invalid.
  package func changeView(_ id: ViewID, _ change: ViewChange, endsOpenDays: Bool = false) throws -> View {
    let current = try existing(id)
    if let name = change.name { try check(name: name) }
    if change.hasUnification != nil, !current.countsUserIDs {
      throw WarehouseError(
        .invalid,
        "View \(id) counts clients as users, so unification doesn't apply. Create another view with --user-id; it "
          + "counts all hits stored so far.")
    }
    var rules = change.applied(to: current.latest)
    try check(rules)
    // If the clock was set back, rules already in effect must not change.
    let start = max(try nextDay(of: current), current.changes.last?.start ?? Day(number: .min))
    rules.start = start
    // Replace rules that haven't taken effect yet, and drop the change if it makes no difference.
    let before = current.changes.last { $0.start ?? start < start } ?? current.first
    var unchanged = before
    unchanged.start = start
    if let lateness = change.lateness, lateness != .none, before.lateness == .none, current.latest.lateness == .none,
      !endsOpenDays
    {
      throw WarehouseError(
        .invalid,
        "All days of view \(id) are open. With --lateness \(lateness.rawValue), days before \(start) become "
          + "final too and can't be reopened. Add --yes to confirm.")
    }
    try writing { database in
      if let name = change.name {
        try database.execute(sql: "UPDATE view SET name = ? WHERE id = ?", arguments: [name, id.rawValue])
      }
      try database.execute(
        sql: "DELETE FROM view_rule WHERE view = ? AND day = ?", arguments: [id.rawValue, start.number])
      if rules != unchanged { try Self.store(rules, of: id, start, database) }
      try record(.viewChanged, "\(id), from \(start)", database)
    }
    return try existing(id)
  }

  /// Deletes a view with its shared links, and adds the job of deleting its stored days.
  ///
  /// The view is gone at once, so that nothing counts its days again while the job waits. Numbers of views are never
  /// used again.
  @discardableResult
  package func deleteView(_ view: View) throws -> DataJob {
    try writing { database in
      try checkRoomForJob(of: view.app, database)
      for table in try Self.tables(with: "view", database) {
        try database.execute(sql: "DELETE FROM \(table) WHERE view = ?", arguments: [view.id.rawValue])
      }
      try database.execute(sql: "DELETE FROM view WHERE id = ?", arguments: [view.id.rawValue])
      try database.execute(
        sql: "DELETE FROM link WHERE app = ? AND '&' || query || '&' LIKE '%&view=' || ? || '&%'",
        arguments: [view.app.rawValue, view.id.rawValue])
      try record(.viewDeleted, "\(view.id) \(view.name)", database)
      return try Self.insertJob(.deleteView, app: view.app, argument: view.id.description, database)
    }
  }

  private static func store(_ rules: View.Rules, of view: ViewID, _ start: Day, _ database: Database) throws {
    try database.execute(
      sql: """
        INSERT INTO view_rule (view, day, lateness, filters, timeout, campaign_days, quotas, currency, identity)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        view.rawValue, start.number, rules.lateness.rawValue, try text(rules.filters.map(\.description)),
        rules.settings.sessionTimeout.components.seconds, rules.settings.campaignDays, rules.settings.hasQuotas,
        rules.settings.currency, rules.settings.identity.rawValue,
      ])
  }

  /// Returns the view's first day that hasn't begun.
  private func nextDay(of view: View) throws -> Day {
    let calendar = ViewCalendar(view)
    return Day(number: calendar.next(after: calendar.day(of: now().millisecondsSince1970)))
  }
}
