import Columns
import Dispatch
import Ingest
import Questions
import ServerBase
import Threads
import Warehouse

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Times of questions by the number of rows, over columns that are only in memory.
///
/// Batches of 50 rows of 200,000 installs, a few of them very active, lie spread over 24 days. An install has one session, so that
/// paths must put the rows of each session together from all chunks, which costs most.
struct QuestionTable {
  private static let firstDay = Day(year: 2026, month: 10, day: 1)
  private static let days = 24
  private static let installs = 200_000.0
  private static let runs = 5
  private static let batch = 50

  private static let questions: [(name: String, kind: Question.Kind, json: String)] = [
    ("query, days × versions", .query, #"{"metrics": ["events"], "dimensions": ["time:day", "version"]}"#),
    (
      "users who have done", .query,
      #"{"metrics": ["users"], "dimensions": ["time:day"], "filters": [["has_done", {"event": "Event 3"}, {"at_least": 2}]]}"#
    ),
    (
      "funnel of three steps", .funnel,
      #"{"steps": [{"event": "Event 0"}, {"event": "Event 1"}, {"event": "Event 2"}], "window": "1d"}"#
    ),
    ("retention by week", .retention, #"{"interval": "week", "intervals": 4}"#),
    ("paths, depth 5", .paths, #"{"nodes": "both", "depth": 5}"#),
  ]

  /// Prints, for each number of rows in millions, the least milliseconds of each question, and how many of them were refused.
  static func print(millions: [Double]) throws {
    for millions in millions {
      let snapshot = snapshot(Int(millions * 1e6))
      for question in questions {
        var (times, refusals) = ([Double](), 0)
        let memory = MemoryPeak()
        for _ in 0..<runs {
          let start = seconds(CLOCK_MONOTONIC)
          do { try ask(question.json, question.kind, snapshot) } catch is QuestionError { refusals += 1 }
          times.append((seconds(CLOCK_MONOTONIC) - start) * 1e3)
        }
        line(
          question.name,
          [
            "million_rows": millions, "min_ms": times.min() ?? 0, "ms_per_million": (times.min() ?? 0) / millions,
            "memory_mib": memory.end(), "refused": Double(refusals),
          ])
      }
    }
  }

  private static func ask(_ json: String, _ kind: Question.Kind, _ snapshot: ColumnSnapshot) throws {
    let today = firstDay.advanced(by: days - 1)
    guard let calendar = QuestionCalendar("UTC") else { return }
    let question = try Question(kind, json: Array(json.utf8)).resolved(today: today)
    _ = try ColumnEvaluation.answer(
      question, snapshot, calendar: calendar, today: today, limits: QuestionLimits(),
      threads: ParallelThreads(count: 2) { job in DispatchQueue.global().async(execute: job) })
  }

  private static func snapshot(_ rows: Int) -> ColumnSnapshot {
    var (generator, chunks) = (SmallGenerator(state: 7), [Chunk]())
    var builder = ChunkBuilder(app: 1, after: 0)
    let span = Int64(days) * 86_400_000 - 60_000
    for first in stride(from: 0, to: rows, by: batch) {
      if builder.rows + batch > Chunk.maximumRows {
        chunks.append(builder.finished())
        builder = ChunkBuilder(app: 1, after: Int64(first))
      }
      let chance = Double(generator.next() >> 11) / Double(1 << 53)
      let install = UInt32(chance * chance * installs)
      let start = Int64(firstDay.number) * 86_400_000 + Int64(Double(first) / Double(rows) * Double(span))
      for index in 0..<batch {
        append(&generator, to: builder, id: Int64(first + index + 1), time: start + Int64(index) * 200, install)
      }
    }
    chunks.append(builder.finished())
    return ColumnSnapshot(chunks: chunks, names: NoNames())
  }

  private static func append(
    _ generator: inout SmallGenerator, to builder: ChunkBuilder, id: Int64, time: Int64, _ install: UInt32
  ) {
    let random = generator.next()
    let chance = Double(random >> 11) / Double(1 << 53)
    builder.append(
      ChunkBuilder.Row(
        id: id, time: time + Int64(random % 200), kind: .event, startsSession: false, slot: install, user: 0,
        session: Int64(install) + 1, device: Int64(install % 100)),
      name: builder.text("Event \(Int(chance * chance * chance * 101))")
    ) {
      ChunkDevice(
        version: "3.\(install % 4).0", os: "iOS 17.\(install % 6)", model: "iPhone\(install % 5)", country: "DE",
        language: "de")
    }
    builder.add(builder.text("Length"), number: Double(random >> 16 % 300))
  }
}

/// No question of the table needs a name.
private struct NoNames: PersonNames {
  func installs() -> [String] { [] }
  func install(_ number: UInt32) -> String { "" }
  func users() -> [String] { [] }
  func user(_ number: UInt32) -> String { "" }
  func numbers(of persons: [[String]]) -> [IdentifierNumbers] { [] }
  func errors(ofGroup number: Int64) -> [Int64] { [] }
  func firstErrors() -> [Int64: Int64] { [:] }
}
