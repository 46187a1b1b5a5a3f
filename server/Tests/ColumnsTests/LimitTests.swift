import Ingest
import Questions
import QuestionsTestSupport
import ServerBase
import Testing
import Threads
import Warehouse

@testable import Columns

/// Bounds of time and memory, and chunks at the bounds of their format.
struct LimitTests {
  private static let day = Day(year: 2026, month: 10, day: 20)

  private static func snapshot(_ count: Int) -> ColumnSnapshot {
    var random = RandomRows(seed: 7, first: day)
    return ColumnSnapshot(random.rows(count), rowsPerChunk: 20)
  }

  private func answer(_ question: Question, _ snapshot: ColumnSnapshot, _ limits: QuestionLimits) throws -> Answer {
    let calendar = try #require(QuestionCalendar("UTC"))
    return try ColumnEvaluation.answer(
      question, snapshot, calendar: calendar, today: Self.day.advanced(by: 12), limits: limits,
      threads: .test(3)
    ).answer
  }

  private static let questions: [Question] = {
    let scope = QuestionScope(range: .dates(day, day.advanced(by: 12)))
    let query = QueryQuestion(
      scope: scope, metrics: [.plain(.sessions)], groups: [.init(.time(.hour)), .init(.property("p"))])
    return [
      .query(query), .funnel(FunnelQuestion(scope: scope, steps: [Selector(.any), Selector(.any)])),
      .retention(RetentionQuestion(scope: scope)), .paths(PathsQuestion(scope: scope, nodes: .both)),
      .lifecycle(IntervalQuestion(scope: scope)), .stickiness(IntervalQuestion(scope: scope)),
      .persons(PersonsQuestion(scope: scope)), .releases(ReleasesQuestion(scope: scope)),
    ]
  }()

  @Test(arguments: questions) func `a cancelled question ends at the next chunk`(question: Question) throws {
    #expect(throws: CancellationError.self) {
      try answer(question, Self.snapshot(100), QuestionLimits { true })
    }
  }

  @Test(arguments: questions) func `a question that takes too long says so`(question: Question) throws {
    let error = #expect(throws: QuestionError.self) {
      try answer(question, Self.snapshot(100), QuestionLimits(deadline: .now - .seconds(1)))
    }
    #expect(error?.code == .tooSlow)
  }

  @Test(arguments: questions) func `a question that needs too much memory says so`(question: Question) throws {
    let error = #expect(throws: QuestionError.self) {
      try answer(question, Self.snapshot(400), QuestionLimits(bytes: 8))
    }
    #expect(error?.code == .tooLarge)
  }

  @Test func `only chunks of the question's days are read`() throws {
    let snapshot = Self.snapshot(400)
    let early = QuestionScope(range: .dates(Self.day, Self.day))
    let calendar = try #require(QuestionCalendar("UTC"))
    let result = try ColumnEvaluation.answer(
      .query(QueryQuestion(scope: early, metrics: [.plain(.events)])), snapshot, calendar: calendar, today: Self.day,
      limits: QuestionLimits())
    #expect((1..<200).contains(result.rowsRead))
  }

  @Test func `a chunk is the same after its bytes were read, and damage is found`() throws {
    let chunk = Self.snapshot(20).chunks[0]
    let copy = ChunkMemory(count: chunk.bytes.count)
    UnsafeMutableRawBufferPointer(start: copy.start, count: copy.count).copyMemory(from: chunk.bytes)
    #expect(Chunk(copy)?.header == chunk.header)
    for place in stride(from: 0, to: copy.count, by: 13) {
      copy.start.storeBytes(of: copy.bytes[place] ^ 4, toByteOffset: place, as: UInt8.self)
      #expect(Chunk(copy) == nil, "byte \(place)")
      copy.start.storeBytes(of: copy.bytes[place] ^ 4, toByteOffset: place, as: UInt8.self)
    }
  }

  @Test func `times and IDs far apart, and as many distinct values as rows, are kept`() throws {
    let builder = ChunkBuilder(app: 1, after: 10)
    for row in 0..<Chunk.maximumRows {
      let last = row == Chunk.maximumRows - 1
      builder.append(
        ChunkBuilder.Row(
          id: last ? 1 << 40 : Int64(row + 11), time: last ? TimeBounds.latest : TimeBounds.earliest + Int64(row),
          kind: .event, startsSession: false, slot: UInt32(row), user: UInt32(row), session: Int64(row),
          device: Int64(row)), name: builder.text("Event \(row)")
      ) { ChunkDevice(version: "\(row)", os: "", model: "", country: "", language: "") }
      builder.add(builder.text("text"), text: builder.text("value \(row)"))
      if row % 2 == 0 { builder.add(builder.text("number"), number: Double(row)) }
    }
    #expect(builder.isFull)
    let chunk = builder.finished()
    #expect(ChunkHeader.isValid(chunk.bytes))
    let last = chunk.rows - 1
    #expect(chunk.id(0) == 11 && chunk.id(last) == 1 << 40)
    #expect(chunk.time(1) == TimeBounds.earliest + 1 && chunk.time(last) == TimeBounds.latest)
    #expect(chunk.senderSlots[Int(chunk.senders[last])] == UInt32(last))
    #expect(chunk.text(chunk.labelNames[Int(chunk.labels[last])]).elementsEqual("Event \(last)".utf8))
    let text = try #require(Array("text".utf8).withUnsafeBytes { chunk.property($0) })
    let value = text.texts[Int(text.indexes[last]) - text.numberCount]
    #expect(chunk.text(value).elementsEqual("value \(last)".utf8))
    let number = try #require(Array("number".utf8).withUnsafeBytes { chunk.property($0) })
    #expect(
      number.count == Chunk.maximumRows / 2 && number.rows?[1] == 2 && number.numbers[Int(number.indexes[1])] == 2)
  }

  @Test func `rows with many different names and values fill a chunk before there are 65,536 of them`() {
    // Anyone with an app's public key can send such rows: a builder that counted only rows took 400 MB for 30 MiB of events.
    let builder = ChunkBuilder(app: 1, after: 0)
    var rows: Int64 = 0
    while !builder.isFull {
      rows += 1
      builder.append(
        ChunkBuilder.Row(
          id: rows, time: rows, kind: .event, startsSession: false, slot: 0, user: 0, session: 0, device: 0), name: nil
      ) { ChunkDevice(version: "", os: "", model: "", country: "", language: "") }
      for property in 0..<20 { builder.add(builder.text("property \(rows) \(property)"), text: builder.text("x")) }
    }
    #expect((1_000..<5_000).contains(rows), "\(rows)")
    let chunk = builder.finished()
    #expect(ChunkHeader.isValid(chunk.bytes) && chunk.rows == rows)
  }
}
