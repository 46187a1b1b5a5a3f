package import DataFiles
import GRDB
package import Ingest
package import RowFiles
package import TernBase
package import TernEvents
package import Warehouse

/// The embedded warehouse: events in files of rows, `warehouse.sqlite` and `counts.sqlite`.
///
/// One process at a time opens a data directory for writing. Within it, one thread writes: it stores all waiting
/// batches in one transaction, then answers them, so the cost per event falls as load rises. Another thread counts what
/// was stored. Reports read concurrently through ``reader``, on their own connections and threads.
///
/// ## Topics
/// ### Opening and closing
/// - ``init(directory:catalog:viewCacheBytes:diskReserve:recognizedAge:examinesInterruptedWork:report:)``
/// - ``close()``
/// - ``openForReading(directory:catalog:)``
/// ### Accepting
/// - ``commit(_:app:)``
package final class SQLiteWarehouse: EventSink {
  /// The reader for reports.
  package let reader: WarehouseReader
  /// The requests that haven't been stored or rejected yet.
  package let pendingRequests = PendingRequests()
  package let files: DataDirectory
  private let space: DiskSpace
  private let queue: WriterQueue
  private let owner: DirectoryOwner
  /// False if the caller has taken the directory: it may have files there that must be closed before.
  private let releasesOwner: Bool
  /// The thread that counts rows.
  package let counting: CountingThread
  /// The record on disk of the work in progress.
  package let journal: WorkJournal
  /// The work that fails at the moment.
  package let failures: WorkFailures
  package let damage: DamagedRows
  /// The damaged files that scrubs have found.
  package let scrub = ScrubRecord()
  /// Rows at which work failed.
  package let rowFailures: (stream: AsyncStream<RowFailure>, continuation: AsyncStream<RowFailure>.Continuation)
  /// The number of rows that this process has set aside.
  package let quarantined = Locked(0)
  /// The apps whose days a change of the time zone is counting again, so that no other work counts them as well.
  package let recounting = Locked<Set<Int64>>([])
  package let report: @Sendable (String) -> Void
  package let now: @Sendable () -> Timestamp
  private let readBack: ReadBack
  private let end = Locked(End())

  private struct End {
    var isOver = false
    /// True if ``SQLiteWarehouse/close()`` releases the directory, once nothing uses its files.
    var isClosing = false
    var failure: (any Error)?
    var waiters: [CheckedContinuation<Void, any Error>] = []
  }

  /// Opens a data directory for writing, creating it if missing, and finishes what a crash interrupted.
  ///
  /// - Parameters:
  ///   - viewCacheBytes: The memory that counted days of views may take.
  ///   - diskReserve: The free bytes on the disk below which ``commit(_:app:)`` throws `full`; 0 for no limit.
  ///   - recognizedAge: The age at which the caller refuses events; duplicates of younger ones are recognized.
  ///   - examinesInterruptedWork: True if the caller will examine what the previous process was doing when it crashed. That work is
  ///     held until then.
  ///   - report: Receives messages about damaged files and about failures that don't concern a single batch.
  /// - Throws: ``WarehouseError``, with code `inUse` if another process has the directory open for writing.
  package convenience init(
    directory: String, catalog: any CatalogStore, viewCacheBytes: Int = WarehouseConfiguration.standardViewCacheBytes,
    diskReserve: Int64 = 0,
    recognizedAge: Duration = IngestLimits.native.maximumAge, examinesInterruptedWork: Bool = false,
    report: @escaping @Sendable (String) -> Void = { _ in }
  ) throws {
    try self.init(
      directory: directory, owner: nil, catalog: catalog, viewCacheBytes: viewCacheBytes, diskReserve: diskReserve,
      recognizedAge: recognizedAge, examinesInterruptedWork: examinesInterruptedWork, report: report)
  }

  /// Opens a data directory whose ownership the caller may have taken, and then releases; see
  /// ``owner(of:waitingFor:report:onLoss:)``.
  package convenience init(
    directory: String, owner: DirectoryOwner?, catalog: any CatalogStore,
    viewCacheBytes: Int = WarehouseConfiguration.standardViewCacheBytes,
    diskReserve: Int64 = 0,
    recognizedAge: Duration = IngestLimits.native.maximumAge, examinesInterruptedWork: Bool = false,
    report: @escaping @Sendable (String) -> Void = { _ in }
  ) throws {
    var configuration = WarehouseConfiguration()
    configuration.examinesInterruptedWork = examinesInterruptedWork
    configuration.viewCacheBytes = viewCacheBytes
    configuration.diskReserve = diskReserve
    configuration.recognizedAge = recognizedAge
    configuration.report = report
    try self.init(directory: directory, owner: owner, catalog: catalog, configuration: configuration)
  }

  /// Opens a data directory with other settings.
  package convenience init(
    directory: String, owner: DirectoryOwner? = nil, catalog: any CatalogStore, configuration: WarehouseConfiguration
  ) throws {
    let files = DataDirectory(path: directory)
    let taken = try owner ?? Self.owner(of: directory, waitingFor: configuration.lockPatience)
    try self.init(
      files, owner: taken, releasesOwner: owner == nil, catalog: catalog, configuration: configuration.checking(taken))
  }

  /// Takes a data directory for writing, creating it if missing.
  ///
  /// - Parameters:
  ///   - report: Receives a message if that takes some seconds.
  ///   - onLoss: Called if another server takes the directory later; it should end the process.
  /// - Throws: ``WarehouseError``, with code `inUse` if another process has the directory open for writing.
  package static func owner(
    of directory: String, waitingFor patience: Duration = WarehouseConfiguration().lockPatience,
    report: @escaping @Sendable (String) -> Void = { _ in },
    onLoss: @escaping @Sendable (WarehouseError) -> Void = { _ in }
  ) throws -> DirectoryOwner {
    let files = DataDirectory(path: directory)
    try files.create()
    var effects = DirectoryOwner.Effects()
    (effects.report, effects.onLoss) = (report, onLoss)
    guard let owner = try DirectoryOwner(files, waitingFor: patience, effects) else {
      throw WarehouseError(.inUse, "\(directory) is in use by another process. Stop it, or choose another with --data.")
    }
    return owner
  }

  private init(
    _ files: DataDirectory, owner: DirectoryOwner, releasesOwner: Bool, catalog: any CatalogStore,
    configuration: WarehouseConfiguration
  ) throws {
    (self.owner, self.releasesOwner) = (owner, releasesOwner)
    var configuration = configuration
    configuration.suspect = { [scrub] paths in
      scrub.suspect(paths.map { ScrubbedFile(.keys, path: $0).identity })
    }
    let readBack = ReadBack(files.path, report: configuration.report)
    configuration.checkReadBack = { try readBack.check() }
    configuration.didNotRead = { readBack.note($0) }
    (self.files, self.readBack) = (files, readBack)
    space = DiskSpace(
      directory: files.path, reserved: configuration.diskReserve, free: configuration.freeDiskBytes)
    queue = WriterQueue(maximumEvents: configuration.maximumWaitingEvents)
    let pool = try WarehouseFile.open(files, configuration: configuration)
    (report, now) = (configuration.report, configuration.now)
    let journal = try WorkJournal(
      files.workPath, examines: configuration.examinesInterruptedWork, now: configuration.now)
    let failures = WorkFailures(report: configuration.report)
    let damage = DamagedRows(report: configuration.report)
    let rowFailures = AsyncStream.makeStream(of: RowFailure.self, bufferingPolicy: .bufferingOldest(100))
    (self.journal, self.failures, self.damage, self.rowFailures) = (journal, failures, damage, rowFailures)
    let reader = WarehouseReader(
      pool: pool, columns: ColumnDirectory(path: files.columnsPath, isWritable: true), catalog: catalog,
      chunkRows: configuration.chunkRows, viewCacheBytes: configuration.viewCacheBytes, damage: damage,
      journal: journal, failures: failures
    ) { rowFailures.continuation.yield($0) }
    self.reader = reader
    let writer = try Writer.recovered(
      pool, files, catalog: catalog, configuration: configuration, damage: damage)
    try pool.writeWithoutTransaction { try reader.columns.forgetStale(SQLConnection($0)) }
    let counter = try EventCounter.open(
      files, catalog: catalog, configuration: configuration, damage: damage, journal: journal)
    // A server starts although some rows can't be counted.
    do {
      try counter.count()
    } catch {
      failures.record("Counting", error, effect: Self.end(ofCounts: reader))
    }
    counting = CountingThread(counter, interval: configuration.flushInterval) { failure in
      failures.record("Counting", failure, effect: failure == nil ? "" : Self.end(ofCounts: reader))
      if let failure = failure as? RowFailure { rowFailures.continuation.yield(failure) }
      if failure == nil { reader.updateColumns() }
    }
    readBack.begin(after: writer.lastID)
    counting.committed(through: writer.lastID)
    let thread = WriterThread(
      pool: pool, queue: queue, configuration: configuration, writer: writer, counting: counting)
    counting.start()
    let end = end
    thread.start { failure in
      let (waiters, isClosing) = end.withLock { end in
        end.isOver = true
        end.failure = failure
        defer { end.waiters = [] }
        return (end.waiters, end.isClosing)
      }
      if releasesOwner, !isClosing { owner.release() }
      for waiter in waiters { waiter.resume(with: failure.map { .failure($0) } ?? .success(())) }
    }
    reader.updateColumns()
  }

  deinit { _ = queue.close() }

  /// Stores a batch; see ``EventSink/commit(_:app:)``.
  package func commit(_ batch: IncomingBatch, app: AppID) async throws -> CommitReceipt {
    try await withCheckedThrowingContinuation { waiter in
      do {
        try queue.append(CommitJob(batch: batch, app: app, waiter: waiter))
      } catch {
        waiter.resume(throwing: error)
      }
    }
  }

  /// True if the limit of waiting events is reached.
  package var isBehind: Bool { queue.isFull }

  /// The memory and disk space in use.
  package var storageStatus: StorageStatus {
    var status = StorageStatus()
    status.viewCacheBytes = reader.viewDays.byteCount
    status.diskBytes = files.diskBytes
    status.freeDiskBytes = freeDiskBytes
    status.reservedDiskBytes = space.reserved
    status.quarantinedRows =
      (try? reader.read { try $0.integer("SELECT count(*) FROM quarantine") }).flatMap { $0 }.map { Int($0) } ?? 0
    status.damages = damage.messages.count
    status.scrub = scrub.status
    return status
  }

  /// Returns the disk space in use by a directory, without opening it.
  ///
  /// - Parameter reserve: The free bytes below which a server collects nothing.
  package static func diskUse(ofDirectory directory: String, reserve: Int64) -> StorageStatus {
    var status = StorageStatus()
    status.diskBytes = DataDirectory(path: directory).diskBytes
    status.freeDiskBytes = DiskSpace.available(directory)
    status.reservedDiskBytes = reserve
    return status
  }

  /// Everything that fails at the moment, or is held after a crash.
  package var problems: [WarehouseProblem] {
    let others =
      scrub.damages.filter { $0.file.kind != .rows }.map {
        WarehouseProblem(summary: $0.file.kind.summaryOfDamage, detail: $0.message)
      } + scrub.failures.map { WarehouseProblem(summary: "Some files are not checked for damage.", detail: $0) }
    let damages = damage.messages
    let ownProblems = [readBack.problem].compactMap { $0 } + failures.problems + journal.problems
    guard let first = damages.first else { return ownProblems + others }
    let damage = WarehouseProblem(
      summary: "Some stored events can't be read.",
      detail: """
        \(first)\(damages.count == 1 ? "" : " And \(damages.count - 1) more.") Restore the data directory from a backup, \
        or stop the server and run `tern rebuild`.
        """)
    return ownProblems + [damage] + others
  }

  /// Returns a sentence about the last event that the counts include.
  private static func end(ofCounts reader: WarehouseReader) -> String {
    let last: EventRow?? = try? reader.read { connection in
      let id = try CountSchema.countedRow(connection)
      // The last one that still exists.
      for span in try StoredSpan.all(connection, through: id).reversed() {
        let scan = EventScan(connection, [span], through: id)
        var last: EventRow?
        while let row = try scan.next() { last = row }
        if let last { return last }
      }
      return nil
    }
    guard let time = (last ?? nil).map({ $0.time &+ $0.lag }) else { return "Reports lack all events." }
    let text = Timestamp(millisecondsSince1970: time).utcText(withMilliseconds: false)
    return "Reports lack events that were received after \(text)."
  }

  /// The bytes free on the disk; `nil` if they can't be determined.
  package var freeDiskBytes: Int64? { space.free(space.directory) }

  /// The bytes free on the disk of a data directory, also while a server runs on it.
  package static func freeDiskBytes(of directory: String) -> Int64? { DiskSpace.available(directory) }

  /// False if less than the reserve is free on the disk, or nothing.
  package var hasRoom: Bool { shortage == nil }

  /// The error if less than the reserve is free on the disk, or nothing.
  package var shortage: WarehouseError? { space.shortage }

  /// Counts events that were not read as rejected; see ``EventSink/reject(_:_:source:app:received:)``.
  package func reject(_ count: Int, _ reason: RejectionReason, source: IngestProtocol, app: AppID, received: Timestamp)
    async throws
  {
    let received = received.millisecondsSince1970
    try await perform { try $0.reject(count, reason, source: source, app: app, received: received) }
  }

  /// Checks whether storing works; see ``EventSink/probeWrite()``.
  package func probeWrite() async throws { try await perform { try $0.probeWrite() } }

  /// Counts all events committed so far, so that reports include them immediately rather than within a second.
  package func flush() async throws { try await counting.flush() }

  /// Runs `body` on the writer thread, after all batches that are waiting now.
  @discardableResult
  package func perform<Value: Sendable>(_ body: @escaping @Sendable (Writer) throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { (waiter: CheckedContinuation<Value, any Error>) in
      do {
        try queue.append { writer in
          let result = Result {
            try writer.rows.restoreSuspect()
            let value = try body(writer)
            try writer.configuration.checkOwner()
            return value
          }
          waiter.resume(with: result.mapError { WarehouseError.from($0) as any Error })
        }
      } catch {
        waiter.resume(throwing: error)
      }
    }
  }

  /// Stores all waiting batches, counts them, ends the writer thread, and releases the data directory unless the caller has
  /// taken it.
  ///
  /// Acknowledged events are already on disk; closing only saves work at the next start.
  package func close() async throws {
    try? await storeOpenDays()
    end.withLock { $0.isClosing = true }
    defer { if releasesOwner { owner.release() } }
    _ = queue.close()
    try await withCheckedThrowingContinuation { (waiter: CheckedContinuation<Void, any Error>) in
      let result: Result<Void, any Error>? = end.withLock { end in
        guard end.isOver else {
          end.waiters.append(waiter)
          return nil
        }
        return end.failure.map { .failure($0) } ?? .success(())
      }
      if let result { waiter.resume(with: result) }
    }
    try reader.close()
    try CountFile.closeLogs(files)
  }
}

