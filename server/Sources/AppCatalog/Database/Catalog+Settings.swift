import Cryptography
import DataFiles
import GRDB
import ServerBase
import Warehouse

extension CatalogSchema {
  static let settings = """
    CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    """
}

/// Settings of the server, among them secrets that are generated at first use.
extension Catalog {
  /// Returns the key for hashes of event IDs. It is generated at first use and never changes.
  package func duplicateSecret() throws -> (UInt64, UInt64) {
    let text = try secret(named: "duplicate_secret", bytes: 16)
    guard text.utf8.count == 32, let high = UInt64(text.prefix(16), radix: 16),
      let low = UInt64(text.suffix(16), radix: 16)
    else { throw WarehouseError(.damaged, "The setting duplicate_secret in \(directory.catalogPath) is damaged.") }
    return (high, low)
  }

  /// Returns a server setting, or `nil` if it was never set.
  package func setting(_ name: String) throws -> String? {
    try reading { database in
      try String.fetchOne(
        database.cachedStatement(sql: "SELECT value FROM setting WHERE name = ?"), arguments: [name])
    }
  }

  /// Sets a server setting.
  package func setSetting(_ name: String, to value: String) throws {
    try writing { database in
      try database.execute(sql: "INSERT OR REPLACE INTO setting VALUES (?, ?)", arguments: [name, value])
    }
  }

  func secret(named name: String, bytes: Int) throws -> String {
    if let stored = try setting(name) { return stored }
    let fresh = hexadecimal(randomBytes(bytes))
    return try writing { database in
      // Another process may have inserted first, so read back what is in the table.
      try database.execute(sql: "INSERT OR IGNORE INTO setting VALUES (?, ?)", arguments: [name, fresh])
      return try String.fetchOne(database, sql: "SELECT value FROM setting WHERE name = ?", arguments: [name]) ?? fresh
    }
  }

  /// A random secret of 192 bits.
  func newSecret() -> String { Base64URL.encode(randomBytes(24)) }
}
