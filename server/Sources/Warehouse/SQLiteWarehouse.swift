import GRDB
public import Ingest
public import TernEvents

/// The embedded warehouse: events and figures in `warehouse.sqlite`.
///
/// One process at a time holds a data directory for writing. Inside it, one thread writes: it takes all batches that
/// wait, stores them in one transaction and then answers them, so the more arrives, the less each event costs. Reports
/// read at the same time on connections of their own and never wait.
///
/// ## Topics
/// ### Opening and closing
/// - ``init(directory:catalog:configuration:)``
/// - ``close()``
/// - ``openForReading(directory:catalog:)``
/// ### Accepting
/// - ``commit(_:app:)``
/// - ``reserve(bytes:)``
/// ### Checking
/// - ``verify(progress:)``
/// - ``rebuild(directory:catalog:progress:)``
public final class SQLiteWarehouse: Warehouse {
  /// The reading side, which needs no lock.
  public let reader: WarehouseReader
  /// The requests that are on their way into the warehouse.
  public let pendingRequests = PendingRequests()
  private let queue: WriterQueue
  private let live: LiveFeed
  private let lock: DirectoryLock
  private let end = Locked(End())

  private struct End {
    var isOver = false
    var failure: (any Error)?
    var waiters: [CheckedContinuation<Void, any Error>] = []
  }

  /// Opens a data directory for writing, creates it when missing, and completes what a crash left undone.
  ///
  /// - Throws: ``WarehouseError``; its code is `inUse` when another process writes there.
  public convenience init(
    directory: String, catalog: Catalog, configuration: WarehouseConfiguration = WarehouseConfiguration()
  ) throws {
    let files = DataDirectory(path: directory)
    try files.create()
    guard let lock = try files.lock() else {
      throw WarehouseError(
        code: .inUse, message: "Another process writes to \(directory). Stop it, or choose another with --data.")
    }
    try self.init(files, lock: lock, catalog: catalog, configuration: configuration)
  }

  private init(
    _ files: DataDirectory, lock: DirectoryLock, catalog: Catalog, configuration: WarehouseConfiguration
  ) throws {
    self.lock = lock
    live = LiveFeed()
    queue = WriterQueue(
      maximumBytes: configuration.maximumReservedBytes, maximumEvents: configuration.maximumWaitingEvents)
    let pool = try WarehouseFile.open(files, configuration: configuration)
    reader = WarehouseReader(pool: pool, catalog: catalog)
    let writer = try WarehouseFile.writer(pool, catalog: catalog, configuration: configuration, live: live)
    let thread = WriterThread(pool: pool, queue: queue, configuration: configuration, writer: writer)
    let (live, end) = (live, end)
    thread.start { failure in
      live.finish()
      lock.release()
      let waiters = end.withLock { end in
        end.isOver = true
        end.failure = failure
        defer { end.waiters = [] }
        return end.waiters
      }
      for waiter in waiters { waiter.resume(with: failure.map { .failure($0) } ?? .success(())) }
    }
  }

  deinit { _ = queue.close() }

  /// Stores a batch; see ``EventSink/commit(_:app:)``.
  public func commit(_ batch: IncomingBatch, app: AppID) async throws -> CommitReceipt {
    try await withCheckedThrowingContinuation { waiter in
      do {
        try queue.append(CommitJob(batch: batch, app: app, waiter: waiter))
      } catch {
        waiter.resume(throwing: error)
      }
    }
  }

  /// Asks for room for a request of so many bytes, before its body is read; give it back with ``release(bytes:)``.
  ///
  /// - Returns: `false` when the writer is behind: answer 503 and let the client try again.
  public func reserve(bytes: Int) -> Bool { queue.reserve(bytes) }

  /// Gives reserved room back, once the request was answered.
  public func release(bytes: Int) { queue.release(bytes) }

  /// Bytes of requests that are being read or stored.
  public var queuedBytes: Int { queue.reservedBytes }

  /// Whether reserved bytes or waiting events have reached their limit.
  public var isBehind: Bool { queue.isFull }

  /// Shows whether storing works; see ``EventSink/probeWrite()``.
  public func probeWrite() async throws { try await perform { try $0.probeWrite() } }

  /// The events of an app as they are stored, from now on.
  ///
  /// - Parameter limit: how many may wait for a slow reader before the oldest are left out.
  public func live(app: AppID, limit: Int = 100) -> AsyncStream<StoredEvent> { live.watch(app, limit: limit) }

  /// Writes the figures of all events committed so far, so that reports have them at once and not within a second.
  public func flush() async throws { try await perform { try $0.flush() } }

