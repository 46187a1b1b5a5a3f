import Ingest
import Views
import Warehouse

/// Loads the stored keys of one day into a filter, in portions.
///
/// A day can have millions of keys; reading them all within one commit would stall every batch that waits. Keys that
/// arrive in the meantime must be inserted into ``filter`` by the caller, since they may enter the table behind the
/// position of the loader.
final class DayLoader {
  let day: Int64
  let filter = DayFilter()
  private let end: Int64
  private let first: DuplicateKey
  private var next: DuplicateKey
  /// Statements that read one table each, the current one last.
  private var tables: [SQLStatement]

  init(_ connection: SQLConnection, day: Int64, times: (start: Int64, end: Int64)) throws {
    self.day = day
    end = times.end
    first = DuplicateKey(milliseconds: times.start, hash: .min)
    next = first
    tables = try ["out_of_window", "seen"].map { table in
      try connection.prepare(
        "SELECT ms, hash FROM \(table) WHERE (ms, hash) >= (?, ?) AND ms < ? ORDER BY ms, hash LIMIT ?")
    }
  }

  /// True once all stored keys are in the filter.
  var isComplete: Bool { tables.isEmpty }

  /// Reads some keys.
  ///
  /// - Returns: The number of keys read, at most `count`.
  func load(atMost count: Int) throws -> Int {
    var total = 0
    while total < count, let table = tables.last {
      table.bind(next.milliseconds, next.hash, end, Int64(count - total))
      defer { table.reset() }
      var last: DuplicateKey?
      while try table.step() {
        let key = DuplicateKey(milliseconds: table.integer(0), hash: table.integer(1))
        _ = filter.insert(key)
        last = key
        total += 1
      }
      if total < count {
        tables.removeLast()
        next = first
      } else if let last {
        next = Self.successor(of: last)
      }
    }
    return total
  }

  private static func successor(of key: DuplicateKey) -> DuplicateKey {
    key.hash < .max
      ? DuplicateKey(milliseconds: key.milliseconds, hash: key.hash + 1)
      : DuplicateKey(milliseconds: key.milliseconds + 1, hash: .min)
  }
}
