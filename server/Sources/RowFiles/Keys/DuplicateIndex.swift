package import Ingest
import Warehouse

/// Detects events that were already stored.
///
/// New keys are collected in memory (`arriving`). Once there are enough, they are sorted and written as a run, an
/// immutable file, in parallel with the writer thread; from time to time, runs of similar size are merged. Each run tells which
/// rows it covers. A crash loses nothing: rows contain their keys, and those of later rows are read again.
///
/// Runs expire by arrival. A key's time comes from the device, whose clock may be off by years, but its arrival tells
/// how long the device may still deliver it again.
package final class DuplicateIndex {
  /// The time for which keys outlive the age at which events are refused, in milliseconds: an event may lie three days in
  /// the future when it arrives, and a clock may be corrected differently at each attempt.
  package static let margin: Int64 = 30 * 86_400_000

  package let pendingLimit: Int
  package let runs: KeyRunDirectory
  private let writing = KeyRunBuilder()
  /// Separate from `writing`, since new keys fill memory while large runs are merged.
  private let merging = KeyRunBuilder()
  @exclusivity(unchecked) private var arriving: PendingKeys
  /// The latest time of receipt among `arriving`.
  @exclusivity(unchecked) private var latestReceived = Int64.min
  /// The keys that are being written as a run.
  @exclusivity(unchecked) private var draining: PendingKeys?
  /// The last row whose key is in a run or in `draining`.
  private var drainedRow: Int64 = 0
  private var mark = 0
  /// True after a merge failed, until another run has been written.
  private var hasFailedToMerge = false
  /// The last failure to write keys; `nil` after a success.
  private var failure: WarehouseError?
  private let report: (String) -> Void
  private let suspect: ([String]) -> Void

  /// - Parameters:
  ///   - report: Receives a message when keys can't be written, and when they can again.
  ///   - suspect: Receives the paths of files, one of which turned out to be damaged.
  package init(
    directory: String, pendingLimit: Int, report: @escaping (String) -> Void = { _ in },
    suspect: @escaping ([String]) -> Void = { _ in }
  ) {
    self.pendingLimit = max(pendingLimit, 1)
    (self.report, self.suspect) = (report, suspect)
    runs = KeyRunDirectory(path: directory)
    arriving = PendingKeys(capacity: pendingLimit)
  }

  /// Opens the runs of the rows up to `last`.
  package func open(lastRow last: Int64) throws {
    try runs.open(lastRow: last)
    drainedRow = runs.coveredRow
  }

  /// The last row whose key is in a run; the keys of later rows must be collected again.
  package var coveredRow: Int64 { runs.coveredRow }

  /// The number of keys in memory.
  var pendingCount: Int { arriving.count + (draining?.count ?? 0) }

  /// True if the keys in memory should be written before more are collected.
  package var isFull: Bool { arriving.count >= pendingLimit }

  /// Sets the time of receipt of the keys that follow.
  package func arrived(at milliseconds: Int64) { latestReceived = max(latestReceived, milliseconds) }

  /// Adds a key; returns false if it is a duplicate.
  @inline(__always)
  package func insert(_ key: DuplicateKey) -> Bool {
    let hash = key.mixedHash
    return !isStored(key, hash) && arriving.insert(key, hash)
  }

  /// True if a key is of an event that was stored.
  package func contains(_ key: DuplicateKey) -> Bool {
    let hash = key.mixedHash
    return isStored(key, hash) || arriving.contains(key, hash)
  }

  @inline(__always)
  private func isStored(_ key: DuplicateKey, _ hash: UInt64) -> Bool {
    runs.contains(key, hash) || draining?.contains(key, hash) == true
  }

  /// Returns the latest time of receipt of the keys that ``expire(before:)`` would delete; `nil` if it would delete none.
  package func latestExpired(before milliseconds: Int64) -> Int64? {
    takeResults()
    return merging.isIdle ? runs.expired(before: milliseconds).map(\.header.received).max() : nil
  }

  /// Deletes the runs whose keys all arrived before a time; returns false if it is too early to do so.
  @discardableResult
  package func expire(before milliseconds: Int64) -> Bool {
    takeResults()
    // A merge that is in progress would bring them back.
    guard merging.isIdle else { return false }
    delete(runs.expire(before: milliseconds))
    return true
  }

  /// Deletes all keys, to collect them again.
  package func removeAll() {
    waitForRuns()
    runs.removeAll()
    arriving = PendingKeys(capacity: pendingLimit)
    draining = nil
    drainedRow = 0
  }
}