  /// Runs `body` on the writer thread, after all batches that wait now.
  func perform(_ body: @escaping @Sendable (Writer) throws -> Void) async throws {
    try await withCheckedThrowingContinuation { (waiter: CheckedContinuation<Void, any Error>) in
      do {
        try queue.append { writer in
          waiter.resume(with: Result { try body(writer) }.mapError { WarehouseError.from($0) as any Error })
        }
      } catch {
        waiter.resume(throwing: error)
      }
    }
  }

  /// Stores what waits, writes all figures, gives the data directory back and ends the writer thread.
  ///
  /// Everything acknowledged is on disk before, too; closing only spares the next opening some work.
  public func close() async throws {
    _ = queue.close()
    try await withCheckedThrowingContinuation { (waiter: CheckedContinuation<Void, any Error>) in
      let over: Result<Void, any Error>? = end.withLock { end in
        guard end.isOver else {
          end.waiters.append(waiter)
          return nil
        }
        return end.failure.map { .failure($0) } ?? .success(())
      }
      if let over { waiter.resume(with: over) }
    }
    try reader.close()
  }
}

// MARK: - Opening for reading, rebuilding

extension SQLiteWarehouse {
  /// Opens a data directory for reports, whether or not a server runs on it.
  ///
  /// When none does, figures that a crash left incomplete are completed first, so that reports are exact.
  public static func openForReading(directory: String, catalog: Catalog) throws -> WarehouseReader {
    let files = DataDirectory(path: directory)
    try files.create()
    // Only when something is left undone: whoever holds the lock keeps a server from starting.
    if try !WarehouseFile.isComplete(files), let lock = try files.lock() {
      defer { lock.release() }
      let pool = try WarehouseFile.open(files, configuration: WarehouseConfiguration())
      try WarehouseFile.completeFigures(pool, catalog: catalog)
      try pool.close()
    }
    return WarehouseReader(pool: try WarehouseFile.openReadOnly(files), catalog: catalog)
  }

  /// Recreates all figures and the index of seen keys from the stored events.
  ///
  /// - Parameter progress: is told the number of events counted so far.
  /// - Throws: ``WarehouseError`` with code `inUse` while a server runs on the directory.
  public static func rebuild(directory: String, catalog: Catalog, progress: (Int) -> Void = { _ in }) throws {
    let files = DataDirectory(path: directory)
    guard let lock = try files.lock() else {
      throw WarehouseError(
        code: .inUse, message: "A server runs on \(directory). Stop it, then rebuild.")
    }
    defer { lock.release() }
    let pool = try WarehouseFile.open(files, configuration: WarehouseConfiguration())
    try WarehouseFile.rebuild(pool, catalog: catalog, progress: progress)
    try pool.close()
  }

  /// Counts all figures again from the stored events and lists differences; see ``WarehouseReader/verify(progress:)``.
  public func verify(progress: (Int) -> Void = { _ in }) throws -> VerificationReport {
    try reader.verify(progress: progress)
  }
}

// MARK: - Figures

extension SQLiteWarehouse {
  /// Per day and key, how often; see ``FigureSource/dailyCounts(app:dimension:days:)``.
  public func dailyCounts(app: AppID, dimension: Dimension, days: ClosedRange<Day>) throws -> [DailyCount] {
    try reader.dailyCounts(app: app, dimension: dimension, days: days)
  }

  /// Per key over the whole range; see ``FigureSource/totals(app:dimension:days:limit:)``.
  public func totals(app: AppID, dimension: Dimension, days: ClosedRange<Day>, limit: Int?) throws -> [KeyFigures] {
    try reader.totals(app: app, dimension: dimension, days: days, limit: limit)
  }

  /// The figures of one key; see ``FigureSource/total(app:dimension:key:days:)``.
  public func total(app: AppID, dimension: Dimension, key: String, days: ClosedRange<Day>) throws -> KeyFigures {
    try reader.total(app: app, dimension: dimension, key: key, days: days)
  }

  /// The figures of one key per day; see ``FigureSource/series(app:dimension:key:days:)``.
  public func series(
    app: AppID, dimension: Dimension, key: String, days: ClosedRange<Day>
  ) throws -> [DailyFigures] {
    try reader.series(app: app, dimension: dimension, key: key, days: days)
  }

  /// Active installs per day, week and month; see ``FigureSource/activity(app:days:)``.
  public func activity(app: AppID, days: ClosedRange<Day>) throws -> [DailyActivity] {
    try reader.activity(app: app, days: days)
  }

