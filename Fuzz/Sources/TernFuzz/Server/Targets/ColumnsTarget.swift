import Ingest
import Questions
import ServerBase
import TernEvents
import Warehouse

@testable import Columns

extension FuzzTarget {
  /// Columns: fourteen bytes for each row, which become a chunk that questions read. Then a byte of the chunk changes, which
  /// must be noticed: readers of a chunk rely on its checksum.
  static var columns: FuzzTarget {
    let questions = questionTexts.map { text in
      do { return try Question(json: Array(text.utf8)) } catch { fatalError("\(text): \(error)") }
    }
    return FuzzTarget(changes: 1) { input in
      guard input.count >= 17 else { return }
      let chunk = chunk(of: input[3...])
      let copy = ChunkMemory(count: chunk.bytes.count)
      UnsafeMutableRawBufferPointer(start: copy.start, count: copy.count).copyMemory(from: chunk.bytes)
      guard let read = Chunk(copy) else { fatalError("A chunk is not read as it was stored") }
      let snapshot = ColumnSnapshot(chunks: [read], names: NoNames())
      for question in questions { answer(question, snapshot) }
      let place = (Int(input[0]) << 8 | Int(input[1])) % chunk.bytes.count
      guard input[2] != 0 else { return }
      let damaged = ChunkMemory(count: chunk.bytes.count)
      let bytes = UnsafeMutableRawBufferPointer(start: damaged.start, count: damaged.count)
      bytes.copyMemory(from: chunk.bytes)
      bytes[place] ^= input[2]
      precondition(Chunk(damaged) == nil, "a damaged chunk is read")
    }
  }

  private static let questionTexts = [
    #"{"metrics":["users","events","sessions","sum:property:A","avg:property:A","p90:property:A","#
      + #""session_duration_p90"],"dimensions":["property:B","time:day"],"date_range":["2026-01-20","2026-02-10"]}"#,
    #"{"kind":"funnel","steps":[{"event":"A"},{"event":"B"}],"date_range":["2026-01-20","2026-02-10"]}"#,
    #"{"kind":"retention","date_range":["2026-01-20","2026-02-10"]}"#,
    #"{"kind":"paths","date_range":["2026-01-20","2026-02-10"]}"#,
    #"{"kind":"persons","date_range":["2026-01-20","2026-02-10"]}"#,
  ]

  private static let extremes: [Double] = [
    0, -0.0, 1, 2.5, 9_007_199_254_740_992, 1e308, -1e308, .leastNonzeroMagnitude, .infinity, -.infinity, .nan, 9.3e18,
  ]

  private static func chunk(of bytes: UnsafeRawBufferPointer.SubSequence) -> Chunk {
    let builder = ChunkBuilder(app: 1, after: 0)
    var rest = bytes
    var time = FuzzTarget.moments[0].millisecondsSince1970
    var id: Int64 = 0
    while rest.count >= 14, builder.rows < 500 {
      let row = Array(rest.prefix(14))
      rest = rest.dropFirst(14)
      id += Int64(row[0]) + 1
      // Steps of a byte times a power of two, back and forth, within the times that rows can have.
      let step = Int64(row[1]) << Int64(row[2] % 34)
      let next = row[3] & 1 == 0 ? time + step : time - step
      if TimeBounds.contains(next) { time = next }
      let kind = QuestionKind.stored[Int(row[4]) % QuestionKind.stored.count]
      let name = kind == .event || kind == .screen ? builder.text(["A", "B", "", "C"][Int(row[5]) % 4]) : nil
      builder.append(
        ChunkBuilder.Row(
          id: id, time: time, kind: kind, startsSession: row[6] & 1 == 1, slot: UInt32(row[7]),
          user: UInt32(row[8] % 5),
          session: Int64(bitPattern: UInt64(row[9]) << 56), device: Int64(row[10])), name: name
      ) { ChunkDevice(version: "\(row[10])", os: "", model: "m", country: "BR", language: "pt") }
      switch row[11] % 4 {
      case 1: builder.add(builder.text("A"), number: extremes[Int(row[12]) % extremes.count])
      case 2: builder.add(builder.text("A"), text: builder.text("\(row[12])"))
      case 3: builder.add(builder.text("B"), number: Double(bitPattern: UInt64(row[12]) << 56 | UInt64(row[13]) << 48))
      default: break
      }
    }
    return builder.finished()
  }

  private static func answer(_ question: Question, _ snapshot: ColumnSnapshot) {
    guard let calendar = QuestionCalendar("Europe/Berlin") else { fatalError("There is no such zone") }
    do {
      _ = try ColumnEvaluation.answer(
        question, snapshot, calendar: calendar, today: Day(year: 2026, month: 2, day: 10), limits: QuestionLimits())
    } catch is QuestionError {
      return
    } catch {
      fatalError("\(error)")
    }
  }
}

/// Names of persons, which are their numbers.
private struct NoNames: PersonNames {
  func installs() -> [String] { (0..<256).map { "\($0)" } }
  func install(_ number: UInt32) -> String { "\(number)" }
  func users() -> [String] { (0..<256).map { "\($0)" } }
  func user(_ number: UInt32) -> String { "\(number)" }
  /// A hostile chunk's identifiers that are numbers name users and installs.
  func numbers(of persons: [[String]]) -> [IdentifierNumbers] {
    persons.map { identifiers in
      let numbers = identifiers.compactMap { UInt32($0) }
      return IdentifierNumbers(users: numbers, installs: numbers)
    }
  }
  func errors(ofGroup number: Int64) -> [Int64] { [number] }
  func firstErrors() -> [Int64: Int64] { [1: 1, 2: 3] }
}
