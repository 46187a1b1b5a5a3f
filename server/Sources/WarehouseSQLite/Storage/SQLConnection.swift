import DataFiles
package import GRDB
import GRDBSQLite
import RowFiles
import ServerBase
import TernBase
import Warehouse

/// A failed SQLite call.
struct SQLFailure: WarehouseErrorConvertible, CustomStringConvertible {
  /// SQLite's extended result code.
  var code: Int32
  var message: String
  /// The path of the database.
  var path = ""
  /// The path of the counts, if the connection has attached them: then SQLite doesn't tell which of the two files failed.
  var countsPath: String?

  var description: String { "SQLite error \(code): \(message)" }
  /// True if the disk or the database's size limit is exhausted.
  var isFull: Bool { code & 0xFF == SQLITE_FULL }
  /// The obstacle that keeps the disk from storing; `nil` if the failure has other reasons.
  var obstacle: WarehouseError? {
    guard [SQLITE_FULL, SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_READONLY].contains(code & 0xFF) else { return nil }
    return directory?.obstacle(cause: self)
  }
  private var directory: DataDirectory? { path.lastIndex(of: "/").map { DataDirectory(path: String(path[..<$0])) } }
  /// True if the file is damaged.
  var isCorrupt: Bool { [SQLITE_CORRUPT, SQLITE_NOTADB].contains(code & 0xFF) }
  package var warehouseError: WarehouseError {
    if let obstacle { return obstacle }
    // SQLite takes what it can't read for damage, too.
    if isCorrupt, let silence = directory?.silence { return silence }
    if isFull {
      return WarehouseError(
        .full, "The disk is full. Free some space. Clients keep their events and will resend them.", cause: self)
    }
    if isCorrupt { return WarehouseError(.damaged, damage, cause: self) }
    return WarehouseError(.unavailable, "The warehouse can't be read or written.", cause: self)
  }

  /// The sentences about a damaged file.
  private var damage: String {
    let isCounts = path.hasSuffix("/counts.sqlite")
    guard let counts = isCounts ? path : countsPath else {
      return "\(path) is damaged. Stop the server and restore a backup."
    }
    let name = isCounts ? path : "\(path) or \(counts)"
    let rest = isCounts ? "" : " If the error comes back, put it back and restore a backup."
    return """
      \(name) is damaged. Stop the server and move \(counts) away, with its -wal and -shm: it is made again, except for days whose \
      events are no longer kept.\(rest)
      """
  }
  /// True if the failure is caused by the bound values, so that other values may still be stored.
  var isAboutValues: Bool {
    [SQLITE_CONSTRAINT, SQLITE_TOOBIG, SQLITE_MISMATCH, SQLITE_RANGE].contains(code & 0xFF)
  }
}

/// A GRDB connection for prepared statements through SQLite's C interface, which here cost half as much as GRDB's.
///
/// Use it only within the GRDB access that provides it.
package struct SQLConnection {
  package let handle: OpaquePointer
  private let kept: KeptStatements?

  package init(handle: OpaquePointer) { (self.handle, kept) = (handle, nil) }

  /// - Parameter isReader: True for a connection of a pool, on which the same statements run again and again.
  package init(_ database: Database, isReader: Bool = false) throws {
    guard let handle = database.sqliteConnection else { throw WarehouseError.closed }
    self.handle = handle
    kept = isReader ? KeptStatements(database) : nil
  }

  /// The connection's most recent failure.
  var failure: SQLFailure {
    SQLFailure(
      code: sqlite3_extended_errcode(handle), message: String(cString: sqlite3_errmsg(handle)), path: path,
      countsPath: sqlite3_db_filename(handle, CountFile.schema).map { String(cString: $0) })
  }

  package func execute(_ sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure }
  }

  package func prepare(_ sql: String) throws -> SQLStatement { try SQLStatement(self, sql) }

  /// Returns a statement that stays compiled for later uses of the connection, if it is a reader's.
  ///
  /// Compiling took a sixth of a short report's time. The text is a constant, so that the source bounds what is kept.
  package func prepare(kept sql: StaticString) throws -> SQLStatement {
    guard let lease = kept?.lease("\(sql)") else { return try prepare("\(sql)") }
    return SQLStatement(self, lease)
  }

  /// Returns the first column of the first row, or `nil` if there is no row or it is NULL.
  package func integer(_ sql: String) throws -> Int64? {
    try prepare(sql).first { $0.isNull(0) ? nil : $0.integer(0) } ?? nil
  }

  /// Returns the first column of every row.
  func texts(_ sql: String) throws -> [String] {
    try prepare(sql).all { $0.text(0) }
  }

  /// The directory with the segments of rows, next to the database.
  package var rowsPath: String { directory + "rows" }
  /// The directory with the runs of duplicate keys.
  package var keysPath: String { directory + "keys" }

  /// The path of the database.
  package var path: String { sqlite3_db_filename(handle, "main").map { String(cString: $0) } ?? "" }

  private var directory: String {
    path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
  }

  /// True while a transaction is open.
  package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }
}

/// A value that a statement takes as a parameter.
package protocol SQLValue {
  func bind(to statement: SQLStatement, at index: Int32)
}

extension Int64: SQLValue {
  package func bind(to statement: SQLStatement, at index: Int32) { statement.bind(self, at: index) }
}

