import Questions
import ServerBase
import Warehouse

/// The first and the last row of each session, and its long pauses.
final class SessionTimes {
  private let first = GrowingMemory<Int64>()
  private let last = GrowingMemory<Int64>()
  @exclusivity(unchecked) private var pauses = SessionPauses()

  var byteCount: Int { first.count * 16 + pauses.byteCount }

  /// Adds the rows of a chunk that lie in the range, whether or not they pass filters.
  func add(_ rows: UnsafeBufferPointer<UInt16>, _ chunk: Chunk, _ numbers: SessionNumbers) {
    for sender in 0..<chunk.header.senders { _ = numbers.number(ofSender: sender) }
    grow(to: numbers.count)
    let other = QuestionKind.other.storedNumber
    for position in 0..<rows.count {
      let row = Int(rows[position])
      let number = Int(numbers.number(ofSender: Int(chunk.senders[row])))
      guard number >= 0, chunk.labelKinds[Int(chunk.labels[row])] >> 1 != other else { continue }
      let time = chunk.time(row)
      add(time, time, to: number)
    }
  }

  /// Adds the sessions of another part.
  ///
  /// - Parameter numbers: The number here of each session there.
  func merge(_ other: SessionTimes, numbers: [Int]) {
    grow(to: (numbers.max() ?? -1) + 1)
    for index in 0..<other.first.count {
      // A session that none of its rows belongs to has no bounds.
      guard other.first.elements[index] <= other.last.elements[index] else { continue }
      let stretches = other.pauses.stretches[index] ?? [other.first.elements[index]...other.last.elements[index]]
      for stretch in stretches { add(stretch.lowerBound, stretch.upperBound, to: numbers[index]) }
    }
  }

  @inline(__always)
  private func add(_ start: Int64, _ end: Int64, to number: Int) {
    let (first, last) = (first.elements, last.elements)
    if first[number] <= last[number] { pauses.add(start, end, to: number, bounds: first[number]...last[number]) }
    if start < first[number] { first[number] = start }
    if end > last[number] { last[number] = end }
  }

  private func grow(to count: Int) {
    while first.count < count {
      first.append(.max)
      last.append(.min)
    }
  }

  /// The duration of a session without its pauses, in milliseconds.
  func duration(_ number: Int) -> Int64 {
    pauses.duration(number, bounds: first.elements[number]...last.elements[number])
  }
}
