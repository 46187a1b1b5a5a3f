import Views
import Warehouse

/// Settings that trade memory, latency and throughput of a ``SQLiteWarehouse``.
public struct WarehouseConfiguration: Sendable {
  /// The number of events that may wait for the writer before `commit` throws `busy`; default 500,000.
  public var maximumWaitingEvents: Int
  /// The maximum number of events in one transaction, unless a single batch has more; default 20,000.
  public var maximumGroupEvents: Int
  /// The maximum delay before committed events appear in reports; default 400 ms.
  public var flushInterval: Duration
  /// The number of events after which rollups are written before the interval ends; default 50,000.
  public var flushEvents: Int
  /// The number of duplicate keys collected in memory before they are sorted and written; default 524,288 (about 18
  /// MB).
  public var pendingKeys: Int
  /// The number of installs cached in memory; others are looked up on disk. Default 1,000,000 (about 60 MB).
  public var cachedInstalls: Int
  /// The number of 4 KiB pages after which the write-ahead log is checkpointed; default 1,000.
  public var checkpointPages: Int
  /// The bytes of stacks, raw errors and attachments kept per app; default 1 GiB.
  public var maximumErrorBytes: Int64 = 1 << 30
  /// The memory that counted days of views may take, in bytes; default 256 MiB.
  public var viewCacheBytes = 256 << 20
  /// The number of rows in a span; default 8,192. For tests.
  var spanRows = RowStore.spanRows
  /// The bytes of rows in a segment, unless a single span has more; default 64 MiB. For tests.
  var segmentBytes = 64 << 20
  /// The maximum size of the database, in 4 KiB pages; `nil` for no limit. For tests of a full disk.
  var maximumPages: Int?
  /// Runs on the writer thread before each batch; an error that it throws fails the batch. For tests.
  var beforeBatch: (@Sendable (AppID) throws -> Void)?

  /// Creates a configuration. Values below one are raised to one.
  public init(
    maximumWaitingEvents: Int = 500_000, maximumGroupEvents: Int = 20_000,
    flushInterval: Duration = .milliseconds(400), flushEvents: Int = 50_000, pendingKeys: Int = 1 << 19,
    cachedInstalls: Int = 1_000_000, checkpointPages: Int = 1_000
  ) {
    self.maximumWaitingEvents = max(1, maximumWaitingEvents)
    self.maximumGroupEvents = max(1, maximumGroupEvents)
    self.flushInterval = max(.milliseconds(1), flushInterval)
    self.flushEvents = max(1, flushEvents)
    self.pendingKeys = max(1, pendingKeys)
    self.cachedInstalls = max(1, cachedInstalls)
    self.checkpointPages = max(1, checkpointPages)
  }
}
