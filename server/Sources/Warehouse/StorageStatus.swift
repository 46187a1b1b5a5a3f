/// The memory and disk space of a warehouse, for monitoring.
public struct StorageStatus: Sendable, Equatable {
  /// The approximate memory that counted days of views take, in bytes.
  public var viewCacheBytes = 0
  /// The bytes on disk by part of the warehouse.
  public var diskBytes: [String: Int64] = [:]
  /// The bytes free on the disk; `nil` if they can't be determined.
  public var freeDiskBytes: Int64?
  /// The free bytes below which nothing is collected.
  public var reservedDiskBytes: Int64 = 0

  /// Creates a status of nothing used.
  public init() {}
}
