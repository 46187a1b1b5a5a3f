package import Questions

/// Finds the latest rows of one person.
package struct PersonTrail {
  /// The number of a person's install or user.
  package enum Person: Sendable {
    case install(UInt32)
    case user(UInt32)
  }

  private struct Place {
    var time: Int64
    var id: Int64

    func isLater(than other: Place) -> Bool { (time, id) > (other.time, other.id) }
  }

  private let person: Person
  private let end: Place
  private let last: Int64

  /// - Parameters:
  ///   - end: The rows come before this place; `nil` for the latest ones.
  ///   - last: The largest ID of a row.
  package init(_ person: Person, before end: PersonsCursor?, through last: Int64) {
    self.person = person
    self.end = end.map { Place(time: $0.time, id: $0.row) } ?? Place(time: .max, id: .max)
    self.last = last
  }

  /// Returns the IDs of the rows, the latest one first. Attachments are not among them.
  ///
  /// A chunk lists its senders, so one without the person costs as much as reading that list.
  package func latestRows(_ limit: Int, in chunks: [Chunk]) -> [Int64] {
    var found: [Place] = []
    for chunk in chunks.sorted(by: { $0.header.latest > $1.header.latest })
    where chunk.header.earliest <= end.time && chunk.header.after < last {
      if limit > 0, found.count >= limit, found[limit - 1].time > chunk.header.latest { break }
      let before = found.count
      add(chunk, to: &found)
      guard found.count > before else { continue }
      found.sort { $0.isLater(than: $1) }
      found.removeLast(max(found.count - limit, 0))
    }
    return found.map(\.id)
  }

  private func add(_ chunk: Chunk, to found: inout [Place]) {
    let isWanted = Memory<Bool>(count: chunk.header.senders, zero: false)
    var hasPerson = false
    for sender in 0..<chunk.header.senders {
      let isPerson =
        switch person {
        case .install(let slot): chunk.senderSlots[sender] == slot
        case .user(let number): chunk.senderUsers[sender] == number + 1
        }
      guard isPerson else { continue }
      isWanted[sender] = true
      hasPerson = true
    }
    guard hasPerson else { return }
    let (senders, wanted) = (chunk.senders, isWanted.start)
    for row in 0..<chunk.rows where wanted[Int(senders[row])] {
      let place = Place(time: chunk.time(row), id: chunk.id(row))
      guard end.isLater(than: place), place.id <= last, chunk.kind(Int(chunk.labels[row])) != .other else {
        continue
      }
      found.append(place)
    }
  }
}
