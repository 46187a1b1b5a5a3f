import GRDB
public import Warehouse

/// The daily limits on new names.
extension Catalog {
  /// The highest daily limit that can be set for new names of each kind.
  public static let maximumNewNamesPerDay = 100_000

  /// Returns how many new names of each kind an app may introduce per day after reaching its overall limit; `nil` for
  /// the default, which depends on the kind.
  public func newNamesPerDay(of app: AppID) throws -> Int? { try setting(Self.newNames(app)).flatMap { Int($0) } }

  /// Sets how many new names of each kind an app may introduce per day. A running server applies it within a second.
  ///
  /// - Parameter number: 0 to ``maximumNewNamesPerDay``; `nil` for the default.
  /// - Throws: ``WarehouseError`` with code `invalid` if the number is out of range.
  public func setNewNamesPerDay(of app: AppID, to number: Int?) throws {
    if let number, !(0...Self.maximumNewNamesPerDay).contains(number) {
      throw WarehouseError(
        code: .invalid, message: "New names per day must be from 0 to \(Self.maximumNewNamesPerDay), not \(number).")
    }
    try writing { database in
      let name = Self.newNames(app)
      if let number {
        try database.execute(
          sql: "INSERT OR REPLACE INTO setting VALUES (?, ?)", arguments: [name, String(number)])
      } else {
        try database.execute(sql: "DELETE FROM setting WHERE name = ?", arguments: [name])
      }
      try record(.appChanged, "\(app): new names per day \(number.map(String.init) ?? "as usual")", database)
    }
  }

  static func newNames(_ app: AppID) -> String { "new_names_per_day/\(app.rawValue)" }
}
