import Questions
import ServerBase

/// The first and the last row of each session.
final class SessionTimes {
  private let first = GrowingMemory<Int64>()
  private let last = GrowingMemory<Int64>()

  var byteCount: Int { first.count * 16 }

  /// Adds the rows of a chunk that lie in the range, whether or not they pass filters.
  func add(_ rows: UnsafeBufferPointer<UInt16>, _ chunk: Chunk, _ numbers: SessionNumbers) {
    grow(to: numbers.count)
    let other = QuestionKind.other.storedNumber
    for position in 0..<rows.count {
      let row = Int(rows[position])
      let number = Int(numbers.ofSender[Int(chunk.senders[row])])
      guard number >= 0, chunk.labelKinds[Int(chunk.labels[row])] >> 1 != other else { continue }
      let time = chunk.time(row)
      if time < first.elements[number] { first.elements[number] = time }
      if time > last.elements[number] { last.elements[number] = time }
    }
  }

  /// Adds the sessions of another part.
  ///
  /// - Parameter numbers: The number here of each session there.
  func merge(_ other: SessionTimes, numbers: [Int]) {
    grow(to: (numbers.max() ?? -1) + 1)
    for index in 0..<other.first.count {
      let number = numbers[index]
      first.elements[number] = min(first.elements[number], other.first.elements[index])
      last.elements[number] = max(last.elements[number], other.last.elements[index])
    }
  }

  private func grow(to count: Int) {
    while first.count < count {
      first.append(.max)
      last.append(.min)
    }
  }

  func duration(_ number: Int) -> Int64 { last.elements[number] - first.elements[number] }
}
