package import ClickHouse
import TernEvents
package import Warehouse

/// Brings every row at home to a ClickHouse cluster, once.
package final class ClusterShipping: Sendable {
  private static let retryTime: Duration = .seconds(10)
  /// The time between checks for shipped rows that have changed at home.
  private static let checkInterval: Duration = .seconds(60)
  /// The number of checks, an hour's, after which it looks for abandoned inserts that arrived later.
  private static let checksPerLook = 60

  package let manifest: ShippingManifest
  package let client: ClickHouseClient
  package let servers: [ClickHouseServer]
  let source: any RowSource
  /// Returns the rows that only the cluster has.
  let retired: @Sendable () throws -> [RetiredUnit]
  private let supply: UnitSupply
  private let problems: ShippingProblems
  let report: @Sendable (String) -> Void
  private let uptime: @Sendable () -> Duration
  let sleep: @Sendable (Duration) async throws -> Void

  /// - Parameters:
  ///   - source: The rows at home.
  ///   - retired: Returns the rows that only the cluster has.
  ///   - patience: The time that a few new rows wait for more of them.
  ///   - report: Receives the reasons why shipping waits, for a log.
  package init(
    _ client: ClickHouseClient, servers: [ClickHouseServer], manifest: ShippingManifest, source: any RowSource,
    retired: @escaping @Sendable () throws -> [RetiredUnit] = { [] },
    patience: Duration = UnitPlanner.standardPatience, report: @escaping @Sendable (String) -> Void,
    uptime: @escaping @Sendable () -> Duration = Clocks.systemUptime,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) throws {
    (self.client, self.servers, self.manifest, self.source) = (client, servers, manifest, source)
    (self.uptime, self.sleep, self.retired, self.report) = (uptime, sleep, retired, report)
    problems = ShippingProblems(report: report)
    supply = UnitSupply(source, manifest: manifest, retired: retired, patience: patience, uptime: uptime)
  }

  /// Ships until the task is cancelled, whatever fails.
  package func run() async {
    while !Task.isCancelled {
      do {
        try await ship()
        return
      } catch {
        if Task.isCancelled { return }
        problems.note("\(error)", of: "")
        try? await sleep(Self.retryTime)
      }
    }
  }

  /// Ships until all rows that are there now are confirmed, except those that can't be read.
  ///
  /// - Returns: The IDs of rows that the cluster lacks for that reason, ascending.
  @discardableResult
  package func backfill() async throws -> [ClosedRange<Int64>] {
    let shards = try await shards()
    try await checkForOtherManifest(shards)
    try await check()
    let last = try await source.stretches(after: 0).last?.ids.upperBound ?? 0
    try await withThrowingTaskGroup(of: Void.self) { group in
      for shard in shards {
        group.addTask { [self] in
          try await shipping(to: shard).run { [self] in await supply.last >= last }
        }
      }
      try await group.waitForAll()
    }
    return try await unsentRows(of: shards.map(\.name))
  }

  /// Returns the IDs of rows that some shards should have, but don't because the rows can't be read.
  func unsentRows(of shards: [String]) async throws -> [ClosedRange<Int64>] {
    let units = try shards.flatMap { try manifest.unconfirmed(shard: $0, limit: .max) }
    return (await supply.unreadableRows + units.map(\.ids)).sorted { $0.lowerBound < $1.lowerBound }
  }

  private func ship() async throws {
    let shards = try await shards()
    try await checkForOtherManifest(shards)
    problems.note(nil, of: "")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for shard in shards { group.addTask { [self] in try await shipping(to: shard).run() } }
      group.addTask { [self] in
        var checks = 0
        while true {
          do {
            let unreadable = try await check()
            checks += 1
            if checks % Self.checksPerLook == 0 { try await lookForLateRows(shards) }
            let unsent = await supply.unreadableRows.first.map(ShardShipping.problem)
            problems.note(unreadable.first?.problem ?? unsent, of: "")
          } catch {
            try Task.checkCancellation()
            problems.note("\(error)", of: "")
          }
          try await sleep(Self.checkInterval)
        }
      }
      try await group.waitForAll()
    }
  }

  private func shipping(to shard: ClusterShard) -> ShardShipping {
    ShardShipping(shard: shard, manifest: manifest, supply: supply, problems: problems, uptime: uptime, sleep: sleep)
  }

  /// Finds the shards, and makes sure that this manifest, the rows at home and the cluster belong together.
  func shards() async throws -> [ClusterShard] {
    let shards = try await foundShards()
    let remedy =
      "Stop the server, move shipping.sqlite away, and run `tern clickhouse setup --discard-older`: all rows are then sent again."
    let last = try await source.stretches(after: 0).last?.ids.upperBound ?? 0
    guard try manifest.lastID() <= last else {
      throw ClickHouseError(
        .invalid, "shipping.sqlite is newer than the rows of this data directory, which was restored. \(remedy)")
    }
    try await adoptRetired(shards)
    for shard in shards {
      let replicas = try await shard.knownReplicas()
      guard replicas <= shard.replicas.count else {
        throw ClickHouseError(
          .invalid,
          "Shard \(shard.name) has \(replicas) replicas, but the addresses name \(shard.replicas.count). Name all of them."
        )
      }
      if try await shard.abandonedRows(includesAll: false) > 0 {
        throw ClickHouseError(
          .invalid,
          """
          Shard \(shard.name) has rows that this server sent before its data directory was restored from a backup, or lost \
          shipping.sqlite. `tern clickhouse setup --discard-older` deletes them there; all rows are then sent again.
          """)
      }
    }
    return shards
  }

  /// Makes sure that no other manifest with the same epoch has sent rows: that of a copy of the data directory, or a later state
  /// of this one.
  func checkForOtherManifest(_ shards: [ClusterShard]) async throws {
    for shard in shards {
      let numbers = try await shard.oldestGenerations().keys.filter { $0.epoch == manifest.home.epoch }.map(\.number)
      guard let newest = numbers.max(), try newest > manifest.lastNumber() else { continue }
      throw ClickHouseError(
        .invalid,
        """
        Shard \(shard.name) has rows that shipping.sqlite doesn't know: a copy of this data directory was used, or it was set back. \
        Stop the server, move shipping.sqlite away, and run `tern clickhouse setup --discard-older`: all rows are then sent again.
        """)
    }
  }

  func foundShards() async throws -> [ClusterShard] {
    let topology = try await ClusterTopology.found(by: client, on: servers, manifest: manifest)
    let names = Set(topology.shards.map(\.name))
    if let name = try manifest.progress().keys.sorted().first(where: { !names.contains($0) }) {
      throw ClickHouseError(
        .invalid,
        """
        No address leads to shard \(name), which has rows of this server. Name its servers, too. If they are gone for good, \
        stop the server, move shipping.sqlite away, and run `tern clickhouse setup --discard-older`: all rows are then sent again.
        """)
    }
    let kept = try manifest.adoptedUnits().union(retired().map(\.id).filter { $0.epoch != manifest.home.epoch })
    return topology.shards.map { shard in
      ClusterShard(
        shard: shard, client: client, home: manifest.home, kept: kept, isReplicated: topology.isReplicated, sleep: sleep
      )
    }
  }

  // MARK: Rows that change

  /// A unit that can't be compared with home, so that the cluster's copy stays as it is.
  package struct UnreadableUnit: Sendable {
    package let unit: ShippingUnit
    package let rows: UnreadableRows

    fileprivate var problem: String {
      """
      \(rows) Unit \(unit.number) stays on the cluster as it is. Restore the data directory from a backup, or stop the server and run \
      `tern rebuild`, which removes these events.
      """
    }
  }

  /// Finds the units whose rows have changed at home since they were shipped, and has them sent again.
  ///
  /// - Returns: The units that may have changed, but can't be read.
  @discardableResult
  package func check() async throws -> [UnreadableUnit] {
    // The unit that is being made may have rows that have changed since they were read.
    await supply.finishPending()
    var unreadable: [UnreadableUnit] = []
    for stretch in try await source.stretches(after: 0) {
      for unit in try manifest.units(in: stretch.ids, outside: stretch.segment) {
        do {
          try await check(unit, in: stretch.segment)
        } catch let rows as UnreadableRows {
          unreadable.append(UnreadableUnit(unit: unit, rows: rows))
        }
      }
    }
    return unreadable
  }

  /// Reads the rows of a unit as they are now.
  func rows(of unit: ShippingUnit) async throws -> HashedRows { try await supply.rows(unit.ids) }

  private func check(_ unit: ShippingUnit, in segment: Int64) async throws {
    let content = try await supply.rows(unit.ids).content
    guard content != unit.content else { return try manifest.move(unit, to: segment) }
    try manifest.renew(unit.next(content, segment: segment))
  }

  /// Finds rows of older generations that have arrived after they were deleted, and has them deleted again.
  func lookForLateRows(_ shards: [ClusterShard]) async throws {
    for shard in shards {
      for (id, generation) in try await shard.oldestGenerations() {
        try manifest.markUnclean(id, olderThan: generation)
      }
    }
  }

  /// Waits until no replica has what was deleted at home before the call.
  ///
  /// - Returns: `nil` when that is so; after a time, the reason why some replica may still have it.
  package func settle(within patience: Duration) async throws -> String? {
    if let unreadable = try await check().first { return unreadable.problem }
    let last = try manifest.lastNumber()
    let end = uptime() + patience
    while try manifest.unsettled(through: last) > 0 {
      guard uptime() < end else {
        let reasons = problems.all.sorted { $0.key < $1.key }.map(\.value)
        return reasons.isEmpty ? "It is deleting rows." : reasons.joined(separator: " ")
      }
      try await sleep(.seconds(1))
    }
    // Rows that another manifest sent may be the person's, too.
    for shard in try await foundShards() where try await shard.abandonedRows(includesAll: true) > 0 {
      return
        "Run `tern clickhouse setup --discard-older`: shard \(shard.name) has rows from before this data directory was restored."
    }
    return nil
  }

  // MARK: State

  /// Counts the units whose rows may have changed at home since they were sent, and which were not compared since.
  package func changedUnits() async throws -> Int {
    try await source.stretches(after: 0).reduce(0) {
      $0 + (try manifest.units(in: $1.ids, outside: $1.segment).count)
    }
  }

  /// The state of each shard, and the rows at home that no unit has yet.
  package func status(lastRow: Int64) throws -> ClusterStatus {
    let problems = problems.all
    var status = ClusterStatus()
    status.home = manifest.home.id
    status.problem = problems[""]
    for (name, progress) in try manifest.progress().sorted(by: { $0.key < $1.key }) {
      var shard = ClusterStatus.Shard(name: name)
      shard.confirmedRows = progress.confirmedRows
      shard.waitingRows = progress.waitingRows
      (shard.olderUnits, shard.olderSince) = (progress.olderUnits, progress.olderSince)
      shard.problem = problems[name]
      status.shards.append(shard)
    }
    status.newRows = Int(max(0, lastRow - (try manifest.lastID())))
    return status
  }
}
