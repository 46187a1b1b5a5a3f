import Warehouse

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
  package static func content(of unit: ShippingUnit, of home: ShippingLedger.Home) -> String {
    "SELECT count() AS rows, sum(hash) AS checksum FROM \(rowTable) WHERE \(rows(of: unit, of: home)) AND generation = \(unit.generation)"
  }

  /// The query for those of some units of which there are rows of older generations.
  static func older(_ units: [ShippingUnit], of home: ShippingLedger.Home) -> String {
    "SELECT unit FROM \(rowTable) WHERE \(olderRows(units, of: home)) GROUP BY unit"
  }

  /// The statement that deletes what is left of older generations of some units.
  static func clearing(_ units: [ShippingUnit], of home: ShippingLedger.Home) -> String {
    "ALTER TABLE \(rowTable) DELETE WHERE \(olderRows(units, of: home))"
  }

  private static func olderRows(_ units: [ShippingUnit], of home: ShippingLedger.Home) -> String {
    let older = units.map {
      "(id BETWEEN \($0.ids.lowerBound) AND \($0.ids.upperBound) AND unit = \($0.number) AND generation < \($0.generation))"
    }.joined(separator: " OR ")
    return "home = \(home.id) AND epoch = \(home.epoch) AND (\(older))"
  }

  /// The query for everything that a replica has of a range of rows, whatever unit it says it is of.
  static func rows(in ids: ClosedRange<Int64>, of home: ShippingLedger.Home) -> String {
    """
    SELECT \(columns.map(\.name).joined(separator: ", ")) FROM \(rowTable) \
    WHERE home = \(home.id) AND epoch = \(home.epoch) AND id BETWEEN \(ids.lowerBound) AND \(ids.upperBound)
    """
  }

  /// The query for the rows of a unit, in the order of their IDs.
  static func rows(in unit: ShippingUnit, of home: ShippingLedger.Home) -> String {
    """
    SELECT \(columns.map(\.name).joined(separator: ", ")) FROM \(rowTable) \
    WHERE \(rows(of: unit, of: home)) AND generation = \(unit.generation) ORDER BY id
    """
  }

  /// The statement that deletes rows in a unit's range of IDs that are of other units, or of generations to come.
  static func deletingUnknown(in unit: ShippingUnit, of home: ShippingLedger.Home) -> String {
    """
    ALTER TABLE \(rowTable) DELETE WHERE home = \(home.id) AND epoch = \(home.epoch) \
    AND id BETWEEN \(unit.ids.lowerBound) AND \(unit.ids.upperBound) \
    AND (unit != \(unit.number) OR generation > \(unit.generation))
    """
  }

  /// The statement that deletes rows that say they are of a unit, but aren't in its range of IDs.
  static func deletingOutside(_ unit: ShippingUnit, of home: ShippingLedger.Home) -> String {
    """
    ALTER TABLE \(rowTable) DELETE WHERE home = \(home.id) AND epoch = \(home.epoch) AND unit = \(unit.number) \
    AND NOT (id BETWEEN \(unit.ids.lowerBound) AND \(unit.ids.upperBound))
    """
  }

  /// The query for the units and generations of which there are rows.
  static func generations(of home: ShippingLedger.Home) -> String {
    """
    SELECT unit, min(generation) AS oldest FROM \(rowTable) WHERE home = \(home.id) AND epoch = \(home.epoch) GROUP BY unit
    """
  }

  /// The query for the numbers of units of which there are rows, with the first and the last one.
  static func units(of home: ShippingLedger.Home) -> String {
    "SELECT unit, min(id) AS first, max(id) AS last FROM \(rowTable) WHERE home = \(home.id) AND epoch = \(home.epoch) GROUP BY unit ORDER BY unit"
  }

  /// The statement that deletes the rows of some units.
  static func deleting(units: [Int64], of home: ShippingLedger.Home) -> String {
    """
    ALTER TABLE \(rowTable) DELETE WHERE home = \(home.id) AND epoch = \(home.epoch) \
    AND unit IN (\(units.map(String.init).joined(separator: ", ")))
    """
  }

  /// The query for the number of rows that a home shipped before it was restored from a backup, or lost its ledger.
  static func abandoned(of home: ShippingLedger.Home, except kept: [RetiredUnit]) -> String {
    "SELECT count() AS rows FROM \(rowTable) WHERE \(otherEpochs(home, except: kept))"
  }

  static func deletingAbandoned(of home: ShippingLedger.Home, except kept: [RetiredUnit]) -> String {
    "ALTER TABLE \(rowTable) DELETE WHERE \(otherEpochs(home, except: kept))"
  }

  private static func otherEpochs(_ home: ShippingLedger.Home, except kept: [RetiredUnit]) -> String {
    let units = Dictionary(grouping: kept, by: \.epoch).sorted { $0.key < $1.key }.map { epoch, units in
      " AND NOT (epoch = \(epoch) AND unit IN (\(units.map { "\($0.number)" }.joined(separator: ", "))))"
    }
    return "home = \(home.id) AND epoch != \(home.epoch)" + units.joined()
  }

  private static func rows(of unit: ShippingUnit, of home: ShippingLedger.Home) -> String {
    "home = \(home.id) AND epoch = \(home.epoch) AND id BETWEEN \(unit.ids.lowerBound) AND \(unit.ids.upperBound) AND unit = \(unit.number)"
  }
}
