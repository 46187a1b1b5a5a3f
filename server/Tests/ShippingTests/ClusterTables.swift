@testable import Shipping

/// Makes the tables of each cluster once for all tests: setting it up again makes the views anew, under the eyes of other tests.
actor ClusterTables {
  static let shared = ClusterTables()
  private var made: [Bool: Task<Void, any Error>] = [:]

  func make(by shipping: ClusterShipping, isReplicated: Bool) async throws {
    let making = made[isReplicated] ?? Task { try await shipping.setUp(cluster: isReplicated ? "tern" : nil) }
    made[isReplicated] = making
    try await making.value
  }
}
