package import AppCatalog
package import ClickHouse
import Foundation
import Logging
import ServiceLifecycle
package import Shipping
import Warehouse
import WarehouseSQLite

/// A cluster, and a client with the credentials for it.
package struct ClusterConnection {
  package let servers: [ClickHouseServer]
  package let database: String
  package let client: ClickHouseClient
  package let hasAttachments: Bool

  package init(servers: [ClickHouseServer], database: String, client: ClickHouseClient, hasAttachments: Bool) {
    (self.servers, self.database, self.client) = (servers, database, client)
    self.hasAttachments = hasAttachments
  }

  /// Has rows of a data directory that have left home fetched from the cluster.
  ///
  /// - Parameter manifest: The open manifest; without it, the one of the directory is opened when rows are fetched.
  package func connectRetiredRows(of directory: String, _ catalog: Catalog, manifest: ShippingManifest? = nil) throws {
    let homeID = try Self.homeID(catalog)
    let source = ClusterRowSource(client, servers: servers) {
      if let manifest { return manifest }
      guard Self.hasManifest(directory: directory) else { return nil }
      return try ShippingManifest(path: Self.manifestPath(directory), homeID: homeID)
    }
    RetiredRowCache.connect(directory, to: source)
  }

  /// Opens the manifest of a data directory, and makes it if there is none.
  static func manifest(directory: String, _ catalog: Catalog) throws -> ShippingManifest {
    try ShippingManifest(path: manifestPath(directory), homeID: try homeID(catalog))
  }

  /// The setting of the catalog with the number of a home that was restored without its catalog.
  package static let homeSetting = "cluster_home"

  /// Returns the number of the home on a cluster. A restored backup has the same one, and no other home has it.
  package static func homeID(_ catalog: Catalog) throws -> UInt64 {
    if let number = try catalog.setting(homeSetting).flatMap({ UInt64($0) }) { return number }
    return UInt64(try JobRunner.serverName(catalog), radix: 16) ?? 0
  }

  package static func manifestPath(_ directory: String) -> String { directory + "/shipping.sqlite" }

  /// True if the rows of a data directory are, or were, copied to a cluster.
  package static func hasManifest(directory: String) -> Bool {
    FileManager.default.fileExists(atPath: manifestPath(directory))
  }
}
