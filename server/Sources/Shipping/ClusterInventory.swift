package import ClickHouse
import ServerBase
import Warehouse

/// The rows of a home on a cluster, found without the home's manifest.
package struct ClusterInventory: Sendable {
  /// The rows of one manifest.
  package struct Epoch: Sendable, Hashable {
    package let home: ShippingManifest.Home
    package var rows: Int
    /// The times at which the first and the last of them were received, in milliseconds since 1970.
    package var received: ClosedRange<Int64>
  }

  /// The newest generation of a unit.
  package struct Unit: Sendable {
    package let shard: ClusterTopology.Shard
    /// The unit as each replica has it. The copies are usually equal.
    package fileprivate(set) var copies: [ShippingUnit]
    /// True if some replica has rows of older generations, too.
    package fileprivate(set) var hasOlder: Bool

    package var number: Int64 { copies.first?.number ?? 0 }
    package var epoch: UInt64 { copies.first?.epoch ?? 0 }
    package var rows: Int { copies.map(\.content.rows).max() ?? 0 }
    /// The range that all copies are in.
    var ids: ClosedRange<Int64> {
      let ids = copies.map(\.ids)
      return (ids.map(\.lowerBound).min() ?? 0)...(ids.map(\.upperBound).max() ?? 0)
    }
  }

  /// More than any home has had. Sums and successors of such numbers can't overflow, whatever a server says.
  private static let maximumNumber: UInt64 = 1 << 53

  private let client: ClickHouseClient
  private let shards: [ClusterTopology.Shard]

  package init(_ client: ClickHouseClient, _ topology: ClusterTopology) {
    (self.client, shards) = (client, topology.shards)
  }

  /// Returns the epochs of all homes, by home and then by their newest receipt.
  package func epochs() async throws(ClickHouseError) -> [Epoch] {
    var epochs: [ShippingManifest.Home: Epoch] = [:]
    for shard in shards {
      // Replicas have the same rows, unless one is behind.
      var found: [ShippingManifest.Home: Epoch] = [:]
      for server in shard.replicas {
        for block in try await client.rows(ClusterSchema.epochs, on: server) {
          let columns = try Self.numbers(block, ["home", "epoch", "rows", "first", "last"], server)
          for row in 0..<block.rows {
            let home = ShippingManifest.Home(id: columns[0][row], epoch: columns[1][row])
            let (first, last) = (Int64(bitPattern: columns[3][row]), Int64(bitPattern: columns[4][row]))
            let epoch = Epoch(
              home: home, rows: Int(min(columns[2][row], Self.maximumNumber)),
              received: TimeBounds.clamp(first)...TimeBounds.clamp(max(first, last)))
            if found[home].map({ $0.rows < epoch.rows }) ?? true { found[home] = epoch }
          }
        }
      }
      epochs.merge(found) { $0.joined(with: $1) }
    }
    return epochs.values.sorted {
      ($0.home.id, $0.received.upperBound, $0.home.epoch) < ($1.home.id, $1.received.upperBound, $1.home.epoch)
    }
  }

  /// Returns the numbers of the apps that rows of a home name.
  package func apps(of home: ShippingManifest.Home) async throws(ClickHouseError) -> [Int64] {
    var apps: Set<Int64> = []
    for server in shards.flatMap(\.replicas) {
      for block in try await client.rows(ClusterSchema.apps(of: home), on: server) {
        for app in try Self.numbers(block, ["app"], server)[0] { apps.insert(Int64(app)) }
      }
    }
    return apps.sorted()
  }

  /// Returns the units of a home, in the order of their rows: those of its newest epoch, and those of older epochs that had
  /// left home before. An older epoch has no other rows left when a newer one has any.
  ///
  /// - Parameter older: The older epochs, the newest of them first.
  /// - Returns: The units, and the older epochs with rows that don't belong to them, because the newest one has others with their IDs
  ///   or ends before, with the numbers of these rows.
  package func units(
    of newest: ShippingManifest.Home, older: [ShippingManifest.Home]
  ) async throws(ClickHouseError) -> (units: [Unit], others: [ShippingManifest.Home: Int]) {
    var (units, others): ([Unit], [ShippingManifest.Home: Int]) = (try await self.units(of: newest), [:])
    let last = units.last?.ids.upperBound ?? 0
    for home in older {
      var between: [Unit] = []
      for unit in try await self.units(of: home) {
        if unit.ids.upperBound < last, !Self.overlap(units, unit.ids) {
          between.append(unit)
        } else {
          others[home, default: 0] += unit.rows
        }
      }
      units = (units + between).sorted { $0.ids.lowerBound < $1.ids.lowerBound }
    }
    return (units, others)
  }

  /// True if one of some units, which are in order, has an ID of a range.
  private static func overlap(_ units: [Unit], _ ids: ClosedRange<Int64>) -> Bool {
    var (low, high) = (0, units.count)
    while low < high {
      let middle = (low + high) / 2
      if units[middle].ids.upperBound < ids.lowerBound { low = middle + 1 } else { high = middle }
    }
    return low < units.count && units[low].ids.overlaps(ids)
  }

  /// Returns the units of an epoch of a home, in the order of their rows.
  ///
  /// An insert is stored as a whole, so the newest generation of a unit is complete wherever it is.
  ///
  /// - Throws: `ClickHouseError` with code `damaged` if two units have the same rows.
  package func units(of home: ShippingManifest.Home) async throws(ClickHouseError) -> [Unit] {
    var units: [Int64: Unit] = [:]
    for shard in shards {
      for server in shard.replicas {
        for copy in try await Self.copies(of: home, on: server, client) { try Self.add(copy, of: shard, to: &units) }
      }
    }
    let sorted = units.values.sorted { ($0.ids.lowerBound, $0.number) < ($1.ids.lowerBound, $1.number) }
    for (unit, next) in zip(sorted, sorted.dropFirst()) where unit.ids.upperBound >= next.ids.lowerBound {
      throw ClickHouseError(
        .damaged,
        """
        Units \(unit.number) and \(next.number) have the same rows: \(Self.text(unit.ids)) and \(Self.text(next.ids)). \
        Find out which of them is a leftover, delete it with ALTER TABLE \(ClusterSchema.rowTable) DELETE WHERE \
        home = \(home.id) AND epoch = \(home.epoch) AND unit = NUMBER, and try again.
        """)
    }
    return sorted
  }

  /// Returns what a server has of each generation of the units of an epoch, or of one of them.
  static func copies(
    of home: ShippingManifest.Home, unit: ShippingUnit? = nil, on server: ClickHouseServer, _ client: ClickHouseClient,
    timeout: Duration? = nil
  ) async throws(ClickHouseError) -> [ShippingUnit] {
    let query = unit.map { ClusterSchema.copies(of: $0, of: home) } ?? ClusterSchema.copies(of: home)
    var copies: [ShippingUnit] = []
    for block in try await client.rows(query, on: server, maximumBytes: 256 << 20, timeout: timeout) {
      let columns = try numbers(block, ["unit", "generation", "rows", "checksum", "first", "last"], server)
      for row in 0..<block.rows {
        let (first, last) = (Int64(bitPattern: columns[4][row]), Int64(bitPattern: columns[5][row]))
        guard first > 0, last >= first, last <= maximumNumber, (1...maximumNumber).contains(columns[0][row])
        else { throw damage(server) }
        copies.append(
          ShippingUnit(
            epoch: home.epoch, number: Int64(bitPattern: columns[0][row]), generation: Int(clamping: columns[1][row]),
            segment: 0, ids: first...last,
            content: UnitContent(rows: Int(clamping: columns[2][row]), checksum: columns[3][row])))
      }
    }
    return copies
  }

  private static func add(
    _ copy: ShippingUnit, of shard: ClusterTopology.Shard, to units: inout [Int64: Unit]
  ) throws(ClickHouseError) {
    guard var unit = units[copy.number], let known = unit.copies.first else {
      units[copy.number] = Unit(shard: shard, copies: [copy], hasOlder: false)
      return
    }
    guard unit.shard == shard else {
      throw ClickHouseError(
        .damaged,
        """
        Unit \(copy.number) is on shards \(unit.shard.name) and \(shard.name). Delete its rows from the one that is not meant \
        to have it, and try again.
        """)
    }
    if copy.generation > known.generation {
      unit.copies = [copy]
      unit.hasOlder = true
    } else if copy.generation < known.generation {
      unit.hasOlder = true
    } else if !unit.copies.contains(copy) {
      unit.copies.append(copy)
    }
    units[copy.number] = unit
  }

  private static func numbers(
    _ block: NativeBlock, _ names: [String], _ server: ClickHouseServer
  ) throws(ClickHouseError) -> [[UInt64]] {
    var columns: [[UInt64]] = []
    for name in names {
      guard let numbers = block[name]?.numbers, numbers.count == block.rows else { throw damage(server) }
      columns.append(numbers)
    }
    return columns
  }

  private static func damage(_ server: ClickHouseServer) -> ClickHouseError {
    ClickHouseError(.damaged, "\(server) answered a query for units with something else.")
  }

  private static func text(_ ids: ClosedRange<Int64>) -> String { "\(ids.lowerBound)–\(ids.upperBound)" }
}

extension ClusterInventory.Epoch {
  fileprivate func joined(with other: Self) -> Self {
    let first = min(received.lowerBound, other.received.lowerBound)
    return Self(
      home: home, rows: rows + other.rows, received: first...max(received.upperBound, other.received.upperBound))
  }
}

extension ClusterSchema {
  /// The query for the homes whose rows a server has, and their epochs.
  static let epochs = """
    SELECT home, epoch, count() AS rows, min(received_milliseconds) AS first, max(received_milliseconds) AS last \
    FROM \(rowTable) GROUP BY home, epoch
    """

  static func apps(of home: ShippingManifest.Home) -> String {
    "SELECT app FROM \(rowTable) WHERE home = \(home.id) AND epoch = \(home.epoch) GROUP BY app"
  }
}
