/// The memory and disk space of a warehouse, for monitoring.
package struct StorageStatus: Sendable, Equatable {
  /// The approximate memory that counted days of views take, in bytes.
  package var viewCacheBytes = 0
  /// The bytes on disk by part of the warehouse.
  package var diskBytes: [String: Int64] = [:]
  /// The bytes free on the disk; `nil` if they can't be determined.
  package var freeDiskBytes: Int64?
  /// The free bytes below which nothing is collected.
  package var reservedDiskBytes: Int64 = 0
  /// The number of stored events that were set aside because they could not be used.
  package var quarantinedRows = 0
  /// The number of places in files that can't be read.
  package var damages = 0

  /// Creates a status of nothing used.
  package init() {}
}

/// Something that fails at the moment, or that the server does not try after a crash. Reports may lack what it makes.
package struct WarehouseProblem: Sendable, Hashable {
  /// A sentence for anyone, without data about apps.
  package var summary: String
  /// The reason, for the operator.
  package var detail: String

  /// Creates a problem.
  package init(summary: String, detail: String) {
    self.summary = summary
    self.detail = detail
  }
}
