import AppCatalog
import Ingest
import ServerBase
import TernEvents
import Warehouse
import WarehouseSQLite
import WarehouseUpkeep

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Measures how fast batches are stored, without HTTP and JSON: `bench-warehouse DIRECTORY [events] [callers]`. Then, if
/// asked with further arguments, the time that `tern verify` and `tern rebuild` take.
///
/// Each million events prints a line: events a second, processor time and bytes written per event since the line before.
@main
struct Main {
  static let perBatch = 50
  private static let portion = 1_000_000

  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count > 1 else {
      return print("bench-warehouse DIRECTORY [events] [callers] [verify] [rebuild]")
    }
    let directory = arguments[1]
    let events = arguments.count > 2 ? Int(arguments[2]) ?? 0 : 2_000_000
    let callers = arguments.count > 3 ? Int(arguments[3]) ?? 32 : 32
    let catalog = try Catalog(directory: directory)
    let app = try catalog.apps().first?.id ?? catalog.createApp(name: "Bench").id
    try await store(events, callers: callers, app, directory, catalog)
    if arguments.contains("verify") {
      let start = seconds(CLOCK_MONOTONIC)
      let reader = try SQLiteWarehouse.openForReading(directory: directory, catalog: catalog)
      let report = try await reader.verify()
      try reader.close()
      print(
        "verify: \(report.events) events in \(rounded(seconds(CLOCK_MONOTONIC) - start)) s, clean: \(report.isClean)")
    }
    if arguments.contains("rebuild") {
      let (start, written) = (seconds(CLOCK_MONOTONIC), bytesWritten())
      try SQLiteWarehouse.rebuild(directory: directory, catalog: catalog)
      print("rebuild: \(rounded(seconds(CLOCK_MONOTONIC) - start)) s, \((bytesWritten() - written) >> 20) MiB written")
    }
  }

  private static func store(
    _ events: Int, callers: Int, _ app: AppID, _ directory: String, _ catalog: Catalog
  ) async throws {
    let templates = (0..<64).map(template)
    let seed = UInt64(WallClock.system().millisecondsSince1970)
    var generator = SmallGenerator(state: seed)
    let before = seconds(CLOCK_THREAD_CPUTIME_ID)
    for _ in 0..<2_000 { _ = nextBatch(templates, &generator) }
    let generation = (seconds(CLOCK_THREAD_CPUTIME_ID) - before) / Double(2_000 * perBatch)
    print("making an event: \(rounded(generation * 1e6)) us, not counted below")
    let warehouse = try SQLiteWarehouse(directory: directory, catalog: catalog)
    for start in stride(from: 0, to: events, by: portion) {
      let batches = min(portion, events - start) / perBatch
      let (wall, processor, written) = (seconds(CLOCK_MONOTONIC), seconds(CLOCK_PROCESS_CPUTIME_ID), bytesWritten())
      let waits = try await withThrowingTaskGroup(of: [Double].self) { group in
        for caller in 0..<callers {
          let generator = SmallGenerator(state: generator.next())
          let count = (batches + callers - 1 - caller) / callers
          group.addTask { try await call(warehouse, app, templates, generator, batches: count) }
        }
        return try await group.reduce(into: [Double]()) { $0 += $1 }
      }.sorted()
      let count = Double(batches * perBatch)
      let took = seconds(CLOCK_MONOTONIC) - wall
      let used = (seconds(CLOCK_PROCESS_CPUTIME_ID) - processor) / count - generation
      print(
        "\((start + batches * perBatch) / 1_000) k: \(Int(count / took)) events/s, processor \(rounded(used * 1e6)) us/event,",
        "written \((bytesWritten() - written) / Int(count)) B/event, p50 \(rounded(waits[waits.count / 2] * 1e3))",
        "p99 \(rounded(waits[waits.count * 99 / 100] * 1e3)) max \(rounded((waits.last ?? 0) * 1e3)) ms")
    }
    let closing = seconds(CLOCK_MONOTONIC)
    try await warehouse.close()
    print("close: \(rounded(seconds(CLOCK_MONOTONIC) - closing)) s")
  }

  /// Stores batches one after the other; returns the seconds that each waited.
  private static func call(
    _ warehouse: SQLiteWarehouse, _ app: AppID, _ templates: [IncomingBatch], _ generator: SmallGenerator, batches: Int
  ) async throws -> [Double] {
    var generator = generator
    var waits: [Double] = []
    for _ in 0..<batches {
      let batch = nextBatch(templates, &generator)
      let before = seconds(CLOCK_MONOTONIC)
      _ = try await warehouse.commit(batch, app: app)
      waits.append(seconds(CLOCK_MONOTONIC) - before)
    }
    return waits
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

/// A batch as `bench-load` sends it, of which times, keys, session and install are replaced.
func template(_ number: Int) -> IncomingBatch {
  let device = IncomingDevice(
    osName: "iOS", osVersion: "17.\(number % 6).1",
    model: ["iPhone15,2", "iPhone14,5", "iPad13,4", "iPhone12,1", "iPhone16,1"][number % 5], locale: "pt_BR",
    country: ["BR", "US", "DE", "JP", "IN", "FR", "GB", "MX"][number / 5 % 8], timeZoneOffsetMinutes: -180,
    appVersion: "3.\(number % 4).0", appBuild: "41\(number % 4)", sdkName: "appcenter.ios", sdkVersion: "5.0.7")
  let events = (0..<Main.perBatch).map { event in
    let chance = Double((number &* 31 &+ event &* 7) &* 2_654_435_761 & 0xFFFF) / 65_536
    let properties: [Properties.Element] = [
      .init(name: "Category", value: .string(["Music", "Film", "Sport", "News"][(number + event) % 4])),
      .init(name: "Length", value: .double(Double((number * 13 + event * 5) % 300) + 0.5)),
      .init(name: "HD", value: .boolean(event % 3 == 0)),
      .init(name: "Position", value: .integer(Int64((number + event) % 20))),
    ]
    return IncomingEvent(
      index: event, duplicateKey: nil, time: Timestamp(millisecondsSince1970: 0),
      name: "Event \(Int(chance * chance * chance * 101))", properties: properties)
  }
  return IncomingBatch(
    source: .appCenter, received: Timestamp(millisecondsSince1970: 0), devices: [device], events: events)
}

func nextBatch(_ templates: [IncomingBatch], _ generator: inout SmallGenerator) -> IncomingBatch {
  var batch = templates[Int(generator.next() % 64)]
  let now = WallClock.system()
  let chance = Double(generator.next() >> 11) / Double(1 << 53)
  let install = UInt64(chance * chance * 200_000) &* 0x9E37_79B9_7F4A_7C15
  batch.received = now
  batch.installs = [UniqueID(high: install, low: install).description]
  let session = Int64(generator.next() >> 1)
  for index in batch.events.indices {
    let random = generator.next()
    let time = now - .milliseconds(10_000 - Int64(index) * 200 - Int64(random % 200))
    batch.events[index].time = time
    batch.events[index].session = session
    batch.events[index].duplicateKey = DuplicateKey(
      milliseconds: time.millisecondsSince1970, hash: Int64(bitPattern: generator.next()))
  }
  return batch
}

func seconds(_ clock: clockid_t) -> Double {
  var time = timespec()
  clock_gettime(clock, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// The bytes that this process has caused to be written to disk; 0 where the system doesn't tell.
func bytesWritten() -> Int {
  guard let file = fopen("/proc/self/io", "r") else { return 0 }
  defer { fclose(file) }
  var text = [UInt8](repeating: 0, count: 1_024)
  let count = fread(&text, 1, text.count, file)
  let lines = String(decoding: text[..<count], as: UTF8.self).split(separator: "\n")
  return lines.first { $0.hasPrefix("write_bytes: ") }.flatMap { Int($0.dropFirst(13)) } ?? 0
}

func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
