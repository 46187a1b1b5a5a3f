import Ingest
package import RowFiles
import ServerBase
import TernBase
import TernEvents
import Warehouse

/// Counts rows into rollups: the single place that defines what is counted where.
///
/// The writer feeds it the rows that it stores, and `verify` the rows that it reads back, so both count alike. Rows
/// with the same install, device and day usually come together; their device counts are updated once for all of them.
package final class RollupAccumulator {
  /// Consecutive rows with the same install, device and day.
  private struct Run {
    var first: UInt64
    var slot: UInt32
    var device: Int64
    var keys: DeviceKeys
    var events: Int64 = 0
    var sessions: Int64 = 0
  }

  /// The key for rows with a name counted as "(other)", in the dimension of dropped events; larger than all dictionary
  /// IDs.
  static let nameLimitKey: Int64 = 0x00FF_FFFF_FFFF_FFFF

  private let table = PairTable()
  @exclusivity(unchecked) private var run: Run?
  private let counts = GrowingMemory<Int64>(zero: 0)
  /// Pairs of count and install: the number of the count in the upper half, the slot in the lower.
  private let users = GrowingMemory<UInt64>(zero: 0)
  /// The number of pairs at which repeated ones are removed.
  @exclusivity(unchecked) private var fullUsers: Int
  private let maximumPairs: Int

  /// - Parameter maximumPairs: The number of pairs of count and install in memory beyond which repeated ones are removed.
  package init(maximumPairs: Int = 4_000_000) {
    self.maximumPairs = maximumPairs
    fullUsers = maximumPairs
  }

  var isEmpty: Bool { table.count == 0 && run == nil }

  /// Counts one row. `properties` are the stored bytes.
  @inline(__always)
  package func add(_ row: EventRow, day: Int, device: () throws -> DeviceKeys, properties: UnsafeRawBufferPointer)
    rethrows
  {
    let kind = row.flags.kind
    let first = Self.first(app: row.app, day: day)
    if row.flags.isNameLimited { countDropped(first, Self.nameLimitKey, 1) }
    if kind == .drops { return addDrops(first, properties) }
    if run?.first != first || run?.slot != row.slot || run?.device != row.device {
      finishRun()
      run = Run(first: first, slot: row.slot, device: row.device, keys: try device())
    }
    switch kind {
    case .event:
      run?.events += 1
      add(first, .event, row.name, 1, row.slot)
    case .screen: add(first, .screen, row.name, 1, row.slot)
    case .handledError, .crash, .other, .attachment: add(first, .kind, Int64(kind.rawValue), 1, row.slot)
    case .sessionStart, .drops, .attachmentPart: break
    }
    if row.flags.startsSession { run?.sessions += 1 }
  }

  private func addDrops(_ first: UInt64, _ properties: UnsafeRawBufferPointer) {
    PropertyCoding.forEach(properties) { reason, bytes in
      var reader = ByteReader(bytes)
      guard case .integer(let count)? = PropertyCoding.value(&reader), count > 0 else { return }
      // A client can send any number; cap it, so that one report can't drown out all others.
      countDropped(first, Int64(bitPattern: reason), min(count, 1_000_000_000))
    }
  }

  private func countDropped(_ first: UInt64, _ reason: Int64, _ count: Int64) {
    let (number, _) = number(first, .dropped, reason)
    counts.elements[number].addSaturated(count)
  }

  private func finishRun() {
    guard let run else { return }
    self.run = nil
    add(run.first, .total, 0, run.events, run.slot)
    add(run.first, .version, run.keys.version, run.events, run.slot)
    add(run.first, .os, run.keys.system, run.events, run.slot)
    add(run.first, .model, run.keys.model, run.events, run.slot)
    add(run.first, .country, run.keys.country, run.events, run.slot)
    add(run.first, .language, run.keys.language, run.events, run.slot)
    if run.sessions > 0 { add(run.first, .session, 0, run.sessions, run.slot) }
  }

  @inline(__always)
  private func add(_ first: UInt64, _ dimension: Dimension, _ key: Int64, _ count: Int64, _ slot: UInt32) {
    let (number, _) = number(first, dimension, key)
    counts.elements[number] += count
    users.append(UInt64(number) << 32 | UInt64(slot))
    if users.count >= fullUsers { removeRepeatedUsers() }
  }

  @inline(__always)
  private func number(_ first: UInt64, _ dimension: Dimension, _ key: Int64) -> (Int, Bool) {
    let result = table.number(first, UInt64(dimension.rawValue) << 56 | UInt64(bitPattern: key))
    if result.isNew { counts.append(0) }
    return result
  }

  /// Bounds the memory by the number of distinct pairs.
  private func removeRepeatedUsers() {
    users.sortAscending()
    let elements = users.elements
    var count = 0
    for user in elements where count == 0 || elements[count - 1] != user {
      elements[count] = user
      count += 1
    }
    users.truncate(to: count)
    fullUsers = max(count * 2, maximumPairs)
  }

  func removeAll() {
    table.removeAll()
    run = nil
    fullUsers = maximumPairs
    counts.removeAll()
    users.removeAll()
  }

  /// The growth of one count.
  package struct Entry {
    package var app: Int64
    package var day: Int
    package var dimension: Int64
    package var key: Int64
    package var count: Int64
  }

  /// Calls `body` with each count and the distinct slots of its installs, ascending.
  package func forEach(_ body: (Entry, UnsafeBufferPointer<UInt32>) throws -> Void) rethrows {
    finishRun()
    users.sortAscending()
    let users = users.elements
    var slots: [UInt32] = []
    var position = 0
    for number in 0..<table.count {
      slots.removeAll(keepingCapacity: true)
      while position < users.count, Int(users[position] >> 32) == number {
        let slot = UInt32(truncatingIfNeeded: users[position])
        if slots.last != slot { slots.append(slot) }
        position += 1
      }
      try slots.withUnsafeBufferPointer { try body(entry(number), $0) }
    }
  }

  private func entry(_ number: Int) -> Entry {
    let pair = table.pair(number)
    return Entry(
      app: Self.app(pair.first), day: Self.day(pair.first), dimension: Int64(pair.second >> 56),
      key: Int64(pair.second & 0x00FF_FFFF_FFFF_FFFF), count: counts.elements[number])
  }

  @inline(__always)
  package static func first(app: Int64, day: Int) -> UInt64 {
    UInt64(truncatingIfNeeded: app) << 32 | UInt64(UInt32(bitPattern: Int32(truncatingIfNeeded: day)))
  }

  package static func app(_ first: UInt64) -> Int64 { Int64(first >> 32) }
  package static func day(_ first: UInt64) -> Int { Int(Int32(truncatingIfNeeded: first)) }
}
