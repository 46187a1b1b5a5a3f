import Answering
import HTTP
import JSON
import Reports
import TernEvents
import Warehouse

/// `/api/v1/storage`: the disk usage, for owners.
struct StorageEndpoints: Sendable {
  let reading: StorageReading

  func add(to api: EndpointGroup) {
    api.group("", .administer).get(
      "/storage", "storage",
      "The disk usage, its growth, and when the disk will be full. The bytes of apps are estimates. For owners.",
      JSONAnswer("Storage", StorageReport.members), errors: [503]
    ) { try await reading.report($0.context) }
  }
}