extension String: SQLValue {
  package func bind(to statement: SQLStatement, at index: Int32) { statement.bind(self, at: index) }
}

extension [UInt8]: SQLValue {
  package func bind(to statement: SQLStatement, at index: Int32) { statement.bind(self, at: index) }
}

/// A prepared statement. Parameters count from 1, columns from 0.
package final class SQLStatement {
  package let handle: OpaquePointer
  private let connection: SQLConnection
  /// The use of a statement that stays compiled; `nil` for one that ends with this object.
  private let lease: KeptStatements.Lease?

  fileprivate init(_ connection: SQLConnection, _ lease: KeptStatements.Lease) {
    (self.connection, self.lease, handle) = (connection, lease, lease.statement.sqliteStatement)
  }

  init(_ connection: SQLConnection, _ sql: String) throws {
    var handle: OpaquePointer?
    let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
    guard sqlite3_prepare_v3(connection.handle, sql, -1, flags, &handle, nil) == SQLITE_OK, let handle else {
      throw connection.failure
    }
    self.handle = handle
    self.connection = connection
    lease = nil
  }

  deinit {
    if let lease { lease.end() } else { sqlite3_finalize(handle) }
  }

  @discardableResult
  package func bind(_ values: Int64...) -> SQLStatement {
    for (index, value) in values.enumerated() { sqlite3_bind_int64(handle, Int32(index + 1), value) }
    return self
  }

  /// Binds values of any type, the first one to the first parameter.
  @discardableResult
  package func bind(_ values: any SQLValue...) -> SQLStatement {
    for (index, value) in values.enumerated() { value.bind(to: self, at: Int32(index + 1)) }
    return self
  }

  @inline(__always)
  package func bind(_ value: Int64, at index: Int32) { sqlite3_bind_int64(handle, index, value) }

  package func bindNull(at index: Int32) { sqlite3_bind_null(handle, index) }

  package func bind(_ text: String, at index: Int32) {
    var text = text
    text.withUTF8 { utf8 in
      // An empty buffer may have a null base address, which SQLite would bind as NULL.
      _ = utf8.withMemoryRebound(to: CChar.self) { bytes in
        if let start = bytes.baseAddress {
          return sqlite3_bind_text(handle, index, start, Int32(bytes.count), copied)
        }
        return sqlite3_bind_text(handle, index, "", 0, copied)
      }
    }
  }

  package func bind(copying bytes: UnsafeRawBufferPointer, at index: Int32) {
    if let start = bytes.baseAddress {
      sqlite3_bind_blob(handle, index, start, Int32(bytes.count), copied)
    } else {
      sqlite3_bind_zeroblob(handle, index, 0)
    }
  }

  package func bind(_ bytes: [UInt8], at index: Int32) { bytes.withUnsafeBytes { bind(copying: $0, at: index) } }

  /// Binds bytes without a copy. They must stay valid until the statement has run.
  @inline(__always)
  package func bind(borrowing bytes: UnsafeRawBufferPointer, at index: Int32) {
    sqlite3_bind_blob(handle, index, bytes.baseAddress, Int32(bytes.count), nil)
  }

  /// Advances to the next row. At the end, resets the statement and returns false.
  package func step() throws -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE:
      sqlite3_reset(handle)
      return false
    default:
      let failure = connection.failure
      sqlite3_reset(handle)
      throw failure
    }
  }

  /// Runs the statement to its end.
  @inline(__always)
  package func run() throws {
    let result = sqlite3_step(handle)
    if result == SQLITE_DONE {
      sqlite3_reset(handle)
    } else {
      try finish(result)
    }
  }

  private func finish(_ result: Int32) throws {
    guard result == SQLITE_ROW else {
      let failure = connection.failure
      sqlite3_reset(handle)
      throw failure
    }
    while try step() {}
  }

  package func reset() { sqlite3_reset(handle) }

  /// Returns a value of the first row, or `nil` if there is none. Resets the statement.
  package func first<Value>(_ value: (SQLStatement) throws -> Value) throws -> Value? {
    defer { reset() }
    return try step() ? value(self) : nil
  }

  /// True if there is a row. Resets the statement.
  package func exists() throws -> Bool { try first { _ in true } ?? false }

  /// Returns a value of each row.
  package func all<Value>(_ value: (SQLStatement) throws -> Value) throws -> [Value] {
    defer { reset() }
    var values: [Value] = []
    while try step() { values.append(try value(self)) }
    return values
  }

  @inline(__always)
  package func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }
  /// Returns a count or a size. The file has no checksums: it can be any number.
  func number(_ column: Int32) -> SaturatingInt64 { SaturatingInt64(integer(column)) }
  /// Returns a time, the nearest supported one if the file is damaged.
  func time(_ column: Int32) -> EventTime { EventTime(integer(column)) }
  /// Returns a day, the nearest supported one if the file is damaged.
  package func day(_ column: Int32) -> Int { TimeBounds.clamp(day: Int(integer(column))) }
  package func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

  func isBlob(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_BLOB }

  package func text(_ column: Int32) -> String {
    String(decoding: bytes(column), as: UTF8.self)
  }

  /// Returns the bytes of a text or blob, valid until the next step.
  package func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
    let start = sqlite3_column_blob(handle, column)
    return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(handle, column)))
  }
}

/// SQLITE_TRANSIENT, a C cast that Swift doesn't import.
private let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
