import BenchSupport
import Foundation
import Tern

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Bench {
  /// Measures the cost of `track` on one thread without a reachable collector, and of the write alone for comparison.
  func trackLatency() async throws {
    let count = options.number("events", default: 300_000)
    // The memory of the samples is not the client's.
    var samples = Samples(capacity: count)
    let before = residentKibibytes()
    // With room: the cost of an append. At the limit: the same, with each append also evicting an old event.
    for (name, bytes) in [("track", 4 << 30), ("track_at_cap", 10 << 20)] {
      let client = try client(name, maximumQueueBytes: bytes)
      let idle = residentKibibytes()
      for index in 0..<20_000 { track(client, index) }
      samples.removeAll()
      for index in 0..<count {
        let began = monotonicNanoseconds()
        track(client, index)
        samples.add(monotonicNanoseconds() - began)
      }
      let began = monotonicNanoseconds()
      for index in 0..<count { track(client, index) }
      let seconds = Double(monotonicNanoseconds() - began) / 1e9
      let resident = residentKibibytes()
      let quantiles = samples.quantiles([0.5, 0.99, 0.999, 1])
      let floor = try writeFloor(bytes: 170, count: count)
      printLine([
        "figure": .text(name), "properties": 4, "events": .count(count),
        "p50_us": .number(Double(quantiles[0]) / 1e3), "p99_us": .number(Double(quantiles[1]) / 1e3),
        "p999_us": .number(Double(quantiles[2]) / 1e3), "max_us": .number(Double(quantiles[3]) / 1e3),
        "write_alone_p50_us": .number(Double(floor) / 1e3),
        "p50_in_writes": .number(Double(quantiles[0]) / Double(max(floor, 1))),
        "events_per_second": .count(Int(Double(count) / seconds)),
        "resident_added_idle_kib": .count(idle - before), "resident_added_kib": .count(resident - before),
      ])
      await client.shutdown()
    }
  }

  /// The median time of one `pwrite` that appends the given number of bytes to a file, in nanoseconds: a lower bound
  /// for anything durable.
  private func writeFloor(bytes: Int, count: Int) throws -> Int64 {
    let path = directory.appending(path: "floor").path
    let file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0o600)
    guard file >= 0 else { throw BenchError(message: "cannot write \(path)") }
    defer {
      close(file)
      unlink(path)
    }
    let buffer = [UInt8](repeating: 0x78, count: bytes)
    var samples = Samples(capacity: count)
    for index in 0..<count {
      let began = monotonicNanoseconds()
      _ = pwrite(file, buffer, bytes, off_t(index * bytes))
      samples.add(monotonicNanoseconds() - began)
    }
    return samples.quantiles([0.5])[0]
  }

  /// The same from several threads while the client delivers to a collector.
  func trackWhileDraining(threads: Int) async throws {
    let count = options.number("events", default: 200_000) / threads
    let client = try connected("threads-\(threads)")
    for index in 0..<20_000 { track(client, index) }
    let began = monotonicNanoseconds()
    let all = await withTaskGroup(of: [Int64].self) { group in
      for _ in 0..<threads {
        group.addTask {
          var samples: [Int64] = []
          samples.reserveCapacity(count)
          for index in 0..<count {
            let began = monotonicNanoseconds()
            track(client, index)
            samples.append(monotonicNanoseconds() - began)
          }
          return samples
        }
      }
      return await group.reduce(into: [Int64]()) { $0 += $1 }
    }
    let seconds = Double(monotonicNanoseconds() - began) / 1e9
    var samples = Samples(capacity: all.count)
    for sample in all { samples.add(sample) }
    let quantiles = samples.quantiles([0.5, 0.99, 0.999])
    let delivered = client.status.delivered
    printLine([
      "figure": "track_while_draining", "threads": .count(threads), "events": .count(all.count),
      "delivered_meanwhile": .count(delivered), "p50_us": .number(Double(quantiles[0]) / 1e3),
      "p99_us": .number(Double(quantiles[1]) / 1e3), "p999_us": .number(Double(quantiles[2]) / 1e3),
      "events_per_second": .count(Int(Double(all.count) / seconds)),
    ])
    await client.flush()
    await client.shutdown()
  }
}
