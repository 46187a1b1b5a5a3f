import GRDB
public import Warehouse

/// The daily limits on new names.
extension Catalog {
  /// The highest daily limit that can be set for new names of each kind.
  public static let maximumNewNamesPerDay = 100_000

  /// Returns how many new names of each kind an app may introduce per day after reaching its overall limit; `nil` for
  /// the default, which depends on the kind.
  public func newNamesPerDay(of app: AppID) throws -> Int? { try setting(Self.newNames(app)).flatMap { Int($0) } }

  /// Throws ``WarehouseError`` with code `invalid` unless a limit is from 0 to ``maximumNewNamesPerDay``.
  static func check(newNamesPerDay number: Int) throws {
    guard (0...maximumNewNamesPerDay).contains(number) else {
      throw WarehouseError(
        code: .invalid, message: "New names per day must be from 0 to \(maximumNewNamesPerDay), not \(number).")
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
