package import AppCatalog
import ServiceLifecycle
package import Shipping
package import Warehouse
package import WarehouseSQLite
import WarehouseUpkeep

/// The copying of a server's rows to its cluster, opened and closed together.
package struct ClusterCopy: Sendable {
  package let shipping: ClusterShipping
  private let rows: ShippedRows
  private let reader: WarehouseReader
  private let directory: String

  package init(
    _ connection: ClusterConnection, directory: String, catalog: Catalog, reader: WarehouseReader,
    patience: Duration? = nil, report: @escaping @Sendable (String) -> Void
  ) throws {
    rows = ShippedRows(reader, hasAttachments: connection.hasAttachments)
    (self.reader, self.directory) = (reader, directory)
    let manifest = try ClusterConnection.manifest(directory: directory, catalog)
    shipping = try ClusterShipping(
      connection.client, servers: connection.servers, manifest: manifest, source: rows,
      retired: { try reader.retiredUnits() }, patience: patience ?? UnitPlanner.standardPatience, report: report)
    try connection.connectRetiredRows(of: directory, catalog, manifest: manifest)
  }

  /// The progress of the copy; `nil` if the files can't be read.
  package func status() -> ClusterStatus? {
    guard var status = try? shipping.status(lastRow: rows.lastID()) else { return nil }
    status.retiredRows = (try? reader.retiredRows()) ?? 0
    return status
  }

  package func close() {
    RetiredRowCache.connect(directory, to: nil)
    rows.close()
    try? shipping.manifest.close()
  }
}

/// Copies rows to the cluster while the server runs.
struct ShippingService: Service {
  let copy: ClusterCopy

  func run() async throws {
    await cancelWhenGracefulShutdown { await copy.shipping.run() }
  }
}
