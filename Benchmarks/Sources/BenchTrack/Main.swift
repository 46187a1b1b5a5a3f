import BenchSupport
import Foundation
import Tern

/// Measurements of the client, one JSON line each; see `Scripts/bench`.
///
/// `--what track|drain|open|idle|backlog|crash` selects a measurement, `--events N` sets the number of events, `--rounds N`
/// the number of rounds whose medians and extremes are printed. `drain`, and the threads that track while a drain runs,
/// deliver to `--collector URL --key KEY`, or within the process without it.
@main
struct Main {
  static func main() async throws {
    let options = Options(
      usage:
        "bench-track --what track|drain|open|idle|backlog|crash [--events N] [--rounds N] [--collector URL --key KEY]")
    let directory = FileManager.default.temporaryDirectory.appending(path: "tern-bench-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: directory) }
    let bench = Bench(options: options, directory: directory)
    switch options.text("what", default: "track") {
    case "track": try await bench.trackLatency()
    case "drain":
      for threads in [1, 4] { try await bench.trackWhileDraining(threads: threads) }
      try await bench.drain()
    case "open": try await bench.openFull()
    case "idle": try await bench.idle()
    case "backlog": try await bench.backlog()
    case "crash": try await bench.crashStart()
    default: throw BenchError(message: "--what takes track, drain, open, idle, backlog or crash")
    }
  }
}

/// The reason why a benchmark failed.
struct BenchError: Error, CustomStringConvertible {
  var message: String
  var description: String { message }
}

/// The options and helpers of all benchmarks.
struct Bench: Sendable {
  let options: Options
  let directory: URL

  /// Creates a client with the given collector, or with an unreachable one, so that every event stays on disk.
  func client(
    _ name: String, maximumQueueBytes: Int = 10 << 20, collector: String = "http://127.0.0.1:9", key: String = "bench",
    transport: (any Transport)? = nil, _ configure: (inout TernClient.Configuration) -> Void = { _ in }
  ) throws -> TernClient {
    guard let collector = URL(string: collector) else { throw BenchError(message: "\(collector) is no URL") }
    var configuration = TernClient.Configuration(key: key, collector: collector)
    configuration.queueDirectory = directory.appending(path: name)
    configuration.maximumQueueBytes = maximumQueueBytes
    configuration.appVersion = "1.0"
    configure(&configuration)
    var environment = TernClient.Environment.live
    if let transport { environment.transport = transport }
    return try TernClient(configuration, environment: environment)
  }

  /// A client of the collector on the command line, or of one in this process that accepts everything.
  func connected(
    _ name: String, _ configure: (inout TernClient.Configuration) -> Void = { _ in }
  ) throws -> TernClient {
    let collector = options.text("collector", default: "")
    let key = options.text("key", default: "")
    if collector.isEmpty {
      // The transport knows the size of a batch only while there is no other.
      return try client(name, maximumQueueBytes: 1 << 30, transport: AcceptingTransport()) {
        $0.maximumBatchesInFlight = 1
        configure(&$0)
      }
    }
    if key.isEmpty { throw BenchError(message: "give --key KEY") }
    return try client(name, maximumQueueBytes: 1 << 30, collector: collector, key: key, configure)
  }

  /// An event with 4 properties.
  @inline(__always)
  func track(_ client: TernClient, _ index: Int) {
    client.track(
      "Video clicked",
      [
        "Category": "Music", "FileName": "favorite.avi", "Length": Double(index),
        "HD": index % 2 == 0,
      ])
  }
}
