import ClickHouse

/// The first difference between the rows of a unit at home and those of a replica.
package struct RowDifference: Sendable, Hashable, CustomStringConvertible {
  package enum Kind: Sendable, Hashable {
    case missing
    /// The number of times that the replica has the row.
    case repeated(Int)
    /// The column in which it differs.
    case changed(String)
    /// Home has no such row.
    case unknown
  }

  package let id: Int64
  package let kind: Kind
  /// The number of rows that differ.
  package let count: Int

  package var description: String {
    let others = count == 1 ? "" : "; \(count) rows of the unit differ"
    return switch kind {
    case .missing: "row \(id) is missing\(others)"
    case .repeated(let times): "row \(id) is there \(times) times\(others)"
    case .changed(let column): "row \(id) was changed in column \(column)\(others)"
    case .unknown: "row \(id) is not at home\(others)"
    }
  }
}

/// Compares the rows of a unit, value by value.
struct UnitComparison {
  private let unit: ShippingUnit
  private let home: HashedRows
  private let places: [Int64: Int]

  /// - Parameter rows: The rows at home.
  init(_ unit: ShippingUnit, _ home: HashedRows) {
    (self.unit, self.home) = (unit, home)
    places = Dictionary(uniqueKeysWithValues: home.columns.ids.enumerated().map { ($1, $0) })
  }

  /// Compares with all rows that a replica has in the unit's range of IDs, from any unit of its epoch.
  ///
  /// The hashes are computed from the columns. The stored hash, by which a server compares later, is checked, too.
  func difference(_ blocks: [NativeBlock]) -> RowDifference? {
    var found = [Int](repeating: 0, count: home.columns.rows)
    var differences: [(id: Int64, kind: RowDifference.Kind)] = []
    // The changed row with the lowest ID. Its column is found later, because that takes as long as hashing all rows.
    var changed: (id: Int64, there: RowColumns, index: Int)?
    for block in blocks {
      guard let there = RowColumns(block)?.hashed, let copies = Copies(block) else {
        differences.append((unit.ids.lowerBound, .changed("(the table has other columns)")))
        continue
      }
      for (index, id) in there.columns.ids.enumerated() {
        guard let place = places[id] else {
          differences.append((id, .unknown))
          continue
        }
        found[place] += 1
        if found[place] > 1 {
          differences.append((id, .repeated(found[place])))
        } else if there.hashes[index] != home.hashes[place]
          || there.errorHashes[index] != home.errorHashes[place] && !home.columns.reducedRows.contains(id)
        {
          differences.append((id, .changed("")))
          if changed.map({ id < $0.id }) ?? true { changed = (id, there.columns, index) }
        } else if let column = copies.faulty(index, unit, hash: there.hash(of: index)) {
          differences.append((id, .changed(column)))
        }
      }
    }
    for (place, count) in found.enumerated() where count == 0 {
      differences.append((home.columns.ids[place], .missing))
    }
    let ids = Set(differences.map(\.id))
    // The last one of a repeated row knows how often it is there.
    guard let first = ids.min(), let kind = differences.last(where: { $0.id == first })?.kind else { return nil }
    guard kind == .changed(""), let changed, changed.id == first, let place = places[first] else {
      return RowDifference(id: first, kind: kind, count: ids.count)
    }
    let column = home.columns.column(at: place, differingFrom: changed.there, at: changed.index)
    return RowDifference(id: first, kind: .changed(column), count: ids.count)
  }

  /// The columns that tell which copy a row is.
  private struct Copies {
    let units: [UInt64]
    let generations: [UInt64]
    let hashes: [UInt64]

    init?(_ block: NativeBlock) {
      guard let units = block["unit"]?.numbers, let generations = block["generation"]?.numbers,
        let hashes = block["hash"]?.numbers
      else { return nil }
      (self.units, self.generations, self.hashes) = (units, generations, hashes)
    }

    func faulty(_ index: Int, _ unit: ShippingUnit, hash: UInt64) -> String? {
      if units[index] != UInt64(unit.number) { return "unit" }
      if generations[index] != UInt64(unit.generation) { return "generation" }
      return hashes[index] == hash ? nil : "hash"
    }
  }
}

extension RowColumns {
  /// The first column in which a row differs from another one.
  fileprivate func column(at row: Int, differingFrom other: RowColumns, at otherRow: Int) -> String {
    for (column, otherColumn) in zip(columns, other.columns) {
      var hashes = [UInt64](repeating: 0, count: rows)
      var otherHashes = [UInt64](repeating: 0, count: other.rows)
      column.addHashes(to: &hashes)
      otherColumn.addHashes(to: &otherHashes)
      if hashes[row] != otherHashes[otherRow] { return column.name }
    }
    return "hash"
  }
}
