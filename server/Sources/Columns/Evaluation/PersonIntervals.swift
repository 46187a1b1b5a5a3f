import Questions
import Warehouse

/// The intervals of a question's range.
struct QuestionIntervals {
  let unit: TimeUnit
  let numbers: [Int]
  private let indexes: [Int: Int]

  init(_ unit: TimeUnit, _ days: ClosedRange<Day>, _ hours: CivilHours) {
    self.unit = unit
    numbers = hours.withCalendar { $0.numbers(of: unit, in: days) }
    indexes = Dictionary(zip(numbers, numbers.indices), uniquingKeysWith: { first, _ in first })
  }

  var count: Int { numbers.count }
  func index(of number: Int) -> Int? { indexes[number] }
  func label(_ index: Int) -> String { QuestionCalendar.label(of: unit, number: numbers[index]) }

  /// The interval of a time, if it lies in the range.
  func index(at time: Int64, in range: DayRange, _ hours: CivilHours) -> Int? {
    range.contains(time, hours) ? index(of: hours.number(of: unit, at: time)) : nil
  }
}

/// A bit for each person and interval.
final class PersonIntervals {
  let width: Int
  private let words: Memory<UInt64>

  init(persons: Int, intervals: Int) {
    width = (intervals + 63) / 64
    words = Memory(count: persons * width, zero: 0)
  }

  static func byteCount(persons: Int, intervals: Int) -> Int { persons * ((intervals + 63) / 64) * 8 }

  @inline(__always)
  func insert(_ person: UInt32, _ interval: Int) {
    words[Int(person) * width + (interval >> 6)] |= 1 << UInt64(interval & 63)
  }

  /// Adds the persons and intervals of another part.
  func merge(_ other: PersonIntervals) {
    let (to, from) = (words.start, other.words.start)
    for index in 0..<words.count { to[index] |= from[index] }
  }

  /// Adds the intervals of some rows of a chunk.
  ///
  /// - Parameters:
  ///   - column: The units of the rows.
  ///   - bits: The interval of each unit; −1 for none.
  func insert(_ rows: UnsafeBufferPointer<UInt16>, _ column: IndexColumn, bits: [Int], _ cursor: ChunkCursor) {
    let (senders, persons, indexes) = (cursor.chunk.senders, cursor.persons, column.indexes)
    guard column.distinct <= 64 else {
      for position in 0..<rows.count {
        let row = Int(rows[position])
        let bit = bits[Int(indexes[row])]
        if bit >= 0 { insert(persons[Int(senders[row])], bit) }
      }
      return
    }
    // A chunk has few senders, whose units stay in the processor's cache; there are many persons.
    let units = cursor.senderUnits(count: cursor.chunk.header.senders)
    if column.distinct == 1 {
      for position in 0..<rows.count { units[Int(senders[Int(rows[position])])] = 1 }
    } else {
      for position in 0..<rows.count {
        let row = Int(rows[position])
        units[Int(senders[row])] |= 1 << UInt64(indexes[row])
      }
    }
    for sender in 0..<cursor.chunk.header.senders {
      var rest = units[sender]
      while rest != 0 {
        let bit = bits[rest.trailingZeroBitCount]
        if bit >= 0 { insert(persons[sender], bit) }
        rest &= rest - 1
      }
    }
  }

  /// Calls `body` with the intervals of a person, ascending.
  @inline(__always)
  func forEach(_ person: Int, _ body: (Int) -> Void) {
    for word in 0..<width {
      var rest = words[person * width + word]
      while rest != 0 {
        body(word << 6 | rest.trailingZeroBitCount)
        rest &= rest - 1
      }
    }
  }

  /// True if the person has an interval.
  func contains(_ person: Int) -> Bool { (0..<width).contains { words[person * width + $0] != 0 } }
}
