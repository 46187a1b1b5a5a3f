import BenchSupport
import Foundation
import Tern

extension Bench {
  /// The time and memory that catching crashes adds to the creation of a client.
  func crashStart() async throws {
    let count = max(options.number("rounds", default: 5), 1) * 20
    var without = Samples(capacity: count)
    var with = Samples(capacity: count)
    var bytes: [Int] = []
    for round in 0..<count + 2 {
      // Alternating, so that both have the same conditions. The first rounds load what is loaded once.
      for isCatching in [false, true] {
        let before = residentKibibytes()
        let began = monotonicNanoseconds()
        let client = try client("crash-\(isCatching)") { $0.catchesCrashes = isCatching }
        let took = monotonicNanoseconds() - began
        if isCatching { bytes.append(residentKibibytes() - before) }
        if round >= 2 { if isCatching { with.add(took) } else { without.add(took) } }
        await client.shutdown()
      }
    }
    let (off, on) = (without.quantiles([0.5, 0.9]), with.quantiles([0.5, 0.9]))
    printLine([
      "figure": "crash_start", "rounds": .count(count), "start_p50_us": .number(Double(off[0]) / 1e3),
      "catching_p50_us": .number(Double(on[0]) / 1e3), "added_p50_us": .number(Double(on[0] - off[0]) / 1e3),
      "added_p90_us": .number(Double(on[1] - off[1]) / 1e3), "first_resident_kib": .count(bytes[0]),
      "later_resident_kib": .count(bytes.dropFirst(2).max() ?? 0),
    ])
  }
}
