import Questions
import ServerBase

/// Numbers the combinations of a query's dimensions.
final class CellNumbers {
  let values: [ValueNumbers]
  /// For the second and each further dimension: the number so far, and the number of its value.
  private let pairs: [PairTable]
  init(_ groups: [QueryQuestion.Group]) {
    values = groups.map(ValueNumbers.init)
    pairs = groups.dropFirst().map { _ in PairTable() }
  }

  var byteCount: Int { values.reduce(pairs.reduce(0) { $0 + $1.count * 40 }) { $0 + $1.byteCount } }

  /// Numbers the cells of some rows in ``CellScratch/cells``.
  func load(_ rows: UnsafeBufferPointer<UInt16>, _ groups: [QueryQuestion.Group], _ cursor: ChunkCursor) {
    let scratch = cursor.scratch
    if groups.isEmpty { scratch.cells.start.update(repeating: 0, count: rows.count) }
    for (level, group) in groups.enumerated() {
      let column = cursor.column(group.dimension)
      scratch.known.start.update(repeating: -1, count: column.distinct)
      let (numbers, indexes) = (values[level], column.indexes)
      let (cells, known) = (scratch.cells.start, scratch.known.start)
      let numberOfValue = Memory<Int32>(count: column.valueCount, zero: -1)
      func firstNumber(_ index: Int) -> Int32 {
        let value = column.valueNumber(index)
        if numberOfValue[value] < 0 { numberOfValue[value] = Int32(numbers.number(column.value(numbered: value))) }
        known[index] = numberOfValue[value]
        return known[index]
      }
      if level == 0 {
        for position in 0..<rows.count {
          let index = Int(indexes[Int(rows[position])])
          let number = known[index]
          cells[position] = number >= 0 ? number : firstNumber(index)
        }
        continue
      }
      let table = pairs[level - 1]
      scratch.recent.start.update(repeating: CellScratch.Recent(), count: scratch.recent.count)
      let recent = scratch.recent.start
      for position in 0..<rows.count {
        let index = Int(indexes[Int(rows[position])])
        let number = known[index]
        let (first, second) = (cells[position], number >= 0 ? number : firstNumber(index))
        let place = Int((first &* 31 &+ second) & CellScratch.recentMask)
        if recent[place].first != first || recent[place].second != second {
          recent[place] = CellScratch.Recent(
            first: first, second: second, number: Int32(table.number(UInt64(first), UInt64(second)).0))
        }
        cells[position] = recent[place].number
      }
    }
  }

  /// Adds the cells of another part; returns the number that each has here.
  func adopt(_ other: CellNumbers, count: Int) -> [Int] {
    let numbers = zip(values, other.values).map { $0.adopt($1) }
    return (0..<count).map { cell in
      let parts = other.parts(cell)
      guard var number = parts.first.map({ numbers[0][$0] }) else { return 0 }
      for level in pairs.indices {
        number = pairs[level].number(UInt64(number), UInt64(numbers[level + 1][parts[level + 1]])).0
      }
      return number
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