  /// The property values of one event; see ``FigureSource/properties(app:event:days:limit:)``.
  public func properties(
    app: AppID, event: String, days: ClosedRange<Day>, limit: Int
  ) throws -> [PropertyFigures] {
    try reader.properties(app: app, event: event, days: days, limit: limit)
  }

  /// The ledgers of an app's installs; see ``FigureSource/ledger(app:since:)``.
  public func ledger(app: AppID, since: Timestamp) throws -> LedgerFigures {
    try reader.ledger(app: app, since: since)
  }

  /// Whether there is such a group; see ``ErrorSource/hasErrorGroup(app:id:)``.
  public func hasErrorGroup(app: AppID, id: Int64) throws -> Bool { try reader.hasErrorGroup(app: app, id: id) }

  /// The groups of errors of a range; see ``ErrorSource/errorGroups(app:group:days:limit:)``.
  public func errorGroups(app: AppID, group: Int64?, days: ClosedRange<Day>, limit: Int) throws -> [ErrorGroup] {
    try reader.errorGroups(app: app, group: group, days: days, limit: limit)
  }

  /// The occurrences of a group; see ``ErrorSource/errors(app:group:days:limit:)``.
  public func errors(app: AppID, group: Int64, days: ClosedRange<Day>, limit: Int) throws -> [ErrorOccurrence] {
    try reader.errors(app: app, group: group, days: days, limit: limit)
  }

  /// Everything known of one error; see ``ErrorSource/error(app:id:)``.
  public func error(app: AppID, id: Int64) throws -> ErrorDetail? { try reader.error(app: app, id: id) }

  /// An attachment with its bytes; see ``ErrorSource/attachment(app:id:)``.
  public func attachment(app: AppID, id: Int64) throws -> (facts: AttachmentFacts, data: [UInt8])? {
    try reader.attachment(app: app, id: id)
  }

  /// The figures of a view; see ``ViewSource/viewFigures(_:days:tables:now:)``.
  public func viewFigures(
    _ view: View, days: ClosedRange<Day>, tables: Set<ViewTable>, now: Int64
  ) throws -> ViewFigures {
    try reader.viewFigures(view, days: days, tables: tables, now: now)
  }

  /// The hits of a view that came too late; see ``ViewSource/lateHits(_:days:)``.
  public func lateHits(_ view: View, days: ClosedRange<Day>) throws -> [LateHits] {
    try reader.lateHits(view, days: days)
  }

  /// Who is there now; see ``ViewSource/viewRealtime(_:now:)``.
  public func viewRealtime(_ view: View, now: Int64) throws -> ViewRealtime { try reader.viewRealtime(view, now: now) }

  /// The newest hits of a view's app; see ``ViewSource/inspectedHits(_:days:limit:)``.
  public func inspectedHits(_ view: View, days: ClosedRange<Day>, limit: Int) throws -> [InspectedHit] {
    try reader.inspectedHits(view, days: days, limit: limit)
  }

  /// What was refused of a view's app; see ``ViewSource/refusedHits(_:days:limit:)``.
  public func refusedHits(_ view: View, days: ClosedRange<Day>, limit: Int) throws -> [RefusedHit] {
    try reader.refusedHits(view, days: days, limit: limit)
  }

  /// How long sessions lasted; see ``AppCenterFigures/sessionDurations(app:days:)``.
  public func sessionDurations(app: AppID, days: ClosedRange<Day>) throws -> SessionDurations {
    try reader.sessionDurations(app: app, days: days)
  }

  /// Active installs; see ``AppCenterFigures/activeInstalls(app:days:window:)``.
  public func activeInstalls(app: AppID, days: ClosedRange<Day>, window: Int) throws -> [DailyCount] {
    try reader.activeInstalls(app: app, days: days, window: window)
  }

  /// Versions without their builds; see ``AppCenterFigures/versions(app:days:)``.
  public func versions(app: AppID, days: ClosedRange<Day>) throws -> [KeyFigures] {
    try reader.versions(app: app, days: days)
  }

  /// The newest rows of some kinds; see ``AppCenterFigures/recent(app:kinds:limit:)``.
  public func recent(app: AppID, kinds: Set<StoredKind>, limit: Int) throws -> [StoredEvent] {
    try reader.recent(app: app, kinds: kinds, limit: limit)
  }

  /// The newest rows; see ``FigureSource/recent(app:limit:)``.
  public func recent(app: AppID, limit: Int) throws -> [StoredEvent] { try reader.recent(app: app, limit: limit) }
}
