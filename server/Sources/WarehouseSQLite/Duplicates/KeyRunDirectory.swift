import Ingest
import Views
import Warehouse

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The runs of a warehouse in the order of their rows, which leave no gap, and the search in them.
final class KeyRunDirectory {
  static let temporarySuffix = ".new"
  private static let suffix = ".keys"
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

  let path: String
  private(set) var runs: [KeyRun] = []
  private var buckets = Memory<Bucket>(count: cachedBuckets, zero: Bucket())
  private let candidates = GrowingMemory<KeyRunReader?>(zero: nil)

  init(path: String) { self.path = path }

  /// The last row whose key is in a run.
  var coveredRow: Int64 { runs.last?.header.through ?? 0 }

  /// Opens the runs of the rows up to `last`. Deletes what is incomplete, damaged, merged, or of rows that don't exist.
  func open(lastRow last: Int64) throws {
    try StoredFile.createDirectory(path)
    // Of runs that begin alike, the longest is the merged one.
    var found = try StoredFile.names(in: path, endingWith: [Self.suffix]).compactMap { KeyRun(path: "\(path)/\($0)") }
    found.sort { ($0.header.after, -$0.header.through) < ($1.header.after, -$1.header.through) }
    runs = []
    let expired =
      try StoredFile.names(in: path, endingWith: [Self.expiredSuffix])
      .compactMap { Int64($0.dropLast(Self.expiredSuffix.count)) }.max() ?? 0
    for run in found {
      let after = run.header.after
      guard run.header.through <= last, runs.isEmpty ? after <= expired : after == coveredRow else { continue }
      runs.append(run)
    }
    let kept = Set(runs.map(\.path))
    for name in try names() where !kept.contains("\(path)/\(name)") { unlink("\(path)/\(name)") }
    forgetBuckets()
  }

  private func names() throws -> [String] {
    try StoredFile.names(in: path, endingWith: [Self.suffix, Self.temporarySuffix])
  }

  func append(_ run: KeyRun) {
    runs.append(run)
    forgetBuckets()
  }

  /// Replaces the runs that were merged into one. Returns them: their files are to be deleted.
  func replace(with merged: KeyRun) -> [KeyRun] {
    guard let first = runs.firstIndex(where: { $0.header.after == merged.header.after }) else { return [] }
    let old = runs[first...].prefix { $0.header.through <= merged.header.through }
    runs.replaceSubrange(old.indices, with: [merged])
    forgetBuckets()
    return Array(old)
  }

  /// Deletes the runs whose rows all arrived before a time.
  func expire(before milliseconds: Int64) {
    let expired = runs.prefix { $0.header.received < milliseconds }
    // Without the mark, they stay.
    guard let last = expired.last,
      (try? StoredFile.createEmpty("\(path)/\(last.header.through)\(Self.expiredSuffix)")) != nil,
      (try? StoredFile.sync(directory: path)) != nil
    else { return }
    for run in expired { run.deleteFile() }
    runs.removeFirst(expired.count)
    forgetBuckets()
  }

  func removeAll() {
    for run in runs { run.deleteFile() }
    runs = []
    forgetBuckets()
  }

  /// The newest runs that should be merged; empty if none should.
  var mergeable: [KeyRun] {
    var end = runs.count
    while end >= Self.tier {
      let level = Self.level(runs[end - 1])
      let alike = runs[..<end].reversed().prefix { Self.level($0) == level }
      if alike.count >= Self.tier, let first = alike.last, let last = alike.first,
        alike.reduce(0, { $0 + $1.header.count }) <= Self.maximumMergedKeys,
        last.header.received - first.header.received <= Self.maximumMergedTime
      {
        return alike.reversed()
      }
      end -= alike.count
    }
    return []
  }

  /// The size class of a run: the third part of the bits of its number of keys.
  private static func level(_ run: KeyRun) -> Int {
    max(0, Int.bitWidth - run.header.count.leadingZeroBitCount - 16) / 3
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
