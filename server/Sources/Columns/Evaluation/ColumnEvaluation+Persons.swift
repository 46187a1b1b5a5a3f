import Ingest
import Questions
import ServerBase
import Threads
import Warehouse

/// The last row of one person that passes.
private struct LastRow: BitwiseCopyable {
  var time = Int64.min
  var id: Int64 = 0
  /// The chunk and the place in it.
  var chunk: Int32 = 0
  var row: Int32 = 0

  var cursor: PersonsCursor { PersonsCursor(time: time, row: id) }

  @inline(__always)
  func isLater(than other: LastRow) -> Bool { time != other.time ? time > other.time : id > other.id }
}

/// Some persons' rows that pass: the number of events, and the sessions.
private final class PersonCounts {
  let events: Memory<Int>
  let sessions = DistinctPairs(universe: nil)
  let numbers = SessionNumbers()

  init(persons count: Int) { events = Memory(count: count, zero: 0) }

  func merge(_ other: PersonCounts) {
    for index in 0..<events.count { events[index] += other.events[index] }
    let members = numbers.adopt(other.numbers)
    sessions.merge(other.sessions, sets: Array(0..<events.count), members: members, didInsert: nil)
  }
}

extension ColumnEvaluation {
  func answer(_ question: PersonsQuestion) throws -> PersonsAnswer {
    let days = question.scope.range.resolved(today: today)
    let members = try members(of: question, days)
    let scope = try condition(question.scope.filters, days)
    let condition = members.map { .all([.persons($0), scope]) } ?? scope
    let rowDays = question.rowDays(today: today)
    let last = try lastRows(condition, rowDays)
    var total = 0
    // The first page of many persons: sorting all of them would take longer than reading them.
    var page: [(person: Int, row: LastRow)] = []
    for person in 0..<personCount where last[person].time != .min {
      total += 1
      let row = last[person]
      if let before = question.before, !row.cursor.precedes(before) { continue }
      if page.count >= question.limit {
        guard let end = page.last, row.isLater(than: end.row) else { continue }
        page.removeLast()
      }
      var (low, high) = (0, page.count)
      while low < high {
        let middle = (low + high) / 2
        if page[middle].row.isLater(than: row) { low = middle + 1 } else { high = middle }
      }
      page.insert((person, row), at: low)
    }
    guard !page.isEmpty else { return PersonsAnswer(persons: [], total: total) }
    let counts = try counts(of: page.map(\.person), condition, rowDays)
    let (first, chunks) = (try firstTimes(), chunks(in: DayRange(rowDays)))
    let persons = try page.enumerated().map { index, entry in
      var answer = try person(entry.row, in: chunks[Int(entry.row.chunk)], first[entry.person])
      answer.events = counts.events[index]
      answer.sessions = counts.sessions.count(index)
      return answer
    }
    return PersonsAnswer(persons: persons, total: total)
  }

  /// The last row of each person that passes.
  private func lastRows(_ condition: RowCondition, _ days: ClosedRange<Day>) throws -> Memory<LastRow> {
    let persons = personCount
    try limits.check(threads.count * persons * 24)
    let numbers = Dictionary(
      uniqueKeysWithValues: chunks(in: DayRange(days)).enumerated().map { (ObjectIdentifier($1), Int32($0)) })
    let parts = try inParts(of: DayRange(days)) {
      (rows: Memory<LastRow>(count: persons, zero: LastRow()), ofSender: Memory<Int32>(count: 65_536, zero: -1))
    } body: { [self] part, cursor, range in
      let (chunk, persons, rows) = (cursor.chunk, cursor.persons, part.rows.start)
      let number = numbers[ObjectIdentifier(chunk)] ?? 0
      func add(_ row: Int, _ sender: Int) {
        let person = Int(persons[sender])
        let last = LastRow(time: chunk.time(row), id: chunk.id(row), chunk: number, row: Int32(row))
        if last.isLater(than: rows[person]) { rows[person] = last }
      }
      if range == nil, condition.isAlways {
        for sender in 0..<chunk.header.senders { add(Int(chunk.senderLasts[sender]), sender) }
        return
      }
      try select(condition, range, cursor) { selected in
        let (senders, lasts) = (chunk.senders, part.ofSender.start)
        lasts.update(repeating: -1, count: chunk.header.senders)
        for position in 0..<selected.count {
          let row = Int(selected[position])
          let sender = Int(senders[row])
          // Rows come in the order of their IDs.
          if lasts[sender] < 0 || chunk.time(row) >= chunk.time(Int(lasts[sender])) { lasts[sender] = Int32(row) }
        }
        for sender in 0..<chunk.header.senders where lasts[sender] >= 0 { add(Int(lasts[sender]), sender) }
      }
    }
    let last = parts[0].rows
    for part in parts.dropFirst() {
      for person in 0..<persons where part.rows[person].isLater(than: last[person]) { last[person] = part.rows[person] }
    }
    return last
  }

  /// Adds the persons in a cohort; if `after` is positive, those who came back so many intervals later.
  func add(_ cohort: RetentionQuestion, _ label: String, after: Int, _ days: ClosedRange<Day>, to set: PersonSet) throws
  {
    let intervals = QuestionIntervals(cohort.interval, days, hours)
    guard let wanted = intervals.numbers.indices.first(where: { intervals.label($0) == label }) else { return }
    try forEachCohort(cohort, ValueNumbers(.kind)) { person, number, _, isBack in
      if number == wanted, after < isBack.count, isBack[after] { set.insert(UInt32(person)) }
    }
  }

