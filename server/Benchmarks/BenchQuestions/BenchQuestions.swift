import AppCatalog
import Ingest
import Questions
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

/// Measures how fast questions are answered: `bench-questions DIRECTORY [rows]`, 1,000,000 by default.
///
/// Stores the rows of 100,000 installs over 30 days unless the directory has some, then prints a JSON line for each
/// question: milliseconds, and processor time, of seven answers after a first one.
@main
struct Main {
  static let days = 30
  static let firstDay = Day(year: 2026, month: 10, day: 1)
  private static let runs = 7

  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count > 1 else { return print("bench-questions DIRECTORY [rows]") }
    let directory = arguments[1]
    let rows = arguments.count > 2 ? Int(arguments[2]) ?? 0 : 1_000_000
    let catalog = try Catalog(directory: directory)
    let known = try catalog.apps().first?.id
    let id = try known ?? catalog.createApp(name: "Bench").id
    let warehouse = try SQLiteWarehouse(directory: directory, catalog: catalog)
    if known == nil {
      let start = seconds(CLOCK_MONOTONIC)
      try await store(rows, warehouse, id)
      line("fill", ["rows": Double(rows), "seconds": seconds(CLOCK_MONOTONIC) - start])
    }
    let start = seconds(CLOCK_MONOTONIC)
    let first = try await ask(#"{"metrics": ["events"]}"#, .query, warehouse, id)
    line("first_question", ["rows": Double(first), "ms": (seconds(CLOCK_MONOTONIC) - start) * 1e3])
    for (name, kind, json) in questions { try await measure(name, kind, json, warehouse, id) }
    line("memory", ["peak_mib": Double(peakKiB()) / 1_024])
    try await warehouse.close()
  }

  private static let questions: [(String, Question.Kind, String)] = [
    (
      "query_events", .query,
      """
      {"metrics": ["events"], "dimensions": ["time:day", "property:Category"],
       "filters": [["is", "country", ["DE", "US"]], ["gt", "property:Length", 100]]}
      """
    ),
    (
      "query_users_has_done", .query,
      """
      {"metrics": ["users"], "dimensions": ["time:day", "property:Category"],
       "filters": [["is", "country", ["DE", "US"]], ["gt", "property:Length", 100],
                   ["has_done", {"event": "Event 3"}, {"at_least": 2}]]}
      """
    ),
    (
      "funnel_three_steps", .funnel,
      #"{"steps": [{"event": "Event 0"}, {"event": "Event 1"}, {"event": "Event 2"}], "window": "1d"}"#
    ),
    ("retention_8_weeks", .retention, #"{"interval": "week", "intervals": 8}"#),
    ("paths_depth_5", .paths, #"{"nodes": "both", "depth": 5}"#),
    ("persons_first_page", .persons, "{}"),
    ("lifecycle_by_day", .lifecycle, "{}"),
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

  private static func measure(
    _ name: String, _ kind: Question.Kind, _ json: String, _ warehouse: SQLiteWarehouse, _ app: AppID
  ) async throws {
    var (times, processor, rows) = ([Double](), [Double](), 0)
    for run in 0...runs {
      let (wall, used) = (seconds(CLOCK_MONOTONIC), seconds(CLOCK_PROCESS_CPUTIME_ID))
      rows = try await ask(json, kind, warehouse, app)
      guard run > 0 else { continue }
      times.append((seconds(CLOCK_MONOTONIC) - wall) * 1e3)
      processor.append((seconds(CLOCK_PROCESS_CPUTIME_ID) - used) * 1e3)
    }
    times.sort()
    processor.sort()
    line(
      name,
      [
        "rows": Double(rows), "median_ms": times[runs / 2], "min_ms": times[0], "max_ms": times[runs - 1],
        "processor_ms": processor[runs / 2],
      ])
  }

  private static func store(_ rows: Int, _ warehouse: SQLiteWarehouse, _ app: AppID) async throws {
    let perBatch = 25
    let callers = 64
    let batches = rows / perBatch
    try await withThrowingTaskGroup(of: Void.self) { group in
      for caller in 0..<callers {
        group.addTask {
          var generator = SmallGenerator(state: UInt64(caller + 1))
          for number in stride(from: caller, to: batches, by: callers) {
            let batch = Self.batch(number, of: batches, perBatch, &generator)
            _ = try await warehouse.commit(batch, app: app)
          }
        }
      }
      try await group.waitForAll()
    }
  }

  /// The rows of one session; sessions of later batches begin later.
  private static func batch(_ number: Int, of count: Int, _ size: Int, _ generator: inout SmallGenerator)
    -> IncomingBatch
  {
    let start =
      Int64(firstDay.number) * 86_400_000 + Int64(number) * (Int64(days) * 86_400_000 - 3_600_000) / Int64(count)
    let install = generator.next() % 100_000
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
      installs: [UniqueID(high: install &* 0x9E37_79B9_7F4A_7C15, low: install).description], devices: [device],
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
  let members = values.map { "\"\($0.key)\":\(($0.value * 100).rounded() / 100)" }
  print("{\"figure\":\"\(figure)\",\(members.joined(separator: ","))}")
}
