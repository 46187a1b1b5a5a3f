import Views
import Warehouse

/// How a ``SQLiteWarehouse`` balances memory, latency and throughput.
public struct WarehouseConfiguration: Sendable {
  /// How many bytes of requests may be reserved before ``SQLiteWarehouse/reserve(bytes:)`` refuses; default 64 MiB.
  public var maximumReservedBytes: Int
  /// How many events may wait for the writer before `commit` throws `busy`; default 500,000.
  public var maximumWaitingEvents: Int
  /// How many events one transaction takes at most, unless a single batch has more; default 20,000.
  public var maximumGroupEvents: Int
  /// How long a committed event may be missing from reports; default 400 ms.
  public var flushInterval: Duration
  /// After how many events figures are written before the interval is over; default 50,000.
  public var flushEvents: Int
  /// How many duplicate keys are collected in memory before they are sorted and written; default 524,288 (about 18 MB).
  public var pendingKeys: Int
  /// How many installs are kept in memory; others are looked up on disk. Default 1,000,000 (about 60 MB).
  public var cachedInstalls: Int
  /// After how many pages of 4 KiB the write-ahead log is copied into the database; default 1,000.
  public var checkpointPages: Int
  /// How many bytes of stacks, raw errors and attachments are kept of one app; default 1 GiB.
  public var maximumErrorBytes: Int64 = 1 << 30
  /// How many rows make a stretch, of which it is known what they cover; default 8,192. For tests.
  var spanRows = EventTables.spanRows
  /// The largest size of the database, in pages of 4 KiB; `nil` for no limit but the disk's. For tests of a full disk.
  var maximumPages: Int?
  /// Runs on the writer thread before each batch; a failure it throws counts as the batch's. For tests.
  var beforeBatch: (@Sendable (AppID) throws -> Void)?

  /// Creates a configuration; values below one are raised to one.
  public init(
    maximumReservedBytes: Int = 64 << 20, maximumWaitingEvents: Int = 500_000, maximumGroupEvents: Int = 20_000,
    flushInterval: Duration = .milliseconds(400), flushEvents: Int = 50_000, pendingKeys: Int = 1 << 19,
    cachedInstalls: Int = 1_000_000, checkpointPages: Int = 1_000
  ) {
    self.maximumReservedBytes = max(1, maximumReservedBytes)
    self.maximumWaitingEvents = max(1, maximumWaitingEvents)
    self.maximumGroupEvents = max(1, maximumGroupEvents)
    self.flushInterval = max(.milliseconds(1), flushInterval)
    self.flushEvents = max(1, flushEvents)
    self.pendingKeys = max(1, pendingKeys)
    self.cachedInstalls = max(1, cachedInstalls)
    self.checkpointPages = max(1, checkpointPages)
  }
}
