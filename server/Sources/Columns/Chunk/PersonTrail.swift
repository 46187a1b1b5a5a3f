package import Questions
import ServerBase

/// The number of a person's install or user.
package enum PersonNumber: Sendable {
  case install(UInt32)
  case user(UInt32)
  /// A user whom aliases join with others, and with installs, of which the rows without a user belong to the person.
  case joined(IdentifierNumbers)
}

/// Finds the rows of one person.
package struct PersonTrail {
  private struct Place {
    var moment: Moment
    var id: Int64

    /// The place of the cursor's row; if that was deleted, the start of its millisecond.
    init(_ cursor: PersonsCursor, in chunks: [Chunk]) {
      id = cursor.row
      let chunk = chunks.first { $0.header.after < cursor.row && cursor.row <= $0.header.last }
      moment =
        chunk.flatMap { chunk in chunk.row(cursor.row).map { chunk.moment($0) } }
        ?? Moment(time: TimeBounds.clamp(cursor.time), inMillisecond: 0)
    }

    init(_ chunk: Chunk, _ row: Int) { (moment, id) = (chunk.moment(row), chunk.id(row)) }

    func isLater(than other: Place) -> Bool { (moment, id) > (other.moment, other.id) }
  }

  private let person: PersonNumber
  /// The place that the rows of the page come before, or after; `nil` for that after the last row.
  private let end: PersonsCursor?
  private let isForward: Bool
  private let last: Int64

  /// - Parameter last: The largest ID of a row.
  package init(_ person: PersonNumber, _ page: TrailPage, through last: Int64) {
    self.person = person
    switch page {
    case .latest: (end, isForward) = (nil, false)
    case .before(let cursor): (end, isForward) = (cursor, false)
    case .after(let cursor): (end, isForward) = (cursor, true)
    }
    self.last = last
  }

  /// Returns the IDs of the rows of the page, the latest one first. Attachments are not among them.
  ///
  /// A chunk lists its senders, so one without the person costs as much as reading that list.
  package func rows(_ limit: Int, in chunks: [Chunk]) -> [Int64] {
    var found: [Place] = []
    let end = end.map { Place($0, in: chunks) }
    let nearest = chunks.sorted {
      isForward ? $0.header.earliest < $1.header.earliest : $0.header.latest > $1.header.latest
    }
    for chunk in nearest where chunk.header.after < last {
      if let end {
        guard isForward ? chunk.header.latest >= end.moment.time : chunk.header.earliest <= end.moment.time else {
          continue
        }
      }
      if limit > 0, found.count >= limit {
        let furthest = found[limit - 1].moment.time
        if isForward ? furthest < chunk.header.earliest : furthest > chunk.header.latest { break }
      }
      let before = found.count
      add(chunk, before: end, to: &found)
      guard found.count > before else { continue }
      found.sort { isForward ? $1.isLater(than: $0) : $0.isLater(than: $1) }
      found.removeLast(max(found.count - limit, 0))
    }
    return (isForward ? found.reversed() : found).map(\.id)
  }

  private func add(_ chunk: Chunk, before end: Place?, to found: inout [Place]) {
    guard let wanted = chunk.senders(of: person) else { return }
    for row in 0..<chunk.rows where wanted[Int(chunk.senders[row])] {
      let place = Place(chunk, row)
      if let end { guard isForward ? place.isLater(than: end) : end.isLater(than: place) else { continue } }
      guard place.id <= last, chunk.kind(Int(chunk.labels[row])) != .other else { continue }
      found.append(place)
    }
  }
}

extension Chunk {
  /// Marks the senders that are a person; `nil` if none is.
  func senders(of person: PersonNumber) -> Memory<Bool>? {
    let isPerson = Memory<Bool>(count: header.senders, zero: false)
    var hasPerson = false
    for sender in 0..<header.senders {
      let matches =
        switch person {
        case .install(let slot): senderSlots[sender] == slot
        case .user(let number): senderUsers[sender] == number + 1
        case .joined(let numbers):
          senderUsers[sender] == 0
            ? numbers.installs.contains(senderSlots[sender]) : numbers.users.contains(senderUsers[sender] - 1)
        }
      guard matches else { continue }
      isPerson[sender] = true
      hasPerson = true
    }
    return hasPerson ? isPerson : nil
  }
}
