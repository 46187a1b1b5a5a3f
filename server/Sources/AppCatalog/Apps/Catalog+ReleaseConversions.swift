import GRDB
package import Warehouse

/// The conversions that a team has chosen for the page of an app's releases.
extension Catalog {
  private static let maximumConversions = 2
  private static let maximumBytes = 4_096

  /// Returns the chosen conversions; empty if there are none.
  package func releaseConversions(app: AppID) throws -> [String] {
    try setting(Self.releaseConversions(app)).flatMap { try? Self.value([String].self, $0) } ?? []
  }

  /// Sets the conversions. They are stored as they are: their form is checked by the module that shows them.
  ///
  /// - Throws: ``WarehouseError`` with code `invalid` if they are too many or too long, or `unknownApp` if the app doesn't
  ///   exist.
  package func setReleaseConversions(app: AppID, to conversions: [String]) throws {
    guard conversions.count <= Self.maximumConversions,
      conversions.allSatisfy({ $0.utf8.count <= Self.maximumBytes })
    else {
      throw WarehouseError(
        .invalid, "An app has \(Self.maximumConversions) conversions of at most \(Self.maximumBytes) bytes each.")
    }
    let text = try Self.text(conversions)
    try checkExists(app)
    try writing { database in
      let name = Self.releaseConversions(app)
      let old = try String.fetchOne(database, sql: "SELECT value FROM setting WHERE name = ?", arguments: [name])
      guard old != text else { return }
      try database.execute(sql: "INSERT OR REPLACE INTO setting VALUES (?, ?)", arguments: [name, text])
      try record(.appChanged, "\(app): conversions of releases \(text)", database)
    }
  }

  static func releaseConversions(_ app: AppID) -> String { "release_conversions/\(app.rawValue)" }
}
