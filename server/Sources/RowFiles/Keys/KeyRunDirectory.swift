import Ingest
import ServerBase
package import Warehouse

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The runs of a warehouse in the order of their rows, which leave no gap, and the search in them.
package final class KeyRunDirectory {
  static let temporarySuffix = ".new"
  package static let suffix = ".keys"
  /// An empty file named after the last row whose key has expired. Without it, a missing first run would be taken for an
  /// expired one.
  private static let expiredSuffix = ".expired"
  /// The number of runs of similar size that are merged into one.
  static let tier = 8
  /// A merged run has at most this many keys, and its rows arrived within this many milliseconds, so that it expires
  /// soon after its last key could.
  private static let maximumMergedKeys = 1 << 26
  private static let maximumMergedTime: Int64 = 30 * 86_400_000
  /// Times of one bucket, 16 seconds, differ only in these low bits.
  private static let bucketBits: Int64 = 14
  private static let bucketMask: Int64 = (1 << bucketBits) - 1
  private static let cachedBuckets = 256

  /// The runs that may have keys of a bucket, as a part of `candidates`.
  private struct Bucket: BitwiseCopyable {
    var number = Int64.min
    var start = 0
    var count = 0
  }

  package let path: String
  /// The last row whose key has expired.
  @exclusivity(unchecked) private var expiredRow: Int64 = 0
  @exclusivity(unchecked) package private(set) var runs: [KeyRun] = []
  /// The newest runs that should be merged; empty if none should.
  private(set) var mergeable: [KeyRun] = []
  @exclusivity(unchecked) private var buckets = Memory<Bucket>(count: cachedBuckets, zero: Bucket())
  private let candidates = GrowingMemory<KeyRunReader?>(zero: nil)

  init(path: String) { self.path = path }

  /// The last row whose key is in a run, or has expired if there are no runs.
  var coveredRow: Int64 { runs.last?.header.through ?? expiredRow }

  /// Opens the runs of the rows up to `last`. Deletes what is incomplete, damaged, merged, or of rows that don't exist.
  func open(lastRow last: Int64) throws {
    try StoredFile.createDirectory(path)
    // The longest of several runs with the same beginning is the merged one.
    var found = try Self.runs(in: path)
    found.sort { ($0.header.after, -$0.header.through) < ($1.header.after, -$1.header.through) }
    runs = []
    let expired = try StoredFile.names(in: path, endingWith: [Self.expiredSuffix])
      .compactMap { Int64($0.dropLast(Self.expiredSuffix.count)) }.max()
    expiredRow = min(expired ?? 0, last)
    for run in found {
      let after = run.header.after
      guard run.header.through <= last, runs.isEmpty ? after <= expiredRow : after == coveredRow else { continue }
      runs.append(run)
    }
    let kept = Set(runs.map(\.path))
    for name in try names() where !kept.contains("\(path)/\(name)") { unlink("\(path)/\(name)") }
    changed()
  }

  /// Opens all files of runs that aren't damaged, in no order. Among them may be those that were merged into another.
  ///
  /// - Parameter noteDamage: Receives the error of each damaged file.
  package static func runs(in path: String, noteDamage: (WarehouseError) -> Void = { _ in }) throws -> [KeyRun] {
    try StoredFile.names(in: path, endingWith: [suffix]).compactMap { name in
      let file = "\(path)/\(name)"
      do {
        return try KeyRun(path: file)
      } catch let error as WarehouseError where error.code == .damaged {
        // The server may have merged and deleted it since its name was read.
        if StoredFile.exists(file) { noteDamage(error) }
        return nil
      }
    }
  }

  private func names() throws -> [String] {
    try StoredFile.names(in: path, endingWith: [Self.suffix, Self.temporarySuffix])
  }

  func append(_ run: KeyRun) {
    runs.append(run)
    changed()
  }

  /// Replaces the runs that were merged into one. Returns them: their files are to be deleted.
  package func replace(with merged: KeyRun) -> [KeyRun] {
    guard let first = runs.firstIndex(where: { $0.header.after == merged.header.after }) else { return [] }
    let old = runs[first...].prefix { $0.header.through <= merged.header.through }
    runs.replaceSubrange(old.indices, with: [merged])
    changed()
    return Array(old)
  }

  /// Replaces a run by others that cover its rows.
  package func replace(_ run: KeyRun, with others: [KeyRun]) {
    guard let index = runs.firstIndex(where: { $0 === run }) else { return }
    runs.replaceSubrange(index...index, with: others)
    changed()
  }

  /// Returns the first runs, up to one with rows that arrived later.
  func expired(before milliseconds: Int64) -> ArraySlice<KeyRun> { runs.prefix { $0.header.received < milliseconds } }

  /// Removes the runs whose rows all arrived before a time. Returns them: their files are to be deleted.
  func expire(before milliseconds: Int64) -> [KeyRun] {
    let expired = expired(before: milliseconds)
    // Without the mark, they stay.
    guard let last = expired.last,
      (try? StoredFile.createEmpty("\(path)/\(last.header.through)\(Self.expiredSuffix)")) != nil,
      (try? StoredFile.sync(directory: path)) != nil
    else { return [] }
    expiredRow = last.header.through
    runs.removeFirst(expired.count)
    changed()
    return Array(expired)
  }

  func removeAll() {
    for run in runs { run.deleteFile() }
    runs = []
    expiredRow = 0
    changed()
  }

  private func changed() {
    forgetBuckets()
    mergeable = Array(runs[Self.mergeable(runs.map(\.header))])
  }

  /// Returns the newest neighbours of similar size, with smaller ones among them, that are enough to be merged; given in
  /// the order of their rows.
  static func mergeable(_ runs: [KeyRun.Header]) -> Range<Int> {
    let levels = runs.map(level)
    for level in Set(levels).sorted() {
      for newest in runs.indices.reversed() where levels[newest] == level {
        var (keys, alike) = (0, 0)
        for index in runs[...newest].indices.reversed() {
          keys += runs[index].count
          guard levels[index] <= level, keys <= maximumMergedKeys,
            runs[newest].received - runs[index].received <= maximumMergedTime
          else { break }
          if levels[index] == level { alike += 1 }
          if alike == tier { return index..<newest + 1 }
        }
      }
    }
    return 0..<0
  }

  /// The size class of a run: the third part of the bits of its number of keys.
  private static func level(_ run: KeyRun.Header) -> Int {
    max(0, Int.bitWidth - run.count.leadingZeroBitCount - 16) / 3
  }

  @inline(__always)
  func contains(_ key: DuplicateKey, _ hash: UInt64) -> Bool {
    guard !runs.isEmpty else { return false }
    let number = key.milliseconds >> Self.bucketBits
    var bucket = buckets[Int(truncatingIfNeeded: number) & (Self.cachedBuckets - 1)]
    if bucket.number != number { bucket = find(number) }
    let candidates = candidates.elements
    for index in bucket.start..<bucket.start + bucket.count where candidates[index]?.contains(key, hash) == true {
      return true
    }
    return false
  }

  private func find(_ number: Int64) -> Bucket {
    if candidates.count > 1 << 16 { forgetBuckets() }
    let first = number << Self.bucketBits
    var bucket = Bucket(number: number, start: candidates.count)
    let times = first...(first | Self.bucketMask)
    for run in runs.reversed() where run.reader.mayContain(times) {
      candidates.append(run.reader)
      bucket.count += 1
    }
    buckets[Int(truncatingIfNeeded: number) & (Self.cachedBuckets - 1)] = bucket
    return bucket
  }

  private func forgetBuckets() {
    candidates.removeAll()
    buckets = Memory(count: Self.cachedBuckets, zero: Bucket())
  }
}
