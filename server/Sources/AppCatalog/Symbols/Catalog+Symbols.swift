import DataFiles
import Foundation
import GRDB
import TernEvents
package import Warehouse

extension CatalogSchema {
  /// Version 2. `hash` is the name of the file in the folder `symbols`, which several apps can share.
  static let symbols = """
    CREATE TABLE symbols (
      app INTEGER NOT NULL, build_id TEXT NOT NULL, architecture TEXT NOT NULL, image TEXT NOT NULL, hash TEXT NOT NULL,
      bytes INTEGER NOT NULL, has_lines INTEGER NOT NULL, text_address INTEGER NOT NULL, author TEXT NOT NULL,
      uploaded INTEGER NOT NULL, PRIMARY KEY (app, build_id)
    ) WITHOUT ROWID;
    CREATE INDEX symbols_by_hash ON symbols (hash);
    """
}

extension AuditEntry.Action {
  static let symbolsUploaded = Self("symbols uploaded")
  static let symbolsDeleted = Self("symbols deleted")
}

/// Files with symbols.
///
/// Their names change only while the catalog is locked for writing, so that several processes can add and delete files at
/// the same time. A crash can leave a file without a row, removed at the next start or within an hour, or a row without a
/// file, which can then be uploaded again. Uploads and deletions look only at the files that they replace: an app may have
/// thousands.
extension Catalog: SymbolCatalog {
  /// The most files of an app. ``maximumSymbolBytes`` is the most bytes of them.
  static let maximumSymbolFiles = 10_000
  /// The age at which an unfinished upload is abandoned.
  private static let maximumReceivingAge: TimeInterval = 86_400

  /// Returns an app's files, the latest first.
  package func symbols(app: AppID) throws -> [SymbolFile] {
    try reading { database in
      try Row.fetchAll(
        database, sql: "SELECT * FROM symbols WHERE app = ? ORDER BY uploaded DESC, build_id",
        arguments: [app.rawValue]
      ).map(Self.symbolFile)
    }
  }

  /// Returns an app's files of some builds.
  package func symbols(app: AppID, buildIDs: Set<String>) throws -> [SymbolFile] {
    try reading { database in
      try buildIDs.compactMap { try Self.symbols($0, app, database) }
    }
  }

  /// Returns a text for each app with symbols that is another one after each change of them.
  package func symbolsVersions() throws -> [AppID: String] {
    try reading { database in
      let rows = try Row.fetchAll(
        database, sql: "SELECT app, COUNT(*) AS files, SUM(uploaded) AS times FROM symbols GROUP BY app")
      return Dictionary(
        rows.map { row in
          let (app, files, times): (Int64, Int64, Int64) = (row["app"], row["files"], row["times"])
          return (AppID(app), "\(files) \(times)")
        }, uniquingKeysWith: { $1 })
    }
  }

  /// The path of a file with a hash.
  package func symbolPath(hash: String) -> String { "\(directory.symbolsPath)/\(hash)" }

