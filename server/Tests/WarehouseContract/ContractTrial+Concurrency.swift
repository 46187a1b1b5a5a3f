import Ingest
import TernBase
import TernEvents
import Warehouse

extension ContractTrial {
  private static let days = (Day("2026-05-10") ?? Day(number: 0))...(Day("2026-05-11") ?? Day(number: 0))
  private static let size = 7

  /// Returns a batch of events with one name.
  private static func whole(_ name: String, install: Int, isKeyed: Bool = false) -> IncomingBatch {
    let time = start(of: "2026-05-10") + .seconds(install)
    var batch = batch(Array(repeating: name, count: size), at: time, install: "install \(install)")
    guard isKeyed else { return batch }
    for index in batch.events.indices {
      batch.events[index].duplicateKey = DuplicateKey(
        milliseconds: time.millisecondsSince1970, hash: Int64(install * size + index))
    }
    return batch
  }

  /// Checks that of many writers and readers at once, readers see only whole commits, and nothing is lost or doubled.
  func concurrency() async throws {
    let (backend, writers, batches) = (backend, 12, 15)
    let isWriting = Locked(true)
    let accepted = try await withThrowingTaskGroup(of: Int.self, returning: Int.self) { group in
      for reader in 0..<4 {
        group.addTask {
          while isWriting.withLock({ $0 }) {
            try await readWhole(backend.store, reader)
            // A backend that never waits would leave no thread to the writers.
            await Task.yield()
          }
          return 0
        }
      }
      defer { isWriting.withLock { $0 = false } }
      let sum = try await withThrowingTaskGroup(of: Int.self, returning: Int.self) { group in
        for writer in 0..<writers {
          group.addTask {
            var accepted = 0
            for number in 0..<batches {
              // Two writers send each batch, as a client does that got no answer to its first request.
              let install = writer / 2 * batches + number
              let batch = Self.whole("name \(install)", install: install, isKeyed: true)
              accepted += try await backend.sink.commit(batch, app: AppID(1)).accepted
            }
            return accepted
          }
        }
        return try await group.reduce(0, +)
      }
      isWriting.withLock { $0 = false }
      return try await group.reduce(sum, +)
    }
    try expect(accepted, writers / 2 * batches * Self.size, "accepted events")
    for install in 0..<writers / 2 * batches {
      try naive.store(Self.whole("name \(install)", install: install, isKeyed: true), app: AppID(1))
    }
    try await backend.settle()
    try await compareEvents()
    try await readWhole(backend.store, 0)
  }

  /// The order of concurrent commits is the backend's, so lists are not compared here.
  private func compareEvents() async throws {
    for dimension in [Dimension.total, .event, .version, .session] {
      try expect(
        await backend.store.totals(app: AppID(1), dimension: dimension, days: Self.days, limit: nil),
        await naive.totals(app: AppID(1), dimension: dimension, days: Self.days, limit: nil), "\(dimension)")
    }
    try expect(
      await backend.store.activity(app: AppID(1), days: Self.days),
      await naive.activity(app: AppID(1), days: Self.days), "activity")
  }

  private func readWhole(_ store: any MetricsStore, _ reader: Int) async throws {
    let app = AppID(1)
    if reader.isMultiple(of: 2) {
      let totals = try await store.totals(app: app, dimension: .event, days: Self.days, limit: nil)
      try expect(totals.allSatisfy { $0.count == Self.size && $0.users == 1 }, true, "whole commits in \(totals)")
    } else {
      let events = try await store.recent(app: app, limit: 10_000)
      let names = Dictionary(grouping: events, by: \.name).mapValues(\.count)
      try expect(names.values.allSatisfy { $0 == Self.size }, true, "whole commits among \(names)")
      try expect(Set(events.map(\.id)).count, events.count, "different numbers of rows")
    }
  }

  /// Checks limits, and that reading on from the last known row finds each row exactly once while rows arrive.
  func paging() async throws {
    let (backend, app, count) = (backend, AppID(1), 60)
    let isWriting = Locked(true)
    let writer = Task {
      defer { isWriting.withLock { $0 = false } }
      for number in 0..<count {
        _ = try await backend.sink.commit(Self.whole("name \(number)", install: number), app: app)
      }
    }
    var seen: [StoredEvent] = []
    var isOver = false
    repeat {
      isOver = !isWriting.withLock { $0 }
      // All rows that may have come since the last read fit into the limit.
      let page = try await backend.store.recent(app: app, limit: count * Self.size)
      try expect(page.map(\.id), page.map(\.id).sorted(by: >), "newest first")
      let new = page.filter { $0.id > seen.last?.id ?? .min }
      try expect(new.count % Self.size, 0, "rows of whole commits")
      seen += new.reversed()
      await Task.yield()
    } while !isOver
    try await writer.value
    for number in 0..<count { try naive.store(Self.whole("name \(number)", install: number), app: app) }
    try expect(seen.map(\.name), try await naive.recent(app: app, limit: 10_000).reversed().map(\.name), "row")
    try await backend.settle()
    let all = try await backend.store.recent(app: app, limit: 10_000)
    for limit in [0, 1, Self.size + 1, all.count - 1, all.count + 1] {
      try expect(await backend.store.recent(app: app, limit: limit), Array(all.prefix(limit)), "the newest \(limit)")
      try await compareRecent(app, limit: limit)
    }
    let totals = try await naive.totals(app: app, dimension: .event, days: Self.days, limit: nil)
    for limit in [0, 1, 59, 60, 61] {
      try expect(
        await backend.store.totals(app: app, dimension: .event, days: Self.days, limit: limit),
        Array(totals.prefix(limit)), "totals up to \(limit)")
    }
  }
}