  /// Adds the persons whose first row ever lies in the range and in a unit of time.
  func add(newIn bucket: PersonsQuestion.Bucket?, _ days: ClosedRange<Day>, to set: PersonSet) throws {
    let (first, range) = (try firstTimes(), DayRange(days))
    let number = bucket.map { bucket in
      hours.withCalendar { $0.numbers(of: bucket.unit, in: days) }.first {
        QuestionCalendar.label(of: bucket.unit, number: $0).hasBytes(of: bucket.label)
      }
    }
    for person in 0..<personCount where range.contains(first[person], hours) {
      if let bucket, hours.number(of: bucket.unit, at: first[person]) != number { continue }
      set.insert(UInt32(person))
    }
  }

  /// Adds the persons in a state in one interval.
  func add(
    _ wanted: LifecycleFold.State, _ question: IntervalQuestion, _ label: String, _ days: ClosedRange<Day>,
    to set: PersonSet
  ) throws {
    let intervals = QuestionIntervals(question.interval, days, hours)
    guard let index = intervals.numbers.indices.first(where: { intervals.label($0) == label }) else { return }
    try forEachState(question, intervals) { person, interval, state in
      if interval == index, state == wanted { set.insert(UInt32(person)) }
    }
  }

  /// Adds the persons who took a step of a funnel, or stopped before it.
  func add(_ funnel: FunnelQuestion, _ step: Int, _ isDropped: Bool, to set: PersonSet) throws {
    try forEachResult(funnel, ValueNumbers(.kind)) {
      GrowingMemory<UInt32>()
    } body: { found, person, result in
      let count = result.common?.times.count ?? 0
      if isDropped ? count == step - 1 : count >= step { found.append(UInt32(person)) }
    } finish: { found in
      for person in found.elements { set.insert(person) }
      return 0
    }
  }

  /// Adds the persons with a row that passes in a session that takes an edge of paths.
  func add(
    _ paths: PathsQuestion, _ edge: PersonsQuestion.Edge, _ days: ClosedRange<Day>, to set: PersonSet
  ) throws {
    guard let sessions = try pathCounts(paths, edge).taken, sessions.count > 0 else { return }
    let condition = try condition(paths.scope.filters, days)
    let parts = try inParts(of: DayRange(days)) {
      (persons: GrowingMemory<UInt32>(), isWanted: Memory<Bool>(count: Chunk.maximumRows, zero: false))
    } body: { [self] part, cursor, range in
      let (chunk, persons, isWanted) = (cursor.chunk, cursor.persons, part.isWanted.start)
      var count = 0
      for sender in 0..<chunk.header.senders {
        isWanted[sender] = sessions.contains(chunk.senderSlots[sender], chunk.senderSessions[sender])
        count += isWanted[sender] ? 1 : 0
      }
      guard count > 0 else { return }
      let other = QuestionKind.other.storedNumber
      try select(condition, range, cursor) { rows in
        for row in rows {
          let sender = Int(chunk.senders[Int(row)])
          guard isWanted[sender], chunk.labelKinds[Int(chunk.labels[Int(row)])] >> 1 != other else { continue }
          isWanted[sender] = false
          part.persons.append(persons[sender])
        }
      }
    }
    for part in parts {
      for person in part.persons.elements { set.insert(person) }
    }
  }

  /// Returns the events and sessions of some persons, counting rows that pass.
  private func counts(of page: [Int], _ condition: RowCondition, _ days: ClosedRange<Day>) throws -> PersonCounts {
    let set = PersonSet(persons: personCount)
    for person in page { set.insert(UInt32(person)) }
    let places = Dictionary(uniqueKeysWithValues: page.enumerated().map { (UInt32($1), $0) })
    let parts = try inParts(of: DayRange(days)) {
      PersonCounts(persons: page.count)
    } body: { [self] counts, cursor, range in
      let (chunk, persons) = (cursor.chunk, cursor.persons)
      guard (0..<chunk.header.senders).contains(where: { set.contains(persons[$0]) }) else { return }
      let (event, other) = (QuestionKind.event.storedNumber, QuestionKind.other.storedNumber)
      try select(.all([.persons(set), condition]), range, cursor) { rows in
        for row in rows {
          let sender = Int(chunk.senders[Int(row)])
          let kind = chunk.labelKinds[Int(chunk.labels[Int(row)])] >> 1
          guard let place = places[persons[sender]] else { continue }
          if kind == event { counts.events[place] += 1 }
          let session = chunk.senderSessions[sender]
          guard session != 0, kind != other else { continue }
          _ = counts.sessions.insert(place, UInt32(counts.numbers.number(chunk.senderSlots[sender], session)))
        }
      }
    }
    for part in parts.dropFirst() { parts[0].merge(part) }
    return parts[0]
  }

  private func person(_ last: LastRow, in chunk: Chunk, _ first: Int64) throws -> PersonsAnswer.Person {
    let sender = Int(chunk.senders[Int(last.row)])
    func fact(_ dimension: QuestionDimension) -> String? {
      let index = ChunkDevice.dimensions.firstIndex(of: dimension) ?? 0
      let text = chunk.deviceTexts[Int(chunk.senderDevices[sender]) * ChunkDevice.factCount + index]
      return text == Chunk.noText
        ? nil : String(decoding: CanonicalBytes.canonical(chunk.text(text), dimension), as: UTF8.self)
    }
    var person = PersonsAnswer.Person(
      install: try names.install(chunk.senderSlots[sender]),
      user: try personNumbers.user(ofSender: sender, chunk).map { try names.user($0) },
      firstSeen: first, last: last.cursor)
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