// MARK: - Opening for reading

extension SQLiteWarehouse {
  /// Opens a data directory for reports. A server may be running on it.
  ///
  /// If no server is running, events that a crash left uncounted are counted first, so that reports are exact.
  ///
  /// - Parameter report: Receives messages about damaged files.
  package static func openForReading(
    directory: String, catalog: any CatalogStore, report: @escaping @Sendable (String) -> Void = { _ in }
  ) throws -> WarehouseReader {
    let files = DataDirectory(path: directory)
    try files.create()
    // Only if needed, because holding the lock keeps a server from starting.
    if try !WarehouseFile.isComplete(files) {
      _ = try owning(files, WarehouseConfiguration()) { configuration in
        let pool = try WarehouseFile.open(files, configuration: configuration)
        try EventCounter.open(files, catalog: catalog, configuration: configuration).count()
        try pool.close()
      }
    }
    return WarehouseReader(
      pool: try WarehouseFile.openReadOnly(files),
      columns: ColumnDirectory(path: files.columnsPath, isWritable: false), catalog: catalog,
      damage: DamagedRows(report: report))
  }

  /// Runs `body` as the owner of a directory, with the settings of one; returns `nil` if another process holds the lock.
  package static func owning<Value>(
    _ files: DataDirectory, _ configuration: WarehouseConfiguration,
    _ body: (WarehouseConfiguration) throws -> Value
  ) throws -> Value? {
    guard let owner = try DirectoryOwner(files) else { return nil }
    defer { owner.release() }
    return try body(configuration.checking(owner))
  }
}
