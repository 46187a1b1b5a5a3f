import Columns
import DataFiles
import Ingest
import RowFiles
package import TernEvents
package import Warehouse

/// Settings that trade memory, latency and throughput of a ``SQLiteWarehouse``. Operators choose only the memory for
/// counted days of views; tests vary the others.
package struct WarehouseConfiguration: Sendable {
  /// The memory that counted days of views may take by default: 256 MiB.
  package static let standardViewCacheBytes = 256 << 20
  /// The number of rows after which a span ends by default.
  package static let standardSpanRows = 8_192

  /// The number of events that may wait for the writer before `commit` throws `busy`.
  package var maximumWaitingEvents = 500_000
  /// The maximum number of events in one transaction, unless a single batch has more.
  package var maximumGroupEvents = 20_000
  /// The delay before committed events appear in reports, unless flushes take long; see ``FlushPacing``.
  package var flushInterval = Duration.milliseconds(400)
  /// The maximum number of events counted in memory before the counts are stored.
  package var flushEvents = 500_000
  /// The number of rows whose days are counted again in one transaction, unless a single day needs more.
  package var recountedRows = 2_000_000
  /// The number of duplicate keys collected in memory before they are sorted and written (about 18 MB).
  package var pendingKeys = 1 << 19
  /// The age at which the collector refuses events. Duplicates of younger ones are recognized.
  package var recognizedAge = IngestLimits.native.maximumAge
  /// The number of installs cached in memory; others are looked up on disk (about 60 MB).
  package var cachedInstalls = 1_000_000
  /// The number of 4 KiB pages after which the write-ahead log is checkpointed.
  package var checkpointPages = 1_000
  /// The bytes of stacks, raw errors and attachments kept of an app for which the catalog has no other limit.
  package var maximumErrorBytes = Int64(UsageLimitChanges.usualErrorTextBytes)
  /// The memory that counted days of views may take, in bytes.
  package var viewCacheBytes = standardViewCacheBytes
  /// The number of rows in a span.
  package var spanRows = standardSpanRows
  /// The bytes of rows in a segment, unless a single span has more.
  package var segmentBytes = 64 << 20
  /// The number of rows after which a chunk of columns ends and becomes a file.
  package var chunkRows = Chunk.maximumRows
  /// The maximum size of the database, in 4 KiB pages, as on a full disk; `nil` for no limit.
  package var maximumPages: Int?
  /// The time to wait for a process that briefly holds the data directory, as a report does after a crash.
  package var lockPatience = Duration.seconds(3)
  /// Receives messages about damage and about failures that don't concern a single batch.
  package var report: @Sendable (String) -> Void = { _ in }
  /// Receives the paths of files, one of which turned out to be damaged.
  package var suspect: @Sendable ([String]) -> Void = { _ in }
  /// The free bytes on the disk below which nothing is collected; 0 for no limit.
  package var diskReserve: Int64 = 0
  /// Returns the free bytes on the disk of a path, or `nil` if they can't be determined.
  package var freeDiskBytes = DiskSpace.available
  /// True if the work during which the previous process crashed is held until it was examined.
  package var examinesInterruptedWork = false
  /// The wall clock.
  package var now: @Sendable () -> Timestamp = WallClock.system
  /// Throws if another process has taken the directory.
  package var checkOwner: @Sendable () throws -> Void = {}
  /// Throws if rows that were just written can't be read back; see ``ReadBack``.
  var checkReadBack: @Sendable () throws -> Void = {}
  /// Receives the rows that could not be read when they were counted first.
  var didNotRead: @Sendable ([ClosedRange<Int64>]) -> Void = { _ in }
  /// Runs on the writer thread before each batch; an error that it throws fails the batch.
  package var beforeBatch: (@Sendable (AppID) throws -> Void)?

  /// Returns these settings for the owner of a directory: each commit checks that it still is.
  func checking(_ owner: DirectoryOwner) -> WarehouseConfiguration {
    var configuration = self
    configuration.checkOwner = { try owner.check() }
    return configuration
  }

  /// The settings of a server, before it changes any.
  package static var standard: WarehouseConfiguration { WarehouseConfiguration() }
}
