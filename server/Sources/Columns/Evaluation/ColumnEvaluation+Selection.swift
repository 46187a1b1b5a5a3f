import Questions
import Warehouse

extension ColumnEvaluation {
  /// Calls `body` with the rows of the chunk that pass and lie in the range, ascending.
  ///
  /// - Parameter base: The rows among which they are; `nil` for all.
  func select(
    _ condition: RowCondition, _ range: DayRange?, _ cursor: ChunkCursor,
    among base: UnsafeBufferPointer<UInt16>? = nil, _ body: (UnsafeBufferPointer<UInt16>) throws -> Void
  ) throws {
    try cursor.withList { list in
      var rows = base ?? cursor.rows
      for part in condition.parts + (range.map { [.days($0.days)] } ?? []) where !rows.isEmpty {
        rows = try select(part, among: rows, into: list, cursor)
      }
      if !rows.isEmpty { try body(rows) }
    }
  }

  /// Returns the rows that pass. They may be in the list already.
  private func select(
    _ condition: RowCondition, among rows: UnsafeBufferPointer<UInt16>, into list: Memory<UInt16>,
    _ cursor: ChunkCursor
  ) throws -> UnsafeBufferPointer<UInt16> {
    try cursor.withMask { table in
      guard let deciding = try fill(table: table, condition, cursor) else {
        try fill(table, condition, cursor)
        return Self.select(rows, into: list) { table.start[$0] }
      }
      let passing = (0..<deciding.count).reduce(0) { $0 + Int(table.start[$1]) }
      if passing == 0 { return UnsafeBufferPointer(start: list.start, count: 0) }
      if passing == deciding.count { return rows }
      let (table, indexes) = (table.start, deciding.start)
      return Self.select(rows, into: list) { table[Int(indexes[$0])] }
    }
  }

  /// Returns the rows of a mask, in a list.
  static func select(_ mask: ChunkCursor.Mask, into list: Memory<UInt16>, _ cursor: ChunkCursor)
    -> UnsafeBufferPointer<UInt16>
  {
    let mask = mask.start
    return select(cursor.rows, into: list) { mask[$0] }
  }

  /// - Parameter passes: Returns 1 for a row that passes, 0 for others.
  @inline(__always)
  private static func select(
    _ rows: UnsafeBufferPointer<UInt16>, into list: Memory<UInt16>, _ passes: (Int) -> UInt8
  ) -> UnsafeBufferPointer<UInt16> {
    var selected = 0
    let list = list.start
    for position in 0..<rows.count {
      let row = rows[position]
      list[selected] = row
      selected += Int(passes(Int(row)))
    }
    return UnsafeBufferPointer(start: list, count: selected)
  }
}

extension RowCondition {
  /// The conditions that a row must pass, all of them.
  fileprivate var parts: [RowCondition] {
    switch self {
    case .always: []
    case .all(let conditions): conditions.flatMap(\.parts)
    default: [self]
    }
  }
}
