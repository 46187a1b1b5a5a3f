import ClickHouse
import TernBase
import TernEvents
import Warehouse

/// Brings units to one shard, one after the other, and deletes what is left of older generations.
struct ShardShipping: Sendable {
  let shard: ClusterShard
  let manifest: ShippingManifest
  let supply: UnitSupply
  let problems: ShippingProblems
  let uptime: @Sendable () -> Duration
  let sleep: @Sendable (Duration) async throws -> Void

  /// The time between searches for new rows when there are too few.
  private static let pollInterval: Duration = .seconds(1)
  /// The time until the next attempt after home could not read its rows, or a replica did not answer.
  private static let retryTime: Duration = .seconds(5)

  /// Ships until the task is cancelled.
  ///
  /// - Parameter isDone: Called when there is nothing to do; returns true to end.
  func run(until isDone: @Sendable () async throws -> Bool = { false }) async throws {
    var (sweep, replica) = (ShardSweep(shard, manifest: manifest), 0)
    var unreadable: [ShippingUnit: Duration] = [:]
    var swept = uptime() - Self.retryTime
    while true {
      try Task.checkCancellation()
      do {
        let hasMore = try await bringNext(&replica, &unreadable)
        if uptime() - swept >= (hasMore ? Self.retryTime : Self.pollInterval) {
          swept = uptime()
          // A replica that is away keeps deletions waiting, but not new rows.
          let waiting = unreadable.keys.min { $0.number < $1.number }.map { Self.problem($0.ids) }
          let isClean = await isClean(&sweep, now: swept, waiting)
          if !hasMore, isClean, try await isDone() { return }
        }
        if !hasMore { try await sleep(Self.pollInterval) }
      } catch {
        try Task.checkCancellation()
        problems.note("\(error)", of: shard.name)
        try await sleep(Self.retryTime)
      }
    }
  }

  /// Returns the reason why rows wait.
  static func problem(_ ids: ClosedRange<Int64>) -> String {
    "Events \(ids.lowerBound) to \(ids.upperBound) can't all be read at home, so they are not sent."
  }

  /// Deletes what is left of older generations; returns true if nothing is.
  ///
  /// - Parameter problem: The reason why rows wait although the shard answers.
  private func isClean(_ sweep: inout ShardSweep, now: Duration, _ problem: String?) async -> Bool {
    do {
      let isClean = try await sweep.run(now: now)
      problems.note(problem ?? sweep.problem(now: now), of: shard.name)
      return isClean
    } catch {
      if !Task.isCancelled { problems.note("\(error)", of: shard.name) }
      return false
    }
  }

  /// Brings the next unit; returns false if there is none.
  ///
  /// - Parameters:
  ///   - replica: The replica that answered last, by its place in the list.
  ///   - unreadable: The units with rows that can't be read at home, with the time of the last attempt. The others don't wait for them.
  private func bringNext(_ replica: inout Int, _ unreadable: inout [ShippingUnit: Duration]) async throws -> Bool {
    let now = uptime()
    let waiting = try manifest.unconfirmed(shard: shard.name, limit: unreadable.count + 1)
    unreadable = unreadable.filter { waiting.contains($0.key) }
    if let unit = waiting.first(where: { unreadable[$0].map { now - $0 >= UnitSupply.unreadableRetryTime } ?? true }) {
      do {
        if let next = try await read(unit) { try await bring(next, &replica) }
        unreadable[unit] = nil
      } catch is UnreadableRows {
        unreadable[unit] = now
        // The shard may have it already. What it has instead is better than a part.
        if try await shard.content(of: unit, at: replica) == unit.content { try manifest.confirm(unit) }
      }
      return true
    }
    guard let (unit, rows) = try await supply.next(for: shard.name) else { return false }
    try await bring((unit, rows), &replica)
    return true
  }

  /// Reads the rows of a unit of the manifest. If they have changed, the unit gets another generation.
  ///
  /// - Returns: `nil` if the manifest has another generation by now.
  private func read(_ unit: ShippingUnit) async throws -> (ShippingUnit, HashedRows)? {
    let rows = try await supply.rows(unit.ids)
    guard rows.content != unit.content else { return (unit, rows) }
    let next = unit.next(rows.content)
    return try manifest.renew(next) ? (next, rows) : nil
  }

  private func bring(_ next: (unit: ShippingUnit, rows: HashedRows), _ replica: inout Int) async throws {
    var machine = ShardMachine(
      replicas: shard.replicas.count, first: replica, seed: .random(in: 0...UInt64.max))
    defer { replica = machine.replica }
    var actions = machine.handle(.add([next.unit]), now: uptime())[...]
    var body: (generation: Int, bytes: [UInt8])?
    while let action = actions.popFirst() {
      switch action {
      case .insert(let unit, let replica):
        // The rows may have changed at home while the shard was away: the old ones must not be sent.
        guard try manifest.unit(unit.id)?.generation == unit.generation else { return }
        if body?.generation != unit.generation {
          guard let bytes = ClickHouseClient.packed(next.rows.block(unit, of: shard.home)) else {
            throw WarehouseError(.unavailable, "There is no memory for a unit of rows.")
          }
          body = (unit.generation, bytes)
        }
        let bytes = body?.bytes ?? []
        actions += machine.handle(
          .outcome(
            await outcome { () async throws(ClickHouseError) in
              try await shard.insert(bytes, at: replica)
              return .inserted
            }), now: uptime())
      case .look(let unit, let replica):
        actions += machine.handle(
          .outcome(
            await outcome { () async throws(ClickHouseError) in
              .found(try await shard.content(of: unit, at: replica))
            }), now: uptime())
      case .renew(let unit):
        guard try manifest.renew(unit) else { return }
      case .wake(let end):
        problems.note(machine.problem?.message, of: shard.name)
        try await sleep(end - uptime())
        actions += machine.handle(.tick, now: uptime())
      case .confirm(let unit): try manifest.confirm(unit)
      }
      try Task.checkCancellation()
    }
  }

  private func outcome(
    _ body: () async throws(ClickHouseError) -> ShardMachine.Outcome
  ) async -> ShardMachine.Outcome {
    do throws(ClickHouseError) { return try await body() } catch { return .failed(error) }
  }
}

/// The reasons why shards are behind, by the name of the shard; the empty name is for the cluster as a whole.
package final class ShippingProblems: Sendable {
  private let texts = Locked<[String: String]>([:])
  private let report: @Sendable (String) -> Void

  /// - Parameter report: Receives each reason once, and that it is over.
  init(report: @escaping @Sendable (String) -> Void) { self.report = report }

  package var all: [String: String] { texts.withLock { $0 } }

  func note(_ text: String?, of shard: String) {
    let before = texts.withLock { texts in
      defer { texts[shard] = text }
      return texts[shard]
    }
    guard before != text else { return }
    let name = shard.isEmpty ? "the cluster" : "shard \(shard)"
    report(text.map { "Shipping to \(name) waits: \($0)" } ?? "Shipping to \(name) goes on.")
  }
}
