import TernBase

/// The bytes that a database uses, without its free pages.
///
/// A batch is charged what the database has grown by. Anything that a client can make new grows it: installs, users,
/// devices, names, reports about dropped events, refused events.
struct UsedPages {
  private let all: SQLStatement
  private let free: SQLStatement
  private let pageBytes: Int64

  init(_ connection: SQLConnection) throws {
    all = try connection.prepare("PRAGMA page_count")
    free = try connection.prepare("PRAGMA freelist_count")
    pageBytes = try connection.integer("PRAGMA page_size") ?? 0
  }

  /// Returns the bytes, with what the current transaction has written.
  func bytes() throws -> Int {
    let pages = try (all.first { $0.integer(0) } ?? 0) - (free.first { $0.integer(0) } ?? 0)
    return Int((SaturatingInt64(pages) * SaturatingInt64(pageBytes)).rawValue)
  }
}
