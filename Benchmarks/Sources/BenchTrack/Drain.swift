import BenchSupport
import Foundation
import Tern

extension Bench {
  /// Measures the delivery of a backlog to a collector over loopback.
  func drain() async throws {
    let count = options.number("events", default: 200_000)
    let client = try connected("drain") { $0.startsPaused = true }
    for index in 0..<count { track(client, index) }
    let waiting = client.ledger.queued
    let began = monotonicNanoseconds()
    client.resume()
    while client.ledger.queued + client.ledger.inFlight > 0 {
      if case .failed(let error) = await client.flush() { throw error }
    }
    let seconds = Double(monotonicNanoseconds() - began) / 1e9
    printLine([
      "figure": "drain", "events": .count(waiting), "seconds": .number(seconds),
      "events_per_second": .count(Int(Double(waiting) / seconds)),
    ])
    await client.shutdown()
  }

  /// Measures opening a full queue of 10 MiB: the time, the events and the memory.
  func openFull() async throws {
    let before = residentKibibytes()
    let first = try client("open") { $0.startsPaused = true }
    let idle = residentKibibytes()
    while first.ledger.dropped == 0 { track(first, 0) }
    let waiting = first.ledger.queued
    await first.shutdown()
    let bytes = try size(of: directory.appending(path: "open"))
    let beforeOpening = residentKibibytes()
    var times: [Int64] = []
    var resident = 0
    for _ in 0..<21 {
      let began = monotonicNanoseconds()
      let client = try client("open") { $0.startsPaused = true }
      times.append(monotonicNanoseconds() - began)
      resident = residentKibibytes()
      await client.shutdown()
    }
    times.sort()
    printLine([
      "figure": "open_10_mib", "events": .count(waiting), "bytes": .count(bytes),
      "bytes_per_event": .number(Double(bytes) / Double(max(waiting, 1))),
      "min_ms": .number(Double(times[0]) / 1e6), "median_ms": .number(Double(times[10]) / 1e6),
      "max_ms": .number(Double(times[20]) / 1e6), "resident_added_idle_kib": .count(idle - before),
      "resident_added_by_opening_kib": .count(resident - beforeOpening),
    ])
  }

  /// Measures the wake-ups of an idle client: nothing is waiting or in flight.
  func idle() async throws {
    let seconds = options.number("seconds", default: 20)
    let client = try client("idle", transport: AcceptingTransport())
    for index in 0..<1000 { track(client, index) }
    while client.ledger.queued + client.ledger.inFlight > 0 { await client.flush() }
    let (before, after) = await observe(for: seconds)
    printLine([
      "figure": "idle", "seconds": .count(seconds), "threads": .count(after.threads),
      // One is this thread's own, which slept.
      "wake_ups_per_minute": .number(Double(max(after.count - before.count - 1, 0)) * 60 / Double(seconds)),
      "resident_kib": .count(residentKibibytes()),
    ])
    await client.shutdown()
  }

  /// Measures the cost of a recorded event and of a delivered batch with growing backlogs.
  func backlog() async throws {
    for backlog in [1_000, 10_000, 100_000, 1_000_000] {
      let transport = AcceptingTransport()
      let client = try client("backlog-\(backlog)", maximumQueueBytes: 2 << 30, transport: transport) {
        $0.startsPaused = true
        $0.maximumBatchesInFlight = 1
      }
      for index in 0..<backlog { track(client, index) }
      var samples = Samples(capacity: 10_000)
      for index in 0..<10_000 {
        let began = monotonicNanoseconds()
        track(client, index)
        samples.add(monotonicNanoseconds() - began)
      }
      client.resume()
      let batches = min(backlog / 500, 50)
      await transport.sent(batches)
      let gaps = transport.gaps.prefix(batches).sorted()
      client.pause()
      let quantiles = samples.quantiles([0.5, 0.99])
      printLine([
        "figure": "backlog", "waiting": .count(backlog), "track_p50_us": .number(Double(quantiles[0]) / 1e3),
        "track_p99_us": .number(Double(quantiles[1]) / 1e3), "batches": .count(batches),
        "batch_of_500_median_ms": .number(gaps.isEmpty ? 0 : Double(gaps[gaps.count / 2]) / 1e6),
        "resident_kib": .count(residentKibibytes()),
      ])
      await client.shutdown()
    }
  }

  private func size(of directory: URL) throws -> Int {
    let files = FileManager.default.enumerator(at: directory, includingPropertiesForKeys: [.fileSizeKey])
    var total = 0
    while let file = files?.nextObject() as? URL {
      total += try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
    }
    return total
  }
}

/// The voluntary context switches of all threads of this process; each is a thread that went back to sleep.
private func contextSwitches() -> (count: Int, threads: Int) {
  let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
  let count = threads.reduce(0) { sum, thread in
    let status = (try? String(contentsOfFile: "/proc/self/task/\(thread)/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches") } ?? ""
    return sum + (Int(line.filter(\.isNumber)) ?? 0)
  }
  return (count, threads.count)
}

/// Counts before and after a time in which this process does nothing of its own.
///
/// On a separate thread: a sleeping task would be a wake-up, and the system checks a blocked thread of the pool once a
/// second.
private func observe(for seconds: Int) async -> (before: (count: Int, threads: Int), after: (count: Int, threads: Int))
{
  await withCheckedContinuation { continuation in
    Thread.detachNewThread {
      Thread.sleep(forTimeInterval: 1)
      let before = contextSwitches()
      Thread.sleep(forTimeInterval: Double(seconds))
      continuation.resume(returning: (before, contextSwitches()))
    }
  }
}
