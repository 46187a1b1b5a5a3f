import Tern
import TernEvents
import TernLog
import TernTestSupport

/// The drops counted by a device's clients, and the counts lost in kills.
///
/// The client saves its counts from time to time, not with each drop, so a kill loses the rest. The difference between
/// memory before and disk after shows how much. If a process dies within a call, only bounds are known, because its
/// counts in memory no longer matter.
struct DropAccount {
  struct Bounds: Equatable, CustomStringConvertible {
    var low = 0
    var high = 0

    var description: String { low == high ? "\(low)" : "\(low)...\(high)" }
  }

  /// Drops that occurred but are missing from the counts.
  private(set) var forgotten: [DropReason: Bounds] = [:]
  /// Writes that left half a record behind, which may be counted as damaged although it was never acknowledged.
  var tears = 0
  /// Events acknowledged to a process that died before it can have saved that; they may come back.
  var acknowledgedInCrash = 0

  /// The drops of living processes and of the files of dead ones.
  static func totals(_ processes: [SimulatedProcess], _ disk: InMemoryFileSystem) -> [DropReason: Int] {
    var totals: [DropReason: Int] = [:]
    var owned: Set<String> = []
    for process in processes {
      owned.formUnion(process.files.ownedDirectories)
      for (reason, count) in process.engine.log.counts.dropped { totals[reason, default: 0] += count }
    }
    for path in disk.paths where path.hasSuffix("/" + DropLedger.fileName) {
      if owned.contains(String(path.dropLast(DropLedger.fileName.count + 1))) { continue }
      let bytes = disk.contents(of: path) ?? []
      for (reason, count) in bytes.withUnsafeBytes({ DropLedger(file: $0) }).counts {
        totals[reason, default: 0] += count
      }
    }
    return totals
  }

  /// Records a death.
  ///
  /// - Parameters:
  ///   - before: The totals before the call in which the process died.
  ///   - dying: The totals with the memory of the dying process; equal to `before` if it died between two calls.
  ///   - after: The totals without it.
  mutating func died(before: [DropReason: Int], dying: [DropReason: Int], after: [DropReason: Int]) {
    for reason in Set(before.keys).union(dying.keys).union(after.keys) {
      let now = after[reason] ?? 0
      let bounds = [(before[reason] ?? 0) - now, (dying[reason] ?? 0) - now]
      forgotten[reason, default: Bounds()].low += bounds.min() ?? 0
      forgotten[reason, default: Bounds()].high += bounds.max() ?? 0
    }
  }

  /// Returns the number of drops with this reason, given the current counts.
  func drops(_ reason: DropReason, counted: [DropReason: Int]) -> ClosedRange<Int> {
    let bounds = forgotten[reason] ?? Bounds()
    let count = counted[reason] ?? 0
    return (count + bounds.low)...(count + bounds.high)
  }

  /// Returns the number of drops with any reason.
  func drops(counted: [DropReason: Int]) -> ClosedRange<Int> {
    let total = counted.values.reduce(0, +)
    return (total + forgotten.values.reduce(0) { $0 + $1.low })...(total + forgotten.values.reduce(0) { $0 + $1.high })
  }
}

extension [DropReason: Int] {
  /// The counts in a fixed order.
  var text: String { mapValues { DropAccount.Bounds(low: $0, high: $0) }.text }
}

extension [DropReason: DropAccount.Bounds] {
  /// The non-zero counts in a fixed order.
  var text: String {
    let entries = filter { $0.value != DropAccount.Bounds() }.map { "\($0.key) \($0.value)" }
    return entries.isEmpty ? "nothing" : entries.sorted().joined(separator: ", ")
  }
}
