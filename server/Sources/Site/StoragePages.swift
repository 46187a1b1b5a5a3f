import Answering
import HTTP
import Hummingbird
import Portal
import Warehouse

/// `/storage`: the disk usage, for owners.
struct StoragePages: Sendable {
  let site: Site
  let reading: StorageReading

  func add(to routes: RouteTable) {
    routes.on(
      "/storage",
      [
        .get: .page(.permission(.administer)) {
          .html(try StoragePage(site.visit($0, $1), try await reading.report($1)).html())
        }
      ])
  }
}
