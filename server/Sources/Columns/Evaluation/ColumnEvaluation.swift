package import Questions
import Views
package import Warehouse

/// Answers one question from the columns of an app.
package final class ColumnEvaluation {
  let snapshot: ColumnSnapshot
  let names: LoadedNames
  let hours: CivilHours
  let limits: QuestionLimits
  let today: Day
  let key: PersonKey
  /// The number of the first person who is a user; lower numbers are installs.
  let firstUser: UInt32
  let personCount: Int
  /// The rows of the chunks that were looked at.
  private(set) var rowsRead = 0
  /// A byte for each distinct value of a column.
  let table = Memory<UInt8>(count: Chunk.maximumRows, zero: 0)
  /// The rows selected last; one more, because a row is written before it is known to be selected.
  let list = Memory<UInt16>(count: Chunk.maximumRows + 1, zero: 0)
  private var cursor: ChunkCursor?
  private lazy var knownFirstTimes = Result { try loadFirstTimes() }

  private init(
    _ key: PersonKey, _ snapshot: ColumnSnapshot, calendar: QuestionCalendar, today: Day, limits: QuestionLimits
  ) {
    self.snapshot = snapshot
    self.today = today
    self.limits = limits
    self.key = key
    names = LoadedNames(snapshot.names)
    hours = CivilHours(calendar)
    firstUser = snapshot.chunks.reduce(0) { max($0, $1.installEnd) }
    let users = key == .user ? snapshot.chunks.reduce(0) { max($0, $1.userEnd) } : 0
    personCount = Int(firstUser + users)
  }

  /// Answers a question.
  ///
  /// - Parameter today: The day that relative ranges end on, and by which intervals are partial.
  package static func answer(
    _ question: Question, _ snapshot: ColumnSnapshot, calendar: QuestionCalendar, today: Day, limits: QuestionLimits
  ) throws -> QuestionResult {
    let evaluation = ColumnEvaluation(
      question.scope.person, snapshot, calendar: calendar, today: today, limits: limits)
    let answer: Answer =
      switch question {
      case .query(let question): .query(try evaluation.answer(question))
      case .funnel(let question): .funnel(try evaluation.answer(question))
      case .retention(let question): .retention(try evaluation.answer(question))
      case .paths(let question): .paths(try evaluation.answer(question))
      case .lifecycle(let question): .lifecycle(try evaluation.lifecycle(question))
      case .stickiness(let question): .stickiness(try evaluation.stickiness(question))
      case .persons(let question): .persons(try evaluation.answer(question))
      }
    return QuestionResult(answer, rowsRead: evaluation.rowsRead)
  }

  /// Calls `body` with each chunk that may have rows in a range, and the range if the chunk may have others, too.
  func forEachChunk(in range: DayRange?, _ body: (ChunkCursor, DayRange?) throws -> Void) throws {
    for chunk in snapshot.chunks where range.map({ !$0.excludes(chunk) }) ?? true {
      try limits.check()
      try body(move(to: chunk), range.flatMap { $0.includes(chunk) ? nil : $0 })
      rowsRead += chunk.rows
    }
  }

  private func move(to chunk: Chunk) -> ChunkCursor {
    if let cursor {
      cursor.move(to: chunk)
      return cursor
    }
    let first = ChunkCursor(hours, key: key, firstUser: firstUser, chunk: chunk)
    cursor = first
    return first
  }

  /// The time of the first row ever of each person; the largest number for none.
  func firstTimes() throws -> Memory<Int64> { try knownFirstTimes.get() }

  private func loadFirstTimes() throws -> Memory<Int64> {
    let first = Memory<Int64>(count: personCount, zero: .max)
    try forEachChunk(in: nil) { cursor, _ in
      let (chunk, persons) = (cursor.chunk, cursor.persons)
      for row in 0..<chunk.rows {
        let person = Int(persons[Int(chunk.senders[row])])
        let time = chunk.time(row)
        if time < first[person] { first[person] = time }
      }
    }
    return first
  }
}
