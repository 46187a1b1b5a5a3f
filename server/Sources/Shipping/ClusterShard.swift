import ClickHouse

/// The statements of one home to the replicas of one shard.
struct ClusterShard: Sendable {
  let shard: ClusterTopology.Shard
  let client: ClickHouseClient
  let home: ShippingManifest.Home
  /// The units of other epochs that the home still needs.
  var kept: Set<ShippingUnit.ID> = []
  let isReplicated: Bool
  let sleep: @Sendable (Duration) async throws -> Void

  var name: String { shard.name }
  var replicas: [ClickHouseServer] { shard.replicas }

  func insert(_ body: [UInt8], at replica: Int) async throws(ClickHouseError) {
    try await client.insert(body, into: ClusterSchema.rowTable, on: replicas[replica])
  }

  /// Returns what a replica has of a unit, once it has all that the others have.
  func content(of unit: ShippingUnit, at replica: Int) async throws(ClickHouseError) -> UnitContent {
    try await catchUp(replicas[replica])
    let query = ClusterSchema.content(of: unit, of: home)
    let block = try await client.rows(query, on: replicas[replica]).first
    guard let rows = block?["rows"]?.numbers.first.flatMap({ Int(exactly: $0) }),
      let checksum = block?["checksum"]?.numbers.first
    else { throw Self.noAnswer(replicas[replica]) }
    return UnitContent(rows: rows, checksum: checksum)
  }

  /// Returns the units for which a replica has rows of older generations.
  func unclean(_ units: [ShippingUnit]) async throws(ClickHouseError) -> Set<ShippingUnit.ID> {
    var unclean: Set<ShippingUnit.ID> = []
    for server in replicas {
      try await catchUp(server)
      for block in try await client.rows(ClusterSchema.older(units, of: home), on: server) {
        unclean.formUnion(ShippingUnit.ID.ids(in: block))
      }
    }
    return unclean
  }

  /// Starts deleting the rows of older generations of some units; ClickHouse goes on after it has answered.
  func clear(_ units: [ShippingUnit]) async throws(ClickHouseError) {
    try await onAnyReplica { server throws(ClickHouseError) in
      try await client.execute(ClusterSchema.clearing(units, of: home), on: server)
    }
  }

  /// Returns the number of rows of other epochs of this home, on the replica that has most of them.
  ///
  /// - Parameter includesAll: True if every replica has to answer; otherwise one is enough.
  func abandonedRows(includesAll: Bool) async throws(ClickHouseError) -> Int {
    var rows = 0
    try await onReplicas(includesAll: includesAll) { server throws(ClickHouseError) in
      let block = try await client.rows(ClusterSchema.abandoned(of: home, except: kept), on: server).first
      guard let count = block?["rows"]?.numbers.first.flatMap({ Int(exactly: $0) }) else {
        throw Self.noAnswer(server)
      }
      rows = max(rows, count)
    }
    return rows
  }

  func deleteAbandonedRows() async throws(ClickHouseError) {
    try await onAnyReplica { server throws(ClickHouseError) in
      try await client.execute(ClusterSchema.deletingAbandoned(of: home, except: kept), on: server)
    }
  }

  /// Starts deleting rows in a unit's range of IDs that belong to other units, or to later generations.
  func deleteUnknown(in unit: ShippingUnit) async throws(ClickHouseError) {
    try await onAnyReplica { server throws(ClickHouseError) in
      try await client.execute(ClusterSchema.deletingUnknown(in: unit, of: home), on: server)
    }
  }

  /// Starts deleting the rows of some units.
  func delete(units: [Int64]) async throws(ClickHouseError) {
    try await onAnyReplica { server throws(ClickHouseError) in
      try await client.execute(ClusterSchema.deleting(units: units, of: home), on: server)
    }
  }

  func deleteRows(outside unit: ShippingUnit) async throws(ClickHouseError) {
    try await onAnyReplica { server throws(ClickHouseError) in
      try await client.execute(ClusterSchema.deletingOutside(unit, of: home), on: server)
    }
  }

  /// Returns the oldest generation of each unit of any epoch that has rows on a replica. Replicas that don't answer are left out.
  func oldestGenerations() async throws(ClickHouseError) -> [ShippingUnit.ID: Int] {
    var oldest: [ShippingUnit.ID: Int] = [:]
    try await onReplicas(includesAll: false) { server throws(ClickHouseError) in
      for block in try await client.rows(ClusterSchema.generations(of: home), on: server) {
        for (id, generation) in zip(ShippingUnit.ID.ids(in: block), block["oldest"]?.numbers ?? []) {
          oldest[id] = min(oldest[id] ?? .max, Int(clamping: generation))
        }
      }
    }
    return oldest
  }

  /// Returns the number of replicas of the shard that ClickHouse knows, on the first one that answers; 0 without replication.
  func knownReplicas() async throws(ClickHouseError) -> Int {
    guard isReplicated else { return 0 }
    var count = 0
    try await onAnyReplica { server throws(ClickHouseError) in
      let block = try await client.rows(ClusterSchema.replicas, on: server).first
      count = Int(clamping: block?["replicas"]?.numbers.first ?? 0)
    }
    return count
  }

  /// Waits until a replica has all rows that others of its shard have.
  ///
  /// `SYSTEM SYNC REPLICA` would also wait for merges, which a server may put off for as long as it likes.
  func catchUp(_ server: ClickHouseServer) async throws(ClickHouseError) {
    guard isReplicated else { return }
    for _ in 0..<Self.polls {
      let replica = try await client.rows(ClusterSchema.missingRows, on: server).first
      if replica?["missing"]?.numbers == [0] { return }
      do { try await sleep(Self.pollInterval) } catch { throw ClickHouseError(.cancelled, "\(error)") }
    }
    throw ClickHouseError(.unreachable, "\(server) has yet to copy rows from the other replicas of its shard.")
  }

  private static func noAnswer(_ server: ClickHouseServer) -> ClickHouseError {
    ClickHouseError(.damaged, "\(server) answered a query for a number with none.")
  }

  private static let (polls, pollInterval): (Int, Duration) = (100, .milliseconds(200))

  /// Does something on every replica that answers.
  ///
  /// - Parameter includesAll: True if every replica has to answer; otherwise one is enough.
  /// - Returns: True if every replica has answered.
  @discardableResult
  func onReplicas(
    includesAll: Bool, _ body: (ClickHouseServer) async throws(ClickHouseError) -> Void
  ) async throws(ClickHouseError) -> Bool {
    var (answers, failure) = (0, ClickHouseError?.none)
    for server in replicas {
      do throws(ClickHouseError) {
        try await body(server)
        answers += 1
      } catch {
        failure = error
      }
    }
    if let failure, includesAll || answers == 0 { throw failure }
    return failure == nil
  }

  /// Does something on the first replica that answers.
  private func onAnyReplica(
    _ body: (ClickHouseServer) async throws(ClickHouseError) -> Void
  ) async throws(ClickHouseError) {
    var failure: ClickHouseError?
    for server in replicas {
      do throws(ClickHouseError) {
        return try await body(server)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
  }
}

extension ShippingUnit.ID {
  /// The units that the rows of a block name in the columns `epoch` and `unit`.
  static func ids(in block: NativeBlock) -> [Self] {
    zip(block["epoch"]?.numbers ?? [], block["unit"]?.numbers ?? []).map {
      Self(epoch: $0, number: Int64(bitPattern: $1))
    }
  }
}
