import Ingest
package import RowFiles
import ServerBase
import Warehouse

/// The keys of a damaged run, which are read from its rows again in steps, so that new rows can be stored between them.
///
/// `@unchecked Sendable`: only the writer thread uses it.
package final class KeyRunRemaking: @unchecked Sendable {
  package let run: KeyRun
  /// The runs made so far, in the order of their rows.
  private(set) var parts: [KeyRun] = []

  package init(_ run: KeyRun) { self.run = run }

  /// The last row whose key is in a part.
  private var covered: Int64 { parts.last?.header.through ?? run.header.after }

  /// True if the parts have the keys of all of the run's rows.
  package var isComplete: Bool { covered >= run.header.through }

  /// Makes one part, with at most `limit` keys.
  ///
  /// Keys of rows that have left home, and of those that were deleted, aren't found again.
  func step(directory: String, limit: Int, retired: Set<Int64>, _ connection: SQLConnection) throws {
    let spans = try StoredSpan.all(connection, after: covered, through: run.header.through)
      .filter { !retired.contains($0.segment) }
    // Rows that can't be read have nothing to count twice.
    let scan = EventScan(connection, spans, after: covered, through: run.header.through, damage: DamagedRows())
    let keys = PendingKeys(capacity: limit)
    var last = run.header.through
    while let row = try scan.next() {
      if let key = row.key { _ = keys.insert(key, key.mixedHash) }
      guard keys.count < limit else {
        last = row.id
        break
      }
    }
    let header = KeyRun.Header(after: covered, through: last, received: run.header.received)
    parts.append(try KeyRunWriter.write(keys, directory: directory, header))
  }
}

// MARK: - The index

extension DuplicateIndex {
  /// Throws if keys may have been missing from what was looked up.
  func checkLookups() throws {
    if runs.runs.contains(where: \.isIncomplete) { throw IncompleteKeys() }
  }

  /// The runs that have lost keys.
  var incompleteRuns: [KeyRun] { runs.runs.filter(\.isIncomplete) }

  /// Returns the run with a path that is in use.
  package func run(at path: String) -> KeyRun? { runs.runs.first { $0.path == path } }

  /// Replaces a run by the parts that were made, unless it has been merged or has expired meanwhile.
  func replaceRun(of remaking: KeyRunRemaking) throws {
    let isUsed = runs.runs.contains { $0 === remaking.run }
    if isUsed { runs.replace(remaking.run, with: remaking.parts) }
    let used = Set(runs.runs.map(\.path))
    // The damaged file must not come back: of files that begin alike, a start takes the one with more rows.
    let unused = ([remaking.run] + remaking.parts).map(\.path).filter { !used.contains($0) }
    try StoredFile.delete(Set(unused).map { String($0.dropFirst(runs.path.count + 1)) }, in: runs.path)
  }
}

/// The error of a transaction in which keys may have been missing: an event could be stored twice.
struct IncompleteKeys: Error {}

// MARK: - The writer

extension Writer {
  /// Runs a transaction that looks up keys. If files of keys turn out to be incomplete, nothing of it remains, their keys are read
  /// from the rows again, and it runs once more.
  package func transactWithKeys<Value>(_ body: () throws -> Value) throws -> Value {
    func attempt() throws -> Value {
      if mustReadHits { try readHits() }
      return try transact {
        let value = try body()
        try duplicates.checkLookups()
        return value
      }
    }
    do {
      return try attempt()
    } catch is IncompleteKeys {
      try remakeIncompleteRuns()
      return try attempt()
    }
  }

  /// Reads the keys again that files have lost while the server runs. Until that is done, no event is stored.
  private func remakeIncompleteRuns() throws {
    // A merge of them is over then, and has failed.
    duplicates.waitForRuns()
    for run in duplicates.incompleteRuns {
      configuration.report("\(run.path) has lost a part of its keys, which are read from the events again.")
      let remaking = KeyRunRemaking(run)
      while try !remakeKeys(remaking) {}
    }
  }

  /// Makes a part of the keys of a damaged run again.
  ///
  /// - Returns: True if the run was replaced, or is no longer used.
  package func remakeKeys(_ remaking: KeyRunRemaking) throws -> Bool {
    guard duplicates.runs.runs.contains(where: { $0 === remaking.run }) else {
      try duplicates.replaceRun(of: remaking)
      return true
    }
    let retired = try RetiredTable.segments(connection)
    try remaking.step(
      directory: duplicates.runs.path, limit: duplicates.pendingLimit, retired: retired, connection)
    guard remaking.isComplete else { return false }
    try leaveOutKeys(of: retired, after: remaking.run.header.after, through: remaking.run.header.through)
    try duplicates.replaceRun(of: remaking)
    return true
  }
}
