import GRDB
package import Warehouse

/// The limits that an operator has set for apps.
extension Catalog {
  private static let limitsPrefix = "limits/"

  /// Returns what is set of an app's limits.
  package func usageLimitChanges(of app: AppID) throws -> UsageLimitChanges {
    try setting(Self.limits(app)).flatMap { Self.changes($0) } ?? UsageLimitChanges()
  }

  /// Sets an app's limits. A running server applies them within a second. Limits that are set already change nothing.
  ///
  /// - Throws: ``WarehouseError`` with code `invalid` if a limit is out of range.
  package func setUsageLimits(of app: AppID, to changes: UsageLimitChanges) throws {
    let numbers = UsageLimitChanges.members.compactMap { changes[keyPath: $0.value] }
    guard numbers.allSatisfy(UsageLimitChanges.range.contains) else {
      throw WarehouseError(.invalid, "A limit is a number from 1 to \(UsageLimitChanges.range.upperBound).")
    }
    let text = try Self.text(changes)
    try writing { database in
      guard try Int64.fetchOne(database, sql: "SELECT id FROM app WHERE id = ?", arguments: [app.rawValue]) != nil
      else { throw WarehouseError(.unknownApp, "There is no app \(app).") }
      let name = Self.limits(app)
      let old = try String.fetchOne(database, sql: "SELECT value FROM setting WHERE name = ?", arguments: [name])
      guard changes != old.flatMap({ Self.changes($0) }) ?? UsageLimitChanges() else { return }
      if changes == UsageLimitChanges() {
        try database.execute(sql: "DELETE FROM setting WHERE name = ?", arguments: [Self.limits(app)])
      } else {
        try database.execute(sql: "INSERT OR REPLACE INTO setting VALUES (?, ?)", arguments: [Self.limits(app), text])
      }
      try record(.appChanged, "\(app): limits \(text)", database)
    }
  }

  /// Returns the limits of all apps for which some are set.
  package func usageLimits() throws -> [AppID: UsageLimits] {
    try reading { database in
      let rows = try Row.fetchAll(
        database, sql: "SELECT name, value FROM setting WHERE name GLOB ?", arguments: [Self.limitsPrefix + "*"])
      var limits: [AppID: UsageLimits] = [:]
      for row in rows {
        let (name, text): (String, String) = (row["name"], row["value"])
        guard let app = Int64(name.dropFirst(Self.limitsPrefix.count)), let changes = Self.changes(text) else {
          continue
        }
        limits[AppID(app)] = changes.limits
      }
      return limits
    }
  }

  static func limits(_ app: AppID) -> String { limitsPrefix + "\(app.rawValue)" }

  private static func changes(_ text: String) -> UsageLimitChanges? {
    try? value(UsageLimitChanges.self, text)
  }
}

/// The daily limits on new names.
extension Catalog {
  /// The highest daily limit that can be set for new names of each kind.
  package static let maximumNewNamesPerDay = 100_000

  /// Returns how many new names of each kind an app may introduce per day after reaching its overall limit; `nil` for
  /// the default, which depends on the kind.
  package func newNamesPerDay(of app: AppID) throws -> Int? { try setting(Self.newNames(app)).flatMap { Int($0) } }

  /// Throws ``WarehouseError`` with code `invalid` unless a limit is from 0 to ``maximumNewNamesPerDay``.
  static func check(newNamesPerDay number: Int) throws {
    guard (0...maximumNewNamesPerDay).contains(number) else {
      throw WarehouseError(.invalid, "New names per day must be from 0 to \(maximumNewNamesPerDay), not \(number).")
    }
  }

  static func setNewNamesPerDay(of app: AppID, to number: Int?, _ database: Database) throws {
    if let number {
      try database.execute(
        sql: "INSERT OR REPLACE INTO setting VALUES (?, ?)", arguments: [newNames(app), String(number)])
    } else {
      try database.execute(sql: "DELETE FROM setting WHERE name = ?", arguments: [newNames(app)])
    }
  }

  static func newNames(_ app: AppID) -> String { "new_names_per_day/\(app.rawValue)" }
}
