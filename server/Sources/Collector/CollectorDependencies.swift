public import Ingest
public import Logging
public import TernEvents
public import Warehouse

/// The collector's dependencies.
public struct CollectorDependencies: Sendable {
  /// The store of events.
  public var sink: any EventSink
  /// The store that reports read.
  public var store: any MetricsStore
  /// The apps, and the rights of accounts and tokens.
  public var catalog: any CatalogStore & AccessStore
  /// The secret for duplicate keys; must be the one used for the stored hashes.
  public var duplicateKey: DuplicateHashKey
  /// The threads on which reports run; `nil` for Swift's own.
  public var reportExecutor: (any TaskExecutor)?
  /// Returns the memory and disk space of the store, for `/metrics`.
  public var storage: @Sendable () -> StorageStatus
  /// The wall clock.
  public var wallTime: @Sendable () -> Timestamp
  /// A monotonic clock.
  public var uptime: @Sendable () -> Duration
  /// Waits for a duration.
  public var sleep: @Sendable (Duration) async throws -> Void
  /// The log for errors. It never contains keys or tokens.
  public var logger: Logger

  /// Creates the dependencies.
  public init(
    sink: any EventSink, store: any MetricsStore, catalog: any CatalogStore & AccessStore,
    duplicateKey: DuplicateHashKey, reportExecutor: (any TaskExecutor)? = nil,
    storage: @escaping @Sendable () -> StorageStatus,
    wallTime: @escaping @Sendable () -> Timestamp = WallClock.system,
    uptime: @escaping @Sendable () -> Duration = CollectorDependencies.systemUptime,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }, logger: Logger
  ) {
    self.sink = sink
    self.store = store
    self.catalog = catalog
    self.duplicateKey = duplicateKey
    self.reportExecutor = reportExecutor
    self.storage = storage
    self.wallTime = wallTime
    self.uptime = uptime
    self.sleep = sleep
    self.logger = logger
  }

  private static let started = ContinuousClock.now

  /// The approximate time since the process started.
  public static let systemUptime: @Sendable () -> Duration = { ContinuousClock.now - started }
}
