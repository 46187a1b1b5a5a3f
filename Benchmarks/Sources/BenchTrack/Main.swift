import BenchSupport
import Foundation
import Tern

/// What `track` costs its caller: 4 properties, one thread, no collector within reach, so that every event stays on disk.
@main
struct Main {
  static func main() async throws {
    let options = Options()
    let count = options.number("events", default: 300_000)
    let directory = FileManager.default.temporaryDirectory.appending(path: "tern-bench-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: directory) }

    let before = residentKibibytes()
    // Roomy: what an append costs. At its cap: the same while each append also evicts an old event.
    for (name, bytes) in [("track", 4 << 30), ("track_at_cap", 10 << 20)] {
      let client = try client(in: directory.appending(path: name), maximumQueueBytes: bytes)
      let idle = residentKibibytes()
      for index in 0..<20_000 { track(client, index) }
      var samples = Samples(capacity: count)
      for index in 0..<count {
        let began = monotonicNanoseconds()
        track(client, index)
        samples.add(monotonicNanoseconds() - began)
      }
      let began = monotonicNanoseconds()
      for index in 0..<count { track(client, index) }
      let seconds = Double(monotonicNanoseconds() - began) / 1e9
      let quantiles = samples.quantiles([0.5, 0.99, 0.999, 1])
      printLine([
        "figure": .text(name), "properties": 4, "events": .count(count),
        "p50_us": .number(Double(quantiles[0]) / 1e3), "p99_us": .number(Double(quantiles[1]) / 1e3),
        "p999_us": .number(Double(quantiles[2]) / 1e3), "max_us": .number(Double(quantiles[3]) / 1e3),
        "events_per_second": .count(Int(Double(count) / seconds)),
        "resident_added_idle_kib": .count(idle - before), "resident_added_kib": .count(residentKibibytes() - before),
      ])
      await client.shutdown()
    }
  }

  @inline(__always)
  private static func track(_ client: TernClient, _ index: Int) {
    client.track(
      "Video clicked",
      [
        "Category": "Music", "FileName": "favorite.avi", "Length": .double(Double(index)),
        "HD": .boolean(index % 2 == 0),
      ])
  }

  private static func client(in directory: URL, maximumQueueBytes: Int) throws -> TernClient {
    guard let collector = URL(string: "http://127.0.0.1:9") else { throw CancellationError() }
    var configuration = TernClient.Configuration(key: "bench", collector: collector)
    configuration.queueDirectory = directory
    configuration.maximumQueueBytes = maximumQueueBytes
    configuration.appVersion = "1.0"
    return try TernClient(configuration)
  }
}
