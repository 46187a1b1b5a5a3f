import Questions
import Views

/// Numbers the combinations of a query's dimensions.
final class CellNumbers {
  let values: [ValueNumbers]
  /// For the second and each further dimension: the number so far, and the number of its value.
  private let pairs: [PairTable]
  /// The cell of each selected row of the chunk, by position.
  let cells = Memory<Int32>(count: Chunk.maximumRows, zero: 0)
  private let known = Memory<Int32>(count: Chunk.maximumRows, zero: 0)

  init(_ groups: [QueryQuestion.Group]) {
    values = groups.map(ValueNumbers.init)
    pairs = groups.dropFirst().map { _ in PairTable() }
  }

  var byteCount: Int { values.reduce(pairs.reduce(0) { $0 + $1.count * 40 }) { $0 + $1.byteCount } }

  /// Numbers the cells of some rows.
  func load(_ rows: UnsafeBufferPointer<UInt16>, _ groups: [QueryQuestion.Group], _ cursor: ChunkCursor) {
    if groups.isEmpty { cells.start.update(repeating: 0, count: rows.count) }
    for (level, group) in groups.enumerated() {
      let column = cursor.column(group.dimension)
      known.start.update(repeating: -1, count: column.distinct)
      let (numbers, cells, known) = (values[level], cells.start, known.start)
      @inline(__always)
      func number(_ row: UInt16) -> Int32 {
        let index = Int(column.indexes[Int(row)])
        if known[index] < 0 { known[index] = Int32(numbers.number(column.value(index))) }
        return known[index]
      }
      if level == 0 {
        for position in 0..<rows.count { cells[position] = number(rows[position]) }
        continue
      }
      let table = pairs[level - 1]
      var last = (first: Int32(-1), second: Int32(-1), number: Int32(0))
      for position in 0..<rows.count {
        let (first, second) = (cells[position], number(rows[position]))
        if first != last.first || second != last.second {
          last = (first, second, Int32(table.number(UInt64(first), UInt64(second)).0))
        }
        cells[position] = last.number
      }
    }
  }

  /// Returns the number of each value of a cell.
  func parts(_ cell: Int) -> [Int] {
    var (rest, parts) = (cell, [Int]())
    for table in pairs.reversed() {
      parts.append(Int(table.pair(rest).second))
      rest = Int(table.pair(rest).first)
    }
    return values.isEmpty ? [] : [rest] + parts.reversed()
  }
}
