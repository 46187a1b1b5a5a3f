import AppCatalog
import Ingest
import Questions
import ServerBase
import TernBase
import TernEvents
import Warehouse
import WarehouseSQLite

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Measures how fast questions are answered: `bench-questions fill|ask DIRECTORY [rows] [seconds]`, or `bench-questions table
/// MILLIONS…` for rows that are only in memory.
///
/// `fill` stores rows of 100,000 installs over 30 days, 1,000,000 by default, for 600 seconds at most. `ask` prints a
/// JSON line for each question: the milliseconds, processor time and memory of seven answers after a first one, and the
/// most that the specification allows for ten million rows on two cores. They are two commands so that the memory of
/// storing rows is not taken for that of questions.
@main
struct Main {
  static let days = 30
  static let firstDay = Day(year: 2026, month: 10, day: 1)
  static let installs: UInt64 = 100_000
  private static let runs = 7
  /// A question that takes this many seconds is asked fewer times.
  private static let slowSeconds = 5.0

  static func main() async throws {
    let arguments = CommandLine.arguments
    if arguments.count > 2, arguments[1] == "table" {
      return try QuestionTable.print(millions: arguments.dropFirst(2).compactMap { Double($0) })
    }
    guard arguments.count > 2, ["fill", "ask"].contains(arguments[1]) else {
      return print("bench-questions fill|ask DIRECTORY [rows] [seconds], or bench-questions table MILLIONS…")
    }
    let directory = arguments[2]
    let catalog = try Catalog(directory: directory)
    let id = try catalog.apps().first?.id ?? catalog.createApp(name: "Bench").id
    let opening = seconds(CLOCK_MONOTONIC)
    let warehouse = try SQLiteWarehouse(directory: directory, catalog: catalog)
    if arguments[1] == "fill" {
      let rows = arguments.count > 3 ? Int(arguments[3]) ?? 0 : 1_000_000
      try await fill(rows, within: arguments.count > 4 ? Double(arguments[4]) ?? 0 : 600, warehouse, id)
    } else {
      let stored = try await ask(#"{"metrics": ["events"]}"#, .query, warehouse, id)
      line("first_question", ["rows": Double(stored), "ms": (seconds(CLOCK_MONOTONIC) - opening) * 1e3])
      for question in questions {
        try await measure(question.name, aim: question.aim) {
          try await ask(question.json, question.kind, warehouse, id)
        }
      }
      try await measure("trail_first_page", aim: 50) { try await trail(warehouse, id) }
      line("memory", ["peak_mib": Double(peakKiB()) / 1_024])
    }
    try await warehouse.close()
  }

  private static func fill(_ rows: Int, within limit: Double, _ warehouse: SQLiteWarehouse, _ app: AppID) async throws {
    let start = seconds(CLOCK_MONOTONIC)
    let stored = try await store(rows, until: start + limit, warehouse, app)
    // Makes the columns of the last rows, too.
    _ = try await ask(#"{"metrics": ["events"]}"#, .query, warehouse, app)
    line("fill", ["rows": Double(stored), "seconds": seconds(CLOCK_MONOTONIC) - start])
  }

  private static let questions: [(name: String, kind: Question.Kind, aim: Double, json: String)] = [
    (
      "query_events", .query, 100,
      """
      {"metrics": ["events"], "dimensions": ["time:day", "property:Category"],
       "filters": [["is", "country", ["DE", "US"]], ["gt", "property:Length", 100]]}
      """
    ),
    (
      "query_users_has_done", .query, 200,
      """
      {"metrics": ["users"], "dimensions": ["time:day", "property:Category"],
       "filters": [["is", "country", ["DE", "US"]], ["gt", "property:Length", 100],
                   ["has_done", {"event": "Event 3"}, {"at_least": 2}]]}
      """
    ),
    (
      "funnel_three_steps", .funnel, 200,
      #"{"steps": [{"event": "Event 0"}, {"event": "Event 1"}, {"event": "Event 2"}], "window": "1d"}"#
    ),
    ("retention_8_weeks", .retention, 100, #"{"interval": "week", "intervals": 8}"#),
    ("paths_depth_5", .paths, 300, #"{"nodes": "both", "depth": 5}"#),
    ("persons_first_page", .persons, 50, "{}"),
    ("lifecycle_by_day", .lifecycle, .infinity, "{}"),
  ]

  /// Asks over all days; returns the number of rows read.
  private static func ask(_ json: String, _ kind: Question.Kind, _ warehouse: SQLiteWarehouse, _ app: AppID)
    async throws -> Int
  {
    let today = firstDay.advanced(by: days - 1)
    let question = try Question(kind, json: Array(json.utf8)).resolved(today: today)
    guard let calendar = QuestionCalendar("UTC") else { return 0 }
    return try await warehouse.reader.answer(question, app: app, calendar: calendar, today: today).rowsRead
  }

  /// Reads the latest rows of another install each time; returns their number.
  private static func trail(_ warehouse: SQLiteWarehouse, _ app: AppID) async throws -> Int {
    let person = Person.install(name(ofInstall: generator.withLock { $0.next() % installs }))
    return try await warehouse.reader.trail(of: person, app: app, .latest, limit: 100)?.count ?? 0
  }

  private static let generator = Locked(SmallGenerator(state: 7))

  /// - Parameter aim: The most milliseconds, as specified; infinite if nothing is.
  private static func measure(_ name: String, aim: Double, _ body: () async throws -> Int) async throws {
    var (times, processor, rows) = ([Double](), [Double](), 0)
    let memory = MemoryPeak()
    for run in 0...runs {
      let (wall, used) = (seconds(CLOCK_MONOTONIC), seconds(CLOCK_PROCESS_CPUTIME_ID))
      rows = max(rows, try await body())
      let taken = seconds(CLOCK_MONOTONIC) - wall
      guard run > 0 || taken > slowSeconds else { continue }
      times.append(taken * 1e3)
      processor.append((seconds(CLOCK_PROCESS_CPUTIME_ID) - used) * 1e3)
      if taken > slowSeconds { break }
    }
    times.sort()
    processor.sort()
    let middle = times.count / 2
    line(
      name,
      [
        "rows": Double(rows), "median_ms": times[middle], "min_ms": times[0], "max_ms": times[times.count - 1],
        "aim_ms_at_10m_rows": aim, "processor_ms": processor[middle], "memory_mib": memory.end(), "aim_mib": 256,
      ])
  }

  /// Stores rows until a time; returns their number.
  private static func store(
    _ rows: Int, until end: Double, _ warehouse: SQLiteWarehouse, _ app: AppID
  ) async throws -> Int {
    let perBatch = 25
    // Commits wait for the disk together.
    let callers = 1_024
    let batches = rows / perBatch
    return try await withThrowingTaskGroup(of: Int.self) { group in
      for caller in 0..<callers {
        group.addTask {
          var generator = SmallGenerator(state: UInt64(caller + 1))
          var stored = 0
          for number in stride(from: caller, to: batches, by: callers) where seconds(CLOCK_MONOTONIC) < end {
            let batch = Self.batch(number, of: batches, perBatch, &generator)
            _ = try await warehouse.commit(batch, app: app)
            stored += perBatch
          }
          return stored
        }
      }
      return try await group.reduce(0, +)
    }
  }

  private static func name(ofInstall number: UInt64) -> String {
    UniqueID(high: number &* 0x9E37_79B9_7F4A_7C15, low: number).description
  }

  /// The rows of one session; sessions of later batches begin later.
  private static func batch(_ number: Int, of count: Int, _ size: Int, _ generator: inout SmallGenerator)
    -> IncomingBatch
  {
    let start =
      Int64(firstDay.number) * 86_400_000 + Int64(number) * (Int64(days) * 86_400_000 - 3_600_000) / Int64(count)
    let install = generator.next() % installs
    let version = Int(install % 5)
    let device = IncomingDevice(
      osName: "iOS", osVersion: "17.\(install % 6)", model: "iPhone\(install % 17),2", locale: "de_DE",
      country: ["DE", "US", "BR", "JP", "IN", "FR", "GB", "MX", "IT", "ES"][Int(install / 7 % 10)],
      timeZoneOffsetMinutes: 0, appVersion: "3.\(version).0", appBuild: "41\(version)")
    let session = Int64(generator.next() >> 1)
    let events = (0..<size).map { index in
      let random = generator.next()
      let chance = Double(random >> 11) / Double(1 << 53)
      let kind: StoredKind =
        index == 0 ? .sessionStart : random % 500 == 0 ? .crash : random % 4 == 0 ? .screen : .event
      return IncomingEvent(
        index: index, kind: kind, duplicateKey: nil,
        time: Timestamp(millisecondsSince1970: start + Int64(index) * 20_000 + Int64(random % 20_000)),
        session: session,
        startsSession: index == 0, user: install % 3 == 0 ? "user \(install)" : "",
        name: kind == .event ? "Event \(Int(chance * chance * 40))" : "Screen \(Int(chance * 12))",
        properties: kind != .event
          ? []
          : [
            .init(name: "Category", value: .string("Category \((random >> 8) % 8)")),
            .init(name: "Length", value: .integer(Int64((random >> 16) % 600))),
          ])
    }
    return IncomingBatch(
      source: .native, received: Timestamp(millisecondsSince1970: start + 600_000),
      installs: [name(ofInstall: install)], devices: [device],
      events: events)
  }
}

/// SplitMix64.
struct SmallGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

func seconds(_ clock: clockid_t) -> Double {
  var time = timespec()
  clock_gettime(clock, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// The most memory that the process has held; 0 where the system doesn't tell.
func peakKiB() -> Int {
  var usage = rusage()
  #if canImport(Darwin)
    getrusage(RUSAGE_SELF, &usage)
  #else
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
  #endif
  return Int(usage.ru_maxrss)
}

func line(_ figure: String, _ values: KeyValuePairs<String, Double>) {
  let members = values.compactMap { $0.value.isFinite ? "\"\($0.key)\":\(($0.value * 100).rounded() / 100)" : nil }
  print("{\"figure\":\"\(figure)\",\(members.joined(separator: ","))}")
}