  /// Takes a file into the directory; see ``SymbolCatalog/addSymbols(_:from:)``.
  package func addSymbols(_ file: SymbolFile, from path: String) throws -> SymbolFile.Addition {
    let (addition, dropped) = try writing { database -> (SymbolFile.Addition, [SymbolFile]) in
      guard
        try Bool.fetchOne(
          database, sql: "SELECT EXISTS (SELECT 1 FROM app WHERE id = ?)", arguments: [file.app.rawValue]) == true
      else { throw WarehouseError(.unknownApp, "There is no app \(file.app). Run `tern apps list` to see all apps.") }
      let previous = try Self.symbols(file.buildID, file.app, database)
      let known = previous.flatMap { directory.exists(symbolPath(hash: $0.hash)) ? $0 : nil }
      if let known, known.hash == file.hash || known.hasLines && !file.hasLines { return (.known, []) }
      try place(path, as: file.hash)
      try database.execute(
        sql: "INSERT OR REPLACE INTO symbols VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        arguments: [
          file.app.rawValue, file.buildID, file.architecture, file.image, file.hash, file.bytes, file.hasLines,
          Int64(bitPattern: file.textAddress), file.author, file.uploaded.millisecondsSince1970,
        ])
      try record(.symbolsUploaded, "app \(file.app), \(file.image) \(file.buildID)", database)
      let dropped = try makeRoom(beside: file, database) + [previous].compactMap { $0 }
      return (known == nil ? .new : .replaced, dropped)
    }
    removeFiles(of: dropped)
    return addition
  }

  /// Deletes the file of a build. Returns false if the app has none.
  package func removeSymbols(app: AppID, buildID: String) throws -> Bool {
    let removed = try writing { database -> SymbolFile? in
      guard let file = try Self.symbols(buildID, app, database) else { return nil }
      try Self.delete([file], database)
      try record(.symbolsDeleted, "app \(app), \(file.image) \(file.buildID)", database)
      return file
    }
    guard let removed else { return false }
    removeFiles(of: [removed])
    return true
  }

  /// Deletes files that crashes and interrupted uploads have left behind.
  package func removeUnusedSymbols() throws {
    try writing { try removeUnusedSymbols($0) }
  }

  private func removeUnusedSymbols(_ database: Database) throws {
    let files = FileManager.default
    guard let names = try? files.contentsOfDirectory(atPath: directory.symbolsPath) else { return }
    let used = Set(try String.fetchAll(database, sql: "SELECT DISTINCT hash FROM symbols"))
    for name in names where !used.contains(name) {
      let path = symbolPath(hash: name)
      if name.hasSuffix(SymbolFile.incompleteSuffix) {
        let changed = (try? files.attributesOfItem(atPath: path)[.modificationDate]) as? Date
        guard let changed, -changed.timeIntervalSinceNow > Self.maximumReceivingAge else { continue }
      }
      try? files.removeItem(atPath: path)
    }
  }

  /// Deletes files that no app has any more. Their rows are gone for good: had the transaction still to be committed, a power loss
  /// could leave a row without its file. What is left here, the next start deletes.
  private func removeFiles(of dropped: [SymbolFile]) {
    guard !dropped.isEmpty else { return }
    try? writing { database in
      for hash in Set(dropped.map(\.hash)) {
        let isUsed = try Bool.fetchOne(
          database, sql: "SELECT EXISTS (SELECT 1 FROM symbols WHERE hash = ?)", arguments: [hash])
        if isUsed == false { try? FileManager.default.removeItem(atPath: symbolPath(hash: hash)) }
      }
    }
  }

  /// Gives a file its name. Its content is on disk before a row names it.
  private func place(_ path: String, as hash: String) throws {
    let target = symbolPath(hash: hash)
    guard rename(path, target) == 0 else {
      throw WarehouseError(.unavailable, "\(target) can't be created: \(String(cString: strerror(errno))).")
    }
    try directory.syncFolder(directory.symbolsPath)
  }

  /// Deletes the rows of the oldest files that have no room beside a new one, and returns them.
  private func makeRoom(beside new: SymbolFile, _ database: Database) throws -> [SymbolFile] {
    let arguments: StatementArguments = [new.app.rawValue, new.buildID]
    let others = "FROM symbols WHERE app = ? AND build_id <> ?"
    guard
      let total = try Row.fetchOne(
        database, sql: "SELECT COUNT(*) AS files, COALESCE(SUM(bytes), 0) AS bytes \(others)", arguments: arguments)
    else { return [] }
    var (count, bytes): (Int, Int) = (total["files"], total["bytes"])
    bytes += new.bytes
    var deleted: [SymbolFile] = []
    let rows = try Row.fetchCursor(
      database, sql: "SELECT * \(others) ORDER BY uploaded, build_id", arguments: arguments)
    while bytes > maximumSymbolBytes || count >= Self.maximumSymbolFiles, let row = try rows.next() {
      let file = Self.symbolFile(row)
      (count, bytes) = (count - 1, bytes - file.bytes)
      deleted.append(file)
    }
    guard !deleted.isEmpty else { return [] }
    try Self.delete(deleted, database)
    try record(
      .symbolsDeleted, "app \(new.app), the oldest \(deleted.count), to make room", actor: .server, database)
    return deleted
  }

  private static func delete(_ files: [SymbolFile], _ database: Database) throws {
    for file in files {
      try database.execute(
        sql: "DELETE FROM symbols WHERE app = ? AND build_id = ?", arguments: [file.app.rawValue, file.buildID])
    }
  }

  private static func symbols(_ buildID: String, _ app: AppID, _ database: Database) throws -> SymbolFile? {
    try Row.fetchOne(
      database, sql: "SELECT * FROM symbols WHERE app = ? AND build_id = ?", arguments: [app.rawValue, buildID]
    ).map(symbolFile)
  }

  private static func symbolFile(_ row: Row) -> SymbolFile {
    SymbolFile(
      app: AppID(row["app"]), buildID: row["build_id"], architecture: row["architecture"], image: row["image"],
      hash: row["hash"], bytes: row["bytes"], hasLines: row["has_lines"],
      textAddress: UInt64(bitPattern: row["text_address"]), author: row["author"],
      uploaded: Timestamp(millisecondsSince1970: row["uploaded"]))
  }
}
