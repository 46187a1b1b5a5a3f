extension ClusterSchema {
  /// The query for 0 once a replica has read the log of its shard, and has every part that others have inserted.
  ///
  /// An empty log has the same largest number, 0, as one with its first entry. If that one isn't read yet, ClickHouse itself
  /// knows the block that it stands for when it is sent again.
  static let missingRows = """
    SELECT sum(inserts_in_queue) + sum(log_max_index > 0 AND log_pointer <= log_max_index) + sum(is_readonly) AS missing FROM system.replicas \
    WHERE database = currentDatabase() AND table = '\(rowTable)'
    """

  static let replicas = """
    SELECT toUInt64(max(total_replicas)) AS replicas FROM system.replicas \
    WHERE database = currentDatabase() AND table = '\(rowTable)'
    """

  /// The query for what a shard has of a unit: the number of its rows and the sum of their hashes, which wraps.
  package static func content(of unit: ShippingUnit, of home: ShippingManifest.Home) -> String {
    "SELECT count() AS rows, sum(hash) AS checksum FROM \(rowTable) WHERE \(rows(of: unit, of: home)) AND generation = \(unit.generation)"
  }

  /// The query for the given units that have rows of older generations.
  static func older(_ units: [ShippingUnit], of home: ShippingManifest.Home) -> String {
    "SELECT epoch, unit FROM \(rowTable) WHERE \(olderRows(units, of: home)) GROUP BY epoch, unit"
  }

  /// The statement that deletes what is left of older generations of some units.
  static func clearing(_ units: [ShippingUnit], of home: ShippingManifest.Home) -> String {
    "ALTER TABLE \(rowTable) DELETE WHERE \(olderRows(units, of: home))"
  }

  private static func olderRows(_ units: [ShippingUnit], of home: ShippingManifest.Home) -> String {
    let older = units.map {
      "(id BETWEEN \($0.ids.lowerBound) AND \($0.ids.upperBound) AND epoch = \($0.epoch) AND unit = \($0.number) AND generation < \($0.generation))"
    }.joined(separator: " OR ")
    return "home = \(home.id) AND (\(older))"
  }

  /// The query for all rows of an epoch that a replica has in a unit's range of IDs, whichever unit they name.
  static func rows(inRangeOf unit: ShippingUnit, of home: ShippingManifest.Home) -> String {
    """
    SELECT \(columns.map(\.name).joined(separator: ", ")) FROM \(rowTable) \
    WHERE home = \(home.id) AND epoch = \(unit.epoch) AND id BETWEEN \(unit.ids.lowerBound) AND \(unit.ids.upperBound)
    """
  }

  /// The query for the rows of a unit, in the order of their IDs.
  static func rows(in unit: ShippingUnit, of home: ShippingManifest.Home) -> String {
    """
    SELECT \(columns.map(\.name).joined(separator: ", ")) FROM \(rowTable) \
    WHERE \(rows(of: unit, of: home)) AND generation = \(unit.generation) ORDER BY id
    """
  }

  /// The statement that deletes rows in a unit's range of IDs that belong to other units, or to later generations.
  static func deletingUnknown(in unit: ShippingUnit, of home: ShippingManifest.Home) -> String {
    """
    ALTER TABLE \(rowTable) DELETE WHERE home = \(home.id) AND epoch = \(unit.epoch) \
    AND id BETWEEN \(unit.ids.lowerBound) AND \(unit.ids.upperBound) \
    AND (unit != \(unit.number) OR generation > \(unit.generation))
    """
  }

  /// The statement that deletes rows that name a unit, but aren't in its range of IDs.
  static func deletingOutside(_ unit: ShippingUnit, of home: ShippingManifest.Home) -> String {
    """
    ALTER TABLE \(rowTable) DELETE WHERE home = \(home.id) AND epoch = \(unit.epoch) AND unit = \(unit.number) \
    AND NOT (id BETWEEN \(unit.ids.lowerBound) AND \(unit.ids.upperBound))
    """
  }

  /// The query for the units of all epochs that have rows, and their oldest generations.
  static func generations(of home: ShippingManifest.Home) -> String {
    "SELECT epoch, unit, min(generation) AS oldest FROM \(rowTable) WHERE home = \(home.id) GROUP BY epoch, unit"
  }

  /// The query for the units of all epochs that have rows, with the IDs of their first and last rows.
  static func units(of home: ShippingManifest.Home) -> String {
    """
    SELECT epoch, unit, min(id) AS first, max(id) AS last FROM \(rowTable) WHERE home = \(home.id) \
    GROUP BY epoch, unit ORDER BY epoch, unit
    """
  }

  /// The query for what a server has of each generation of each unit of a home's epoch.
  static func copies(of home: ShippingManifest.Home) -> String {
    "\(copies) WHERE home = \(home.id) AND epoch = \(home.epoch) GROUP BY unit, generation"
  }

  /// The query for what a server has of each generation of a unit.
  static func copies(of unit: ShippingUnit, of home: ShippingManifest.Home) -> String {
    "\(copies) WHERE \(rows(of: unit, of: home)) GROUP BY unit, generation"
  }

  private static let copies = """
    SELECT unit, generation, count() AS rows, sum(hash) AS checksum, min(id) AS first, max(id) AS last FROM \(rowTable)
    """

  /// The statement that deletes the rows of some units of the home's epoch.
  static func deleting(units: [Int64], of home: ShippingManifest.Home) -> String {
    """
    ALTER TABLE \(rowTable) DELETE WHERE home = \(home.id) AND epoch = \(home.epoch) \
    AND unit IN (\(units.map(String.init).joined(separator: ", ")))
    """
  }

  /// The query for the number of rows that a home shipped before it was restored from a backup, or lost its manifest.
  ///
  /// - Parameter kept: The units of other epochs that it still needs.
  static func abandoned(of home: ShippingManifest.Home, except kept: Set<ShippingUnit.ID>) -> String {
    "SELECT count() AS rows FROM \(rowTable) WHERE \(otherEpochs(home, except: kept))"
  }

  static func deletingAbandoned(of home: ShippingManifest.Home, except kept: Set<ShippingUnit.ID>) -> String {
    "ALTER TABLE \(rowTable) DELETE WHERE \(otherEpochs(home, except: kept))"
  }

  private static func otherEpochs(_ home: ShippingManifest.Home, except kept: Set<ShippingUnit.ID>) -> String {
    let units = Dictionary(grouping: kept, by: \.epoch).sorted { $0.key < $1.key }.map { epoch, units in
      // As ranges, because ClickHouse limits the length of a query.
      let ranges = ranges(units.map(\.number)).map { "unit BETWEEN \($0.lowerBound) AND \($0.upperBound)" }
      return " AND NOT (epoch = \(epoch) AND (\(ranges.joined(separator: " OR "))))"
    }
    return "home = \(home.id) AND epoch != \(home.epoch)" + units.joined()
  }

  private static func ranges(_ numbers: [Int64]) -> [ClosedRange<Int64>] {
    var ranges: [ClosedRange<Int64>] = []
    for number in numbers.sorted() {
      if let last = ranges.last, last.upperBound == number - 1 {
        ranges[ranges.count - 1] = last.lowerBound...number
      } else {
        ranges.append(number...number)
      }
    }
    return ranges
  }

  private static func rows(of unit: ShippingUnit, of home: ShippingManifest.Home) -> String {
    "home = \(home.id) AND epoch = \(unit.epoch) AND id BETWEEN \(unit.ids.lowerBound) AND \(unit.ids.upperBound) AND unit = \(unit.number)"
  }
}
