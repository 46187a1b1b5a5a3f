import GRDB
public import Warehouse

/// How many new names an app may bring.
extension Catalog {
  /// The most new names of each kind that an app may be allowed a day.
  public static let maximumNewNamesPerDay = 100_000

  /// How many new names of each kind an app may bring a day once it has brought as many as it may at all; `nil` for
  /// the usual number, which depends on the kind.
  public func newNamesPerDay(of app: AppID) throws -> Int? { try setting(Self.newNames(app)).flatMap { Int($0) } }

  /// Changes how many new names of each kind an app may bring a day; a running server follows within a second.
  ///
  /// - Parameter number: 0 to ``maximumNewNamesPerDay``; `nil` for the usual number.
  /// - Throws: ``WarehouseError`` with code `invalid` for another number.
  public func setNewNamesPerDay(of app: AppID, to number: Int?) throws {
    guard let number else {
      return try writing { database in
        try database.execute(sql: "DELETE FROM setting WHERE name = ?", arguments: [Self.newNames(app)])
      }
    }
    guard (0...Self.maximumNewNamesPerDay).contains(number) else {
      throw WarehouseError(
        code: .invalid, message: "An app may bring 0 to \(Self.maximumNewNamesPerDay) new names a day, not \(number).")
    }
    try setSetting(Self.newNames(app), to: String(number))
  }

  private static func newNames(_ app: AppID) -> String { "new_names_per_day/\(app.rawValue)" }
}
