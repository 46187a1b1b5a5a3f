import Questions

/// The values of one dimension in a chunk: an index for each row, and a value for each index.
///
/// Several indexes may have one value, such as senders in one country.
struct IndexColumn {
  let indexes: UnsafePointer<UInt16>
  /// The number of indexes.
  let distinct: Int
  /// The number of each index's value; `nil` if these are the same.
  let valueNumbers: UnsafePointer<UInt16>?
  /// The number of numbered values.
  let valueCount: Int
  private let numbered: (Int) -> ColumnValue

  /// Creates a column in which each index has its own value.
  init(indexes: UnsafePointer<UInt16>, distinct: Int, value: @escaping (Int) -> ColumnValue) {
    (self.indexes, self.distinct, valueNumbers, valueCount, numbered) = (indexes, distinct, nil, distinct, value)
  }

  init(
    indexes: UnsafePointer<UInt16>, distinct: Int, valueNumbers: UnsafePointer<UInt16>, valueCount: Int,
    value: @escaping (Int) -> ColumnValue
  ) {
    (self.indexes, self.distinct, self.valueNumbers, self.valueCount, numbered) = (
      indexes, distinct, valueNumbers, valueCount, value
    )
  }

  /// The number of an index's value.
  func valueNumber(_ index: Int) -> Int { valueNumbers.map { Int($0[index]) } ?? index }

  /// The value of an index.
  func value(_ index: Int) -> ColumnValue { numbered(valueNumber(index)) }

  /// The value with a number.
  func value(numbered number: Int) -> ColumnValue { numbered(number) }
}

/// The units of a chunk, numbered as they occur.
struct UnitIndexes {
  let unit: TimeUnit
  private(set) var numbers: [Int] = []
  private var known: [Int: UInt16] = [:]
  private var last: (hour: Int, index: UInt16)?

  init(_ unit: TimeUnit) { self.unit = unit }

  mutating func index(ofHour hour: Int) -> UInt16 {
    if let last, last.hour == hour { return last.index }
    let index = index(of: CivilHours.number(of: unit, hour: hour))
    last = (hour, index)
    return index
  }

  mutating func index(of number: Int) -> UInt16 {
    if let index = known[number] { return index }
    let index = UInt16(numbers.count)
    numbers.append(number)
    known[number] = index
    return index
  }

  func column(_ indexes: UnsafePointer<UInt16>) -> IndexColumn {
    IndexColumn(indexes: indexes, distinct: numbers.count) { [numbers] in .unit(numbers[$0]) }
  }
}
