import Questions
import Views
import Warehouse

extension ColumnEvaluation {
  /// The rows of one person that pass.
  private struct Seen: BitwiseCopyable {
    var time = Int64.min
    var row: Int64 = 0
    /// The chunk and the place in it of the last row.
    var chunk: Int32 = 0
    var place: Int32 = 0
    var events: Int32 = 0

    var cursor: PersonsCursor { PersonsCursor(time: time, row: row) }
  }

  func answer(_ question: PersonsQuestion) throws -> PersonsAnswer {
    let days = question.scope.range.resolved(today: today)
    let members = try members(of: question.group)
    let scope = try condition(question.scope.filters, days)
    let condition = members.map { .all([.persons($0), scope]) } ?? scope
    try limits.check(personCount * 48)
    let seen = Memory<Seen>(count: personCount, zero: Seen())
    var number: Int32 = 0
    var chunks: [Chunk] = []
    try forEachChunk(in: DayRange(days)) { cursor, range in
      let (chunk, event) = (cursor.chunk, QuestionKind.event.storedNumber)
      chunks.append(chunk)
      defer { number += 1 }
      try select(condition, range, cursor) { rows in
        let persons = cursor.persons
        for row in rows {
          let row = Int(row)
          let person = Int(persons[Int(chunk.senders[row])])
          if chunk.labelKinds[Int(chunk.labels[row])] >> 1 == event { seen[person].events += 1 }
          let time = chunk.time(row)
          // Rows come in the order of their IDs.
          guard time >= seen[person].time else { continue }
          seen[person].time = time
          seen[person].row = chunk.id(row)
          seen[person].chunk = number
          seen[person].place = Int32(row)
        }
      }
    }
    let all = (0..<personCount).filter { seen[$0].time != .min }
    let left = all.filter { person in question.before.map { seen[person].cursor.precedes($0) } ?? true }
    let page = left.sorted { seen[$1].cursor.precedes(seen[$0].cursor) }.prefix(question.limit)
    let sessions = try sessions(of: Array(page), condition, days)
    let first = try page.isEmpty ? nil : firstTimes()
    let persons = try page.map { person in
      var answer = try self.person(seen[person], in: chunks[Int(seen[person].chunk)], first?[person] ?? 0)
      answer.sessions = sessions[person] ?? 0
      return answer
    }
    return PersonsAnswer(persons: persons, total: all.count)
  }

  /// Returns the persons of a group; `nil` for all.
  private func members(of group: PersonsQuestion.Group) throws -> PersonSet? {
    let set = PersonSet(persons: personCount)
    switch group {
    case .all: return nil
    case .funnel(let funnel, let step, let isDropped):
      try forEachAttempt(funnel, ValueNumbers(.kind)) { person, attempt, _ in
        let count = attempt.times.count
        if isDropped ? count == step - 1 : count >= step { set.insert(UInt32(person)) }
      }
    case .cohort(let cohort, let label, let after):
      let days = cohort.scope.range.resolved(today: today)
      let intervals = QuestionIntervals(cohort.interval, days, hours.calendar)
      guard let wanted = intervals.numbers.indices.first(where: { intervals.label($0) == label }) else { return set }
      try forEachCohort(cohort, ValueNumbers(.kind)) { person, number, _, isBack in
        if number == wanted, after < isBack.count, isBack[after] { set.insert(UInt32(person)) }
      }
    }
    return set
  }

  /// Returns the number of sessions with a row that passes of each of some persons.
  private func sessions(of persons: [Int], _ condition: RowCondition, _ days: ClosedRange<Day>) throws -> [Int: Int] {
    guard !persons.isEmpty else { return [:] }
    let set = PersonSet(persons: personCount)
    for person in persons { set.insert(UInt32(person)) }
    let numbers = SessionNumbers()
    let known = DistinctPairs(universe: nil)
    try forEachChunk(in: DayRange(days)) { cursor, range in
      let (chunk, persons, attachment) = (cursor.chunk, cursor.persons, QuestionKind.attachment.storedNumber)
      guard (0..<chunk.header.senders).contains(where: { set.contains(persons[$0]) }) else { return }
      try select(.all([.persons(set), condition]), range, cursor) { rows in
        numbers.load(chunk)
        for row in rows {
          let sender = Int(chunk.senders[Int(row)])
          guard numbers.ofSender[sender] >= 0, chunk.labelKinds[Int(chunk.labels[Int(row)])] >> 1 != attachment
          else { continue }
          _ = known.insert(Int(persons[sender]), UInt32(numbers.ofSender[sender]))
        }
      }
    }
    return Dictionary(uniqueKeysWithValues: persons.map { ($0, known.count($0)) })
  }

  private func person(_ seen: Seen, in chunk: Chunk, _ first: Int64) throws -> PersonsAnswer.Person {
    let sender = Int(chunk.senders[Int(seen.place)])
    let user = chunk.senderUsers[sender]
    func fact(_ dimension: QuestionDimension) -> String? {
      let index = ChunkDevice.dimensions.firstIndex(of: dimension) ?? 0
      let text = chunk.deviceTexts[Int(chunk.senderDevices[sender]) * ChunkDevice.factCount + index]
      return text == Chunk.noText ? nil : String(decoding: chunk.text(text), as: UTF8.self)
    }
    var person = PersonsAnswer.Person(
      install: try names.install(chunk.senderSlots[sender]), user: user == 0 ? nil : try names.user(user - 1),
      firstSeen: first, last: seen.cursor)
    person.events = Int(seen.events)
    person.version = fact(.version)
    person.model = fact(.model)
    person.country = fact(.country)
    return person
  }
}

extension PersonsCursor {
  /// Returns true if this place is earlier than another.
  fileprivate func precedes(_ other: PersonsCursor) -> Bool { (time, row) < (other.time, other.row) }
}
