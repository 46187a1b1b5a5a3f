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
  /// The number of stored events that were set aside because they could not be used.
  public var quarantinedRows = 0
  /// The number of places in files that can't be read.
  public var damages = 0

  /// Creates a status of nothing used.
  public init() {}
}

/// Something that fails at the moment, or that the server does not try after a crash. Reports may lack what it makes.
public struct WarehouseProblem: Sendable, Hashable {
  /// A sentence for anyone, without data about apps.
  public var summary: String
  /// The reason, for the operator.
  public var detail: String

  /// Creates a problem.
  public init(summary: String, detail: String) {
    self.summary = summary
    self.detail = detail
  }
}
