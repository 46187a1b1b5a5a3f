public import Ingest
public import Logging
public import TernEvents
public import Warehouse

/// Everything outside the collector that it works with.
public struct CollectorDependencies: Sendable {
  /// Where events go.
  public var sink: any EventSink
  /// Where figures come from.
  public var figures: any FigureSource
  /// The apps, the admin token and the logins.
  public var catalog: any CatalogStore & AdminStore
  /// The secret by which duplicates are recognised; must be the one that stored hashes were made with.
  public var duplicateKey: DuplicateHashKey
  /// About how many bytes counted days of views take in memory, for `/metrics`.
  public var viewCacheBytes: @Sendable () -> Int
  /// What the wall clock shows.
  public var wallTime: @Sendable () -> Timestamp
  /// A clock that never goes back, from any moment on.
  public var uptime: @Sendable () -> Duration
  /// Waits for a duration.
  public var sleep: @Sendable (Duration) async throws -> Void
  /// Where faults are reported. Never gets a key or token.
  public var logger: Logger

  /// Creates the dependencies.
  public init(
    sink: any EventSink, figures: any FigureSource, catalog: any CatalogStore & AdminStore,
    duplicateKey: DuplicateHashKey, viewCacheBytes: @escaping @Sendable () -> Int = { 0 },
    wallTime: @escaping @Sendable () -> Timestamp = WallClock.system,
    uptime: @escaping @Sendable () -> Duration = CollectorDependencies.systemUptime,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }, logger: Logger
  ) {
    self.sink = sink
    self.figures = figures
    self.catalog = catalog
    self.duplicateKey = duplicateKey
    self.viewCacheBytes = viewCacheBytes
    self.wallTime = wallTime
    self.uptime = uptime
    self.sleep = sleep
    self.logger = logger
  }

  private static let started = ContinuousClock.now

  /// How long the process has been running, about.
  public static let systemUptime: @Sendable () -> Duration = { ContinuousClock.now - started }
}
