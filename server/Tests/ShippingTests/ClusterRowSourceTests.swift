import ClickHouse
import Foundation
import TernBase
import Testing
import Warehouse

@testable import Shipping

@Suite struct ClusterRowSourceTests {
  /// Runs what blocks its thread on a thread of its own: Swift has as many as processors, and another test may block one.
  private func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { waiter in
      Thread.detachNewThread { waiter.resume(with: Result(catching: body)) }
    }
  }

  @Test func `a shard that was silent is asked again after a pause`() async throws {
    let client = ClickHouseClient(try ClickHouseCredentials(user: "tern", password: ""), database: "tern")
    let (uptime, count) = (Locked(Duration.zero), Locked(0))
    // Nothing listens there.
    let source = ClusterRowSource(
      client, servers: [try ClickHouseServer("http://127.0.0.1:1")], uptime: { uptime.withLock { $0 } }
    ) {
      count.withLock { $0 += 1 }
      return nil
    }
    func tries(at time: Duration, shard: String = "one") async -> Int {
      uptime.withLock { $0 = time }
      let unit = RetiredUnit(
        home: 1, epoch: 2, shard: shard, number: 3, generation: 0, ids: 1...9, rows: 9, checksum: 4)
      let error = await #expect(throws: WarehouseError.self) {
        try await onThread { try source.forEachRow(of: unit) { _ in } }
      }
      #expect(error?.code == .rowsAway && error?.cause is ClickHouseError)
      return count.withLock { $0 }
    }
    #expect(await tries(at: .zero) == 1)
    #expect(await tries(at: .milliseconds(1_999)) == 1)
    #expect(await tries(at: .milliseconds(1_999), shard: "two") == 2)
    #expect(await tries(at: .milliseconds(1_999)) == 2)
    #expect(await tries(at: .seconds(2)) == 3)
    #expect(await tries(at: .seconds(4)) == 4)
  }
}
