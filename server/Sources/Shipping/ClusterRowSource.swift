package import ClickHouse
import Dispatch
import TernBase
package import Warehouse

/// Fetches rows that have left home from the cluster.
package final class ClusterRowSource: RetiredRowSource {
  /// The time for one unit of up to 131,072 rows, to find its shard and to ask all replicas of it.
  private static let patience: Duration = .seconds(20)
  /// The time after which a shard that was silent is asked again.
  private static let pause: Duration = .seconds(2)

  private let client: ClickHouseClient
  private let servers: [ClickHouseServer]
  private let manifest: @Sendable () throws -> ShippingManifest?
  private let uptime: @Sendable () -> Duration
  private let shards = Locked<[ClusterTopology.Shard]>([])
  /// The last time that no replica of a shard answered: the failure, and the time until which it counts, by shard.
  private let silent = Locked<[String: (error: ClickHouseError, until: Duration)]>([:])

  /// - Parameters:
  ///   - manifest: Returns the record of what was sent; `nil` if there is none, as after a restored backup.
  ///   - uptime: The time since any moment.
  package init(
    _ client: ClickHouseClient, servers: [ClickHouseServer],
    uptime: @escaping @Sendable () -> Duration = Clocks.systemUptime,
    manifest: @escaping @Sendable () throws -> ShippingManifest?
  ) {
    (self.client, self.servers, self.uptime, self.manifest) = (client, servers, uptime, manifest)
  }

  package func copies(of ids: ClosedRange<Int64>, segment: Int64) throws -> RowCopies {
    do {
      return try manifest()?.copies(of: ids, segment: segment) ?? .none
    } catch {
      throw WarehouseError(
        .rowsAway,
        "Events \(ids.lowerBound) to \(ids.upperBound) can't be read here, nor what the ClickHouse cluster has of them.",
        cause: error)
    }
  }

  package func forEachRow(of unit: RetiredUnit, _ add: (StoredRow) throws -> Void) throws -> RetiredUnit {
    // Reads that queued behind a failed one fail at once instead of waiting as long again.
    if let silent = silent.withLock({ $0[unit.shard] }), uptime() < silent.until {
      throw Self.away(unit, silent.error)
    }
    let (found, rows): (ShippingUnit, ClusterRows.Unit)
    do {
      (found, rows) = try waiting { [self] in try await fetch(unit) }
    } catch {
      if let error = error as? ClickHouseError, error.code == .unreachable {
        silent.withLock { $0[unit.shard] = (error, uptime() + Self.pause) }
      }
      throw Self.away(unit, error)
    }
    do {
      try rows.forEach(add)
    } catch let error as ClickHouseError {
      throw Self.away(unit, error)
    }
    return found.retired(from: ShippingManifest.Home(id: unit.home, epoch: unit.epoch), shard: unit.shard)
  }

  private static func away(_ unit: RetiredUnit, _ error: any Error) -> WarehouseError {
    WarehouseError(
      .rowsAway, "Events \(unit.ids.lowerBound) to \(unit.ids.upperBound) are only on the ClickHouse cluster.",
      cause: error)
  }

  private func fetch(_ unit: RetiredUnit) async throws -> (ShippingUnit, ClusterRows.Unit) {
    let end = uptime() + Self.patience
    let manifest = try? manifest()
    let shard = try await shard(unit.shard, manifest)
    let home = ShippingManifest.Home(id: unit.home, epoch: unit.epoch)
    let rows = ClusterRows(client, shard, home: home, uptime: uptime)
    let noted = ShippingUnit(unit)
    let current = try manifest.flatMap { try $0.home.id == home.id ? $0.unit(unit.id) : nil }
    // A repair, a new time zone or deletions have changed the rows since they left.
    if let current, current.ids == unit.ids, current.generation > unit.generation || current.content == .empty,
      let found = try? await rows.rows(of: current, within: Self.patience / 2)
    {
      return (current, found)
    }
    do throws(ClickHouseError) {
      return (noted, try await rows.rows(of: noted, within: end - uptime()))
    } catch {
      // Without a manifest that knows the unit: a restored backup. The rows may have been sent again after it was made.
      guard error.code == .damaged, current == nil,
        let newest = try await rows.newest(of: noted, within: end - uptime()),
        newest.generation > noted.generation
      else { throw error }
      return (newest, try await rows.rows(of: newest, within: end - uptime()))
    }
  }

  private func shard(_ name: String, _ manifest: ShippingManifest?) async throws -> ClusterTopology.Shard {
    if let known = shards.withLock({ $0.first { $0.name == name } }) { return known }
    let found = try await ClusterTopology.found(
      by: client.limited(to: Self.patience / (servers.count + 1)), on: servers, manifest: manifest)
    shards.withLock { $0 = found.shards }
    guard let shard = found.shards.first(where: { $0.name == name }) else {
      throw ClickHouseError(.invalid, "No address leads to shard \(name), which has rows of this server.")
    }
    return shard
  }

  /// Waits for work on Swift's threads, on a thread that may be blocked.
  private func waiting<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
    let (result, done) = (Locked<Result<Value, any Error>?>(nil), DispatchSemaphore(value: 0))
    Task {
      let value: Result<Value, any Error>
      do { value = .success(try await body()) } catch { value = .failure(error) }
      result.withLock { $0 = value }
      done.signal()
    }
    done.wait()
    guard let value = result.withLock({ $0 }) else { throw CancellationError() }
    return try value.get()
  }
}