// MARK: - Transactions

extension DuplicateIndex {
  /// Saves the state to restore if the transaction that starts now is rolled back.
  package func begin() { mark = arriving.count }

  /// Must be called after a rollback.
  package func rolledBack() { arriving.truncate(to: mark) }

  /// Must be called after a commit; `row` is the last row stored.
  package func committed(throughRow row: Int64) {
    takeResults()
    if merging.isIdle, !hasFailedToMerge, case let runs = runs.mergeable, !runs.isEmpty {
      merging.start { [directory = self.runs.path] in try KeyRunWriter.merge(runs, directory: directory) }
    }
    if writing.isIdle, draining != nil || isFull { startRun(throughRow: row) }
    // Memory stays bounded even if the disk is slow.
    if arriving.count >= maximumArriving {
      writing.wait()
      takeResults()
    }
  }

  private var maximumArriving: Int { 4 * pendingLimit }

  /// Throws if memory is full of keys that can't be written: further events could be stored twice after a restart.
  package func checkRoom(throughRow row: Int64) throws {
    // The keys that failed to be written first, and then those that arrived after them.
    for _ in 0..<2 where arriving.count >= maximumArriving { committed(throughRow: row) }
    guard arriving.count >= maximumArriving else { return }
    throw failure ?? WarehouseError(.busy, "The index of duplicates is behind. Try again shortly.")
  }

  /// Writes all keys as runs, which saves reading them again at the next start.
  package func drain(throughRow row: Int64) {
    waitForRuns()
    while pendingCount > 0 {
      let before = pendingCount
      startRun(throughRow: row)
      waitForRuns()
      // The disk is full: the keys are read from the rows next time.
      if pendingCount == before { break }
    }
  }

  private func startRun(throughRow row: Int64) {
    if draining == nil {
      draining = arriving
      drainedRow = row
      arriving = PendingKeys(capacity: pendingLimit)
    }
    guard let draining else { return }
    let header = KeyRun.Header(after: runs.coveredRow, through: drainedRow, received: latestReceived)
    writing.start { [directory = runs.path] in try KeyRunWriter.write(draining, directory: directory, header) }
  }

  /// Waits until no run is being written or merged.
  package func waitForRuns() {
    writing.wait()
    merging.wait()
    takeResults()
    merging.wait()
  }

  private func takeResults() {
    switch merging.takeResult() {
    case .success(let merged?): delete(runs.replace(with: merged).filter { $0.path != merged.path })
    case .failure(let error):
      hasFailedToMerge = true
      if (error as? WarehouseError)?.code == .damaged { suspect(runs.mergeable.map(\.path)) }
      report("Files of keys that detect duplicates can't be merged. \(WarehouseError.from(error).message)")
    case .success(nil), nil: break
    }
    switch writing.takeResult() {
    case .success(let run?):
      runs.append(run)
      draining = nil
      if failure != nil { report("Keys that detect duplicates can be written again.") }
      failure = nil
      hasFailedToMerge = false
    case .failure(let error):
      let error = WarehouseError.from(error)
      if failure == nil { report("Keys that detect duplicates can't be written. \(error.message)") }
      failure = error
    case .success(nil), nil: break
    }
  }

  /// Deletes files in parallel with the writer thread, because large ones take a while.
  private func delete(_ old: [KeyRun]) {
    guard !old.isEmpty else { return }
    merging.start {
      for run in old { run.deleteFile() }
      return nil
    }
  }
}
