package import Warehouse

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The space on the disk of a data directory. A part of it is reserved.
///
/// Collecting stops before the disk is full: on a full disk a server can't start, and deleting needs space, too.
package struct DiskSpace: Sendable {
  package let directory: String
  /// The free bytes below which nothing is collected; 0 for no limit.
  package let reserved: Int64
  /// Returns the free bytes on the disk of a path, or `nil` if they can't be determined.
  package let free: @Sendable (_ path: String) -> Int64?

  package init(directory: String, reserved: Int64, free: @escaping @Sendable (_ path: String) -> Int64?) {
    (self.directory, self.reserved, self.free) = (directory, reserved, free)
  }

  /// Throws ``WarehouseError`` with code `full` if less than the reserve is left.
  package func check() throws {
    // Without a reserve, the write itself tells.
    if reserved > 0, let shortage { throw shortage }
  }

  /// The error if too little space is left to store events; `nil` if there is enough, or if that is unknown.
  package var shortage: WarehouseError? {
    guard let free = free(directory), free < max(reserved, 1) else { return nil }
    guard reserved > 0 else {
      return WarehouseError(
        .full, "The disk of \(directory) is full. Clients keep their events and retry. Free some space.")
    }
    return WarehouseError(
      .full,
      """
      Only \(free >> 20) MiB are free on the disk of \(directory), less than the reserve of \(reserved >> 20) MiB. \
      Clients keep their events and retry. Free some space, or choose a smaller --disk-reserve.
      """)
  }

  /// The bytes that a process without special rights may use.
  package static let available: @Sendable (String) -> Int64? = { path in
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { return nil }
    return Int64(
      clamping: UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize)).partialValue)
  }
}
