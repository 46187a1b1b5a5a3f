import GRDB
import ServerBase
import Warehouse

/// Checks of the names and numbers of things.
extension Catalog {
  func check(name: String) throws {
    // A character may be a letter with any number of marks.
    guard (1...100).contains(name.count), name.utf8.count <= 1_000, name.unicodeScalars.contains(where: isVisible)
    else {
      throw WarehouseError(
        .invalid,
        "A name must have 1 to 100 characters and at most 1,000 bytes, at least one character of them visible; this one "
          + "has \(name.count) characters and \(name.utf8.count) bytes.")
    }
    try checkCharacters(name, of: "A name")
  }

  /// Throws if a text has a character that names and identifiers can't have: they are in logs, terminals and subjects of mails, and
  /// SQLite reads them up to a NUL.
  func checkCharacters(_ text: String, of subject: String) throws {
    guard !text.unicodeScalars.contains(where: \.breaksLine) else {
      throw WarehouseError(
        .invalid,
        "\(subject) can't contain control characters, line breaks or marks of text direction. Use a single line of plain text."
      )
    }
  }

  private func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    let properties = scalar.properties
    return !properties.isWhitespace && !properties.isDefaultIgnorableCodePoint
      && ![.control, .format, .nonspacingMark, .enclosingMark].contains(properties.generalCategory)
  }

  /// Throws if another thing of an app, or of the server, has a name in any case.
  ///
  /// - Parameter table: The table of such things, which is also the word for one of them.
  static func checkFree(
    _ name: String, _ table: String, app: AppID?, except id: Int64?, _ database: Database
  ) throws {
    let isTaken = try Bool.fetchOne(
      database,
      sql: "SELECT EXISTS (SELECT 1 FROM \(table) WHERE app IS ?1 AND name = ?2 COLLATE NOCASE AND id IS NOT ?3)",
      arguments: [app?.rawValue, name, id])
    guard isTaken ?? false else { return }
    let article = table.hasPrefix("a") ? "an" : "a"
    throw WarehouseError(.invalid, "There is already \(article) \(table) \"\(name)\". Choose another name.")
  }
}
