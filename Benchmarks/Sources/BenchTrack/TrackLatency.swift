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
    let rounds = max(options.number("rounds", default: 5), 1)
    // The memory of the samples, and of sorting them, is not the client's.
    var samples = Samples(capacity: count)
    for _ in 0..<count / rounds { samples.add(1) }
    _ = samples.quantiles([0.5])
    let before = residentKibibytes()
    // With room: the cost of an append. At the limit: the same, with each append also evicting an old event.
    for (name, bytes) in [("track", 4 << 30), ("track_at_cap", 10 << 20)] {
      let client = try client(name, maximumQueueBytes: bytes)
      let idle = residentKibibytes()
      for index in 0..<20_000 { track(client, index) }
      var quantiles = Rounds()
      var rates = Rounds()
      for _ in 0..<rounds {
        samples.removeAll()
        for index in 0..<count / rounds {
          let began = monotonicNanoseconds()
          track(client, index)
          samples.add(monotonicNanoseconds() - began)
        }
        quantiles.add(samples.quantiles([0.5, 0.99, 0.999, 1]).map { Double($0) / 1e3 })
        let began = monotonicNanoseconds()
        for index in 0..<count / rounds { track(client, index) }
        rates.add([Double(count / rounds) * 1e9 / Double(monotonicNanoseconds() - began)])
      }
      let resident = residentKibibytes()
      let floor = Double(try writeFloor(bytes: 170, count: count)) / 1e3
      printLine([
        "figure": .text(name), "properties": 4, "events": .count(count), "rounds": .count(rounds),
        "p50_us": .number(quantiles.median(0)), "p99_us": .number(quantiles.median(1)),
        "p999_us": .number(quantiles.median(2)), "p999_us_lowest": .number(quantiles.lowest(2)),
        "p999_us_highest": .number(quantiles.highest(2)), "max_us": .number(quantiles.highest(3)),
        "write_alone_p50_us": .number(floor), "p50_in_writes": .number(quantiles.median(0) / max(floor, 0.001)),
        "events_per_second": .count(Int(rates.median(0))), "events_per_second_lowest": .count(Int(rates.lowest(0))),
        "events_per_second_highest": .count(Int(rates.highest(0))),
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
    let rounds = max(options.number("rounds", default: 5), 1)
    let count = options.number("events", default: 200_000) / threads / rounds
    let client = try connected("threads-\(threads)")
    for index in 0..<20_000 { track(client, index) }
    var quantiles = Rounds()
    var rates = Rounds()
    for _ in 0..<rounds {
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
      rates.add([Double(all.count) * 1e9 / Double(monotonicNanoseconds() - began)])
      var samples = Samples(capacity: all.count)
      for sample in all { samples.add(sample) }
      quantiles.add(samples.quantiles([0.5, 0.99, 0.999]).map { Double($0) / 1e3 })
    }
    printLine([
      "figure": "track_while_draining", "threads": .count(threads), "events": .count(count * threads * rounds),
      "rounds": .count(rounds), "delivered_meanwhile": .count(client.status.delivered),
      "p50_us": .number(quantiles.median(0)), "p99_us": .number(quantiles.median(1)),
      "p99_us_lowest": .number(quantiles.lowest(1)), "p99_us_highest": .number(quantiles.highest(1)),
      "p999_us": .number(quantiles.median(2)), "p999_us_lowest": .number(quantiles.lowest(2)),
      "p999_us_highest": .number(quantiles.highest(2)), "events_per_second": .count(Int(rates.median(0))),
    ])
    await client.flush()
    await client.shutdown()
  }
}

/// The figures of several rounds of a measurement; their spread shows how far the rest of the machine disturbed it.
struct Rounds {
  private var rounds: [[Double]] = []

  mutating func add(_ figures: [Double]) { rounds.append(figures) }

  func median(_ index: Int) -> Double { sorted(index)[rounds.count / 2] }
  func lowest(_ index: Int) -> Double { sorted(index)[0] }
  func highest(_ index: Int) -> Double { sorted(index)[rounds.count - 1] }

  private func sorted(_ index: Int) -> [Double] { rounds.map { $0[index] }.sorted() }
}
