import Views
import Warehouse

/// The keys of stored devices, by ID. An ID is never used again, so the cache stays true.
package final class StoredDevices {
  private static let limit = 50_000
  private let load: SQLStatement
  private var cached: [Int64: DeviceKeys] = [:]

  package init(_ connection: SQLConnection) throws {
    load = try connection.prepare("SELECT facts FROM device WHERE id = ?")
  }

  /// Returns the keys of a stored device.
  package func keys(id: Int64) throws -> DeviceKeys {
    if let keys = cached[id] { return keys }
    guard var keys = try load.bind(id).first({ try WriterDevices.keys($0.bytes(0)) }) else {
      throw WarehouseError(.damaged, "Device \(id) is missing. Restore the data directory from a backup.")
    }
    keys.id = id
    if cached.count >= Self.limit { cached.removeAll() }
    cached[id] = keys
    return keys
  }
}
