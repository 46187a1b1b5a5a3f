import CTernSQLite
import DataFiles
import GRDB
package import ServerBase
package import TernEvents
import Warehouse

/// The apps, views, accounts and tokens of one data directory.
///
/// The catalog is a small database of its own (`catalog.sqlite`) that any process can read and write at any time, so
/// creating an app never waits for the process that writes events.
///
/// ## Topics
/// ### Apps
/// - ``createApp(name:timeZone:appSecret:trackingID:writeKeys:)``
/// - ``apps()``
/// - ``app(key:)``
/// ### Access
/// - ``createLoginCode(of:lasting:)``
/// - ``invite(name:role:apps:seesPersonalData:)``
/// - ``createToken(name:scopes:app:lasting:)``
/// - ``audit(before:limit:)``
package final class Catalog: CatalogEditor {
  /// A source of random bytes; injectable, so that tests are repeatable.
  package typealias RandomBytes = @Sendable (Int) -> [UInt8]

  let pool: DatabasePool
  let randomBytes: RandomBytes
  let passwordCost: PasswordCost
  let refusedPasswords: RefusedPasswords
  let directory: DataDirectory
  /// The wall clock.
  let now: @Sendable () -> Timestamp
  let appDirectory: AppDirectory
  /// The zone data of this computer.
  let zones: ZoneDatabase
  /// The most bytes of an app's files with symbols.
  let maximumSymbolBytes: Int
  /// The most things of each kind, where ``CountLimit`` allows more.
  let maximumCount: Int

  /// Opens the catalog of a data directory, creating both if missing.
  ///
  /// - Parameters:
  ///   - directory: The data directory.
  ///   - isOwned: True if this process owns the directory. Otherwise its owner must have it at the same path, if there is one.
  ///   - randomBytes: The source of keys and tokens; the system's generator by default.
  ///   - passwordCost: The cost of hashing new passwords.
  ///   - refusedPasswords: The passwords that others know.
  ///   - maximumSymbolBytes: The most bytes of an app's files with symbols.
  ///   - maximumCount: The most things of each kind, for tests, where ``CountLimit`` allows more.
  ///   - zones: The zone data that new apps and views get.
  ///   - now: The wall clock, for creation times and session expiry.
  ///   - report: Receives a message if opening takes some seconds.
  /// - Throws: ``WarehouseError`` if the directory can't be created or opened.
  package init(
    directory: String, isOwned: Bool = false, randomBytes: @escaping RandomBytes = Catalog.systemRandomBytes,
    passwordCost: PasswordCost = PasswordCost(), refusedPasswords: RefusedPasswords = RefusedPasswords(),
    maximumSymbolBytes: Int = 8 << 30, maximumCount: Int = .max,
    zones: ZoneDatabase = .system,
    now: @escaping @Sendable () -> Timestamp = WallClock.system,
    report: @escaping @Sendable (String) -> Void = { _ in }
  ) throws {
    self.now = now
    self.zones = zones
    self.directory = DataDirectory(path: directory)
    self.randomBytes = randomBytes
    self.maximumSymbolBytes = maximumSymbolBytes
    self.maximumCount = maximumCount
    self.passwordCost = passwordCost
    self.refusedPasswords = refusedPasswords
    try self.directory.create()
    if !isOwned { try self.directory.visit(report) }
    let path = self.directory.catalogPath
    if !self.directory.exists(path) { try Self.checkNoWarehouse(self.directory) }
    try self.directory.createFile(path)
    tern_sqlite_guard_shared_memory()
    do {
      // Switching to WAL fails immediately if there is another connection, whatever the busy timeout, and two processes
      // that open a new file at the same time would both create its tables.
      (pool, appDirectory) = try self.directory.whileOpeningCatalog {
        try Self.open(DataDirectory(path: directory), isOwned: isOwned, now: now)
      }
    } catch {
      throw Self.failure(error, self.directory, "can't be opened")
    }
  }

  /// Events name their app by its number. A new catalog would assign the numbers again, and the next app would get the
  /// events of another.
  private static func checkNoWarehouse(_ directory: DataDirectory) throws {
    guard directory.exists(directory.warehousePath) else { return }
    throw WarehouseError(
      .damaged,
      "\(directory.path) has events, but its catalog.sqlite is missing. Restore catalog.sqlite from a backup.")
  }

  static func open(
    _ directory: DataDirectory, isOwned: Bool = false, format: DatabaseFormat = CatalogSchema.format,
    now: @escaping @Sendable () -> Timestamp
  ) throws -> (DatabasePool, AppDirectory) {
    let path = directory.catalogPath
    var configuration = Configuration()
    configuration.busyMode = .timeout(10)
    configuration.label = "catalog"
    configuration.prepareDatabase { database in
      guard !database.configuration.readonly else { return }
      // What is deleted may name persons. The file is small, so that this costs nothing to speak of.
      try database.execute(sql: "PRAGMA secure_delete = ON")
      try database.execute(sql: DatabaseFormat.writeAheadLog)
    }
    let pool = try DatabasePool(path: path, configuration: configuration)
    // GRDB sets NORMAL when it enables WAL, after `prepareDatabase`, so FULL must be set here.
    try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
    // An earlier process may have failed to sync what is in the log, so write it again. A full disk may have no room for that.
    try? pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(PASSIVE)") }
    let state = try pool.read { database in
      try format.state(path) { try Int64.fetchOne(database, sql: $0) }
    }
    guard state != .current else { return (pool, try AppDirectory(path: path, now: now)) }
    if state == .empty { try checkNoWarehouse(directory) }
    // A running server of the older version must not find its tables changed.
    let mustLock = state != .empty && !isOwned
    let lock = try mustLock ? directory.lock() : nil
    defer { lock?.release() }
    guard !mustLock || lock != nil else {
      throw WarehouseError(
        .inUse, "\(path) must be converted, but a server of an older version runs on it. Stop it, then try again.")
    }
    try pool.write { database in
      try format.prepare(
        path, integer: { try Int64.fetchOne(database, sql: $0) }, execute: { try database.execute(sql: $0) })
    }
    return (pool, try AppDirectory(path: path, now: now))
  }

  /// The system's cryptographically secure generator.
  package static let systemRandomBytes: RandomBytes = { count in
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }

  /// Closes the catalog. It can't be used afterwards.
  package func close() throws {
    // A pool closes its connections for reading last, and only one for writing can close the write-ahead log.
    try pool.close()
    try appDirectory.close()
  }

  /// Empties the write-ahead log, unless a reader needs it: the log has what was deleted until it is overwritten.
  package func emptyLog() throws {
    try pool.writeWithoutTransaction { database in
      do {
        try database.checkpoint(.truncate)
      } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {}
    }
  }

  /// Checks that the data directory may still be used by a process that isn't its owner: it may have got another one.
  ///
  /// - Parameter report: Receives a message if that takes some seconds.
  /// - Throws: ``WarehouseError`` with code `inUse` if a server runs on it that reaches it in another way.
  package func checkOwner(_ report: @escaping @Sendable (String) -> Void) throws { try directory.visit(report) }

  /// True if a server runs on the data directory.
  package func isServed() throws -> Bool {
    guard let lock = try directory.lock() else { return true }
    lock.release()
    return false
  }

  func reading<Value>(_ body: (Database) throws -> Value) throws -> Value {
    if let database = transaction { return try body(database) }
    do {
      return try pool.read(body)
    } catch {
      throw catalogFailure(error)
    }
  }

  func writing<Value>(_ body: (Database) throws -> Value) throws -> Value {
    if let database = transaction { return try Self.nested(in: database, body) }
    do {
      return try pool.write(body)
    } catch {
      throw catalogFailure(error)
    }
  }

  /// The catalog's words for an error of its database; errors of the work itself stay as they are.
  private func catalogFailure(_ error: any Error) -> any Error {
    error is DatabaseError ? Self.failure(error, directory, "can't be accessed") : error
  }

  private static func failure(_ error: any Error, _ directory: DataDirectory, _ what: String) -> any Error {
    if error is WarehouseError { return error }
    let code = (error as? DatabaseError)?.resultCode
    let codes: [ResultCode?] = [.SQLITE_FULL, .SQLITE_IOERR, .SQLITE_CANTOPEN, .SQLITE_READONLY]
    if codes.contains(code), let obstacle = directory.obstacle(cause: error) { return obstacle }
    // SQLite takes what it can't read for damage, too.
    if code == .SQLITE_CORRUPT || code == .SQLITE_NOTADB, let silence = directory.silence { return silence }
    let (isFull, path) = (code == .SQLITE_FULL, directory.catalogPath)
    let message = isFull ? "The disk is full: \(path) can't grow. Free some space." : "\(path) \(what)."
    return WarehouseError(isFull ? .full : .unavailable, message, cause: error)
  }
}
