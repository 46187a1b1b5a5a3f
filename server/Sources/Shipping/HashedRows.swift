import ClickHouse

/// Rows as columns, with a hash of each row. Home and the cluster have the same hashes, because both are computed from columns.
package struct HashedRows: Sendable {
  let columns: RowColumns
  /// The hashes without the details of errors.
  let hashes: [UInt64]
  /// The hashes of the details of errors.
  let errorHashes: [UInt64]

  init(_ columns: RowColumns) {
    self.columns = columns
    let count = ClusterSchema.rowColumns.count
    hashes = Self.hashes(columns.columns[..<count], rows: columns.rows)
    errorHashes = Self.hashes(columns.columns[count...], rows: columns.rows)
  }

  private static func hashes(_ columns: ArraySlice<NativeColumn>, rows: Int) -> [UInt64] {
    var hashes = [UInt64](repeating: 0, count: rows)
    for column in columns { column.addHashes(to: &hashes) }
    return hashes
  }

  /// The number of rows and the sum of their hashes.
  package var content: UnitContent {
    UnitContent(rows: columns.rows, checksum: hashes.reduce(0, &+) &+ errorHashes.reduce(0, &+))
  }

  /// The hash of a row with the details of its error, as the cluster has it.
  func hash(of row: Int) -> UInt64 { hashes[row] &+ errorHashes[row] }

  /// The block to insert.
  func block(_ unit: ShippingUnit, of home: ShippingManifest.Home) -> NativeBlock {
    let month = UInt64(RowColumns.month(of: columns.firstReceived))
    let copy: [UInt64?] = [home.id, unit.epoch, UInt64(unit.number), UInt64(unit.generation), month, nil]
    let first = zip(ClusterSchema.copyColumns, copy).map { column, value in
      var filled = NativeColumn(column.name, column.type)
      for row in 0..<columns.rows { filled.append(value ?? hash(of: row)) }
      return filled
    }
    return NativeBlock(first + columns.columns)
  }
}
