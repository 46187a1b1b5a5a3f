package import Questions
package import Threads
package import Warehouse

/// Answers one question from the columns of an app.
package final class ColumnEvaluation {
  let snapshot: ColumnSnapshot
  let names: LoadedNames
  let hours: CivilHours
  let limits: QuestionLimits
  let today: Day
  let personNumbers: PersonNumbers
  let threads: ParallelThreads
  /// The rows of the chunks that were looked at.
  private(set) var rowsRead = 0
  /// A cursor for each part; they keep much memory, which every pass over the chunks uses again.
  private var cursors: [ChunkCursor] = []
  private let sizes: PartSizes
  private lazy var knownFirstTimes = Result { try loadFirstTimes() }

  init(
    _ key: PersonKey, _ snapshot: ColumnSnapshot, calendar: QuestionCalendar, today: Day, limits: QuestionLimits,
    threads: ParallelThreads
  ) throws {
    self.snapshot = snapshot
    self.threads = threads
    sizes = PartSizes(parts: threads.count)
    self.today = today
    self.limits = limits
    names = LoadedNames(snapshot.names)
    hours = CivilHours(calendar)
    personNumbers = try PersonNumbers(key, snapshot.chunks, names, limits)
  }

  var personCount: Int { personNumbers.count }

  /// Answers a question.
  ///
  /// - Parameters:
  ///   - today: The day that relative ranges end on, and by which intervals are partial.
  ///   - threads: The threads that evaluate chunks at the same time.
  package static func answer(
    _ question: Question, _ snapshot: ColumnSnapshot, calendar: QuestionCalendar, today: Day, limits: QuestionLimits,
    threads: ParallelThreads = .none
  ) throws -> QuestionResult {
    let evaluation = try ColumnEvaluation(
      question.scope.person, snapshot, calendar: calendar, today: today, limits: limits, threads: threads)
    let answer: Answer
    switch question {
    case .query(let question): return try evaluation.answers([question])[0]
    case .funnel(let question): answer = .funnel(try evaluation.answer(question))
    case .retention(let question): answer = .retention(try evaluation.answer(question))
    case .paths(let question): answer = .paths(try evaluation.answer(question))
    case .lifecycle(let question): answer = .lifecycle(try evaluation.lifecycle(question))
    case .stickiness(let question): answer = .stickiness(try evaluation.stickiness(question))
    case .persons(let question): answer = .persons(try evaluation.answer(question))
    case .releases(let question): answer = .releases(try evaluation.answer(question))
    }
    return QuestionResult(answer, rowsRead: evaluation.rowsRead)
  }

  /// Answers queries as one by one, but looks at each row once for all of them.
  ///
  /// - Parameters:
  ///   - questions: Queries that count persons in the same way.
  ///   - limits: The bounds of all of them together. If they don't fit into the memory together, they have it one after the other.
  package static func answers(
    _ questions: [QueryQuestion], _ snapshot: ColumnSnapshot, calendar: QuestionCalendar, today: Day,
    limits: QuestionLimits, threads: ParallelThreads = .none
  ) throws -> [QuestionResult] {
    guard let first = questions.first else { return [] }
    return try ColumnEvaluation(
      first.scope.person, snapshot, calendar: calendar, today: today, limits: limits, threads: threads
    ).answers(questions)
  }

  /// Returns the persons of a question's group; `nil` for all.
  func members(of question: PersonsQuestion, _ days: ClosedRange<Day>) throws -> PersonSet? {
    let set = PersonSet(persons: personCount)
    switch question.group {
    case .all: return nil
    case .funnel(var funnel, let step, let isDropped, let value):
      if let value { funnel = funnel.requiring(value) }
      funnel.breakdown = nil
      try add(funnel, step, isDropped, to: set)
    case .path(let paths, let edge): try add(paths, edge, days, to: set)
    case .cohort(let cohort, let label, let after): try add(cohort, label, after: after, days, to: set)
    case .new(let bucket): try add(newIn: bucket, days, to: set)
    case .lifecycle(let question, let label, let state): try add(state, question, label, days, to: set)
    case .stickiness(let question, let wanted):
      try forEachActivity(question) { person, count in
        if count == wanted { set.insert(UInt32(person)) }
      }
    case .error(let group):
      return try persons(
        with: .all([.rows(try errors(of: group)), try condition(question.scope.filters, days)]), atLeast: 1, in: days)
    }
    return set
  }

  /// Returns the IDs of the rows of an error group.
  func errors(of group: Int) throws -> [Int64] {
    let errors = try names.errors(ofGroup: Int64(group))
    try limits.check(errors.count * 8)
    return errors
  }

  /// The chunks that may have rows in a range.
  func chunks(in range: DayRange?) -> [Chunk] {
    snapshot.chunks.filter { chunk in range.map { !$0.excludes(chunk) } ?? true }
  }

  /// Divides the chunks that may have rows in a range into parts, which are evaluated at the same time, and returns the
  /// parts in the order of their chunks; at least one.
  ///
  /// - Parameters:
  ///   - make: Makes the state of a part.
  ///   - body: Adds a chunk to a part. Receives the range, too, if the chunk may have rows outside it.
  func inParts<Part>(
    of range: DayRange?, _ make: () throws -> Part,
    body: @escaping (Part, ChunkCursor, DayRange?) throws -> Void
  ) throws -> [Part] {
    let hours = hours
    return try inParts(over: chunks(in: range), make) { part, cursor in
      try body(part, cursor, range.flatMap { $0.includes(cursor.chunk, hours) ? nil : $0 })
    }
  }

  /// Divides chunks into parts in the same way.
  func inParts<Part>(
    over chunks: [Chunk], _ make: () throws -> Part, body: @escaping (Part, ChunkCursor) throws -> Void
  ) throws -> [Part] {
    try limits.check()
    sizes.reset()
    guard let first = chunks.first else { return [try make()] }
    // Neighbouring chunks make up a part, so that parts stay in the order in which rows were stored.
    let count = min(threads.count, chunks.count)
    let parts = try (0..<count).map { _ in try make() }
    while cursors.count < count {
      cursors.append(ChunkCursor(hours, part: cursors.count, persons: personNumbers, chunk: first))
    }
    let (limits, cursors) = (limits, cursors)
    rowsRead += try threads.map(count) { part in
      let chunks = chunks[chunks.count * part / count..<chunks.count * (part + 1) / count]
      for chunk in chunks {
        try limits.check()
        cursors[part].move(to: chunk)
        try body(parts[part], cursors[part])
      }
      return chunks.reduce(0) { $0 + $1.rows }
    }
    .reduce(0, +)
    return parts
  }

  /// Throws if the question must end.
  ///
  /// - Parameter size: The memory of the cursor's part, in bytes.
  func check(_ size: Int, _ cursor: ChunkCursor) throws { try limits.check(sizes.update(cursor.part, size)) }

  /// The person of a sender.
  @inline(__always)
  func person(ofSender sender: Int, _ chunk: Chunk) -> UInt32 { personNumbers.person(ofSender: sender, chunk) }

  /// The time of the first row ever of each person; the largest number for none.
  func firstTimes() throws -> Memory<Int64> { try knownFirstTimes.get() }

  private func loadFirstTimes() throws -> Memory<Int64> {
    let first = Memory<Int64>(count: personCount, zero: .max)
    for chunk in snapshot.chunks {
      try limits.check()
      for sender in 0..<chunk.header.senders {
        let person = Int(person(ofSender: sender, chunk))
        let time = chunk.time(Int(chunk.senderFirsts[sender]))
        if time < first[person] { first[person] = time }
      }
    }
    return first
  }
}
