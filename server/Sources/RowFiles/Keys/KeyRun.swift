import CTernMapping
package import Ingest
import ServerBase
package import Warehouse

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// An immutable file with the duplicate keys of a range of rows, in order, mapped into memory.
///
/// The file has a page for the header, the keys, a fence for each page of keys (its first time), and a Bloom filter.
/// The system decides which of its pages stay in memory. It can be made again from the rows at any time.
///
/// `@unchecked Sendable`: the mapped memory never changes.
package final class KeyRun: @unchecked Sendable {
  /// The first bytes of the file.
  package struct Header: BitwiseCopyable, Hashable {
    static let currentMark: UInt64 = 0x736E_7552_6E72_6554  // "TernRuns"
    var mark = currentMark
    var format: UInt64 = 1
    /// The rows whose keys are in the run come after this one.
    package var after: Int64
    /// The last row whose key is in the run.
    package var through: Int64
    var count = 0
    /// The latest time of receipt of a row.
    package var received: Int64
    var filterBlocks = 0
    /// A hash of everything after the header; see ``KeyRun/checkBody()``.
    var body: UInt64 = 0
    /// A hash of the other members.
    var check: UInt64 = 0

    package init(after: Int64, through: Int64, received: Int64) {
      self.after = after
      self.through = through
      self.received = received
    }

    var expectedCheck: UInt64 {
      let words = [
        mark, format, UInt64(bitPattern: after), UInt64(bitPattern: through), UInt64(bitPattern: Int64(count)),
        UInt64(bitPattern: received), UInt64(bitPattern: Int64(filterBlocks)), body,
      ]
      return words.reduce(0) { mixed($0, $1) }
    }

    /// False if the header is damaged or of another format. A checksum is no proof: sizes are calculated with the numbers.
    var isValid: Bool {
      mark == Self.currentMark && format == 1 && check == expectedCheck && (0...Self.maximum).contains(count)
        && (1...Self.maximum).contains(filterBlocks)
    }

    /// Far more keys, or blocks of a filter, than a run has.
    private static let maximum = 1 << 40

    var fenceCount: Int { (count + KeyRun.keysPerPage - 1) / KeyRun.keysPerPage }
    /// The size of the file, in bytes.
    var fileSize: Int { KeyRun.pageSize + count * 16 + fenceCount * 8 + filterBlocks * 64 }
  }

  static let pageSize = 4_096
  static let keysPerPage = pageSize / 16

  package let header: Header
  package let path: String
  package let reader: KeyRunReader
  private let start: UnsafeMutableRawPointer
  private let guarded: OpaquePointer

  /// Maps a run.
  ///
  /// - Throws: ``WarehouseError`` with code `damaged` if the file is damaged, of another format or missing, with code
  ///   `unavailable` if the system can't open or map it.
  package init(path: String) throws {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw errno == ENOENT ? Self.damage(path) : StoredFile.readFailure(path) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw StoredFile.readFailure(path) }
    let size = Int(status.st_size)
    guard size >= Self.pageSize else { throw Self.damage(path) }
    guard let start = mmap(nil, size, PROT_READ, MAP_SHARED, descriptor, 0), start != MAP_FAILED else {
      throw StoredFile.readFailure(path)
    }
    guard let guarded = tern_mapping_guard(start, size) else {
      munmap(start, size)
      throw StoredFile.readFailure(path)
    }
    let header = start.load(as: Header.self)
    guard header.isValid, header.fileSize == size else {
      tern_mapping_release(guarded)
      munmap(start, size)
      throw Self.damage(path)
    }
    self.path = path
    self.header = header
    self.start = start
    self.guarded = guarded
    reader = KeyRunReader(header, start)
  }

  package static func damage(_ path: String) -> WarehouseError {
    WarehouseError(.damaged, "\(path) is damaged. Stop the server and run `tern rebuild`.")
  }

  /// Reads the whole file; throws if its body is damaged.
  package func checkBody() throws {
    let bytes = UnsafeRawBufferPointer(start: start, count: header.fileSize)
    var hash = BodyHash()
    hash.add(UnsafeRawBufferPointer(rebasing: bytes[Self.pageSize...]))
    guard hash.value == header.body else { throw Self.damage(path) }
  }

  /// True if the file was cut short or deleted since it was opened, or the disk couldn't read a part of it.
  ///
  /// Lost pages read as zeros, so an earlier lookup may have missed keys: callers ask after it, and before its result is relied
  /// on.
  package var isIncomplete: Bool {
    if tern_mapping_has_lost_pages(guarded) { return true }
    // Only whole pages are noticed when they are read: the rest of the page with the new end reads as zeros.
    var status = stat()
    guard stat(path, &status) == 0 else { return errno == ENOENT }
    return Int(status.st_size) != header.fileSize
  }

  deinit {
    tern_mapping_release(guarded)
    munmap(start, header.fileSize)
  }

  /// Deletes the file; the memory stays mapped.
  func deleteFile() { unlink(path) }

  /// Returns the path of a run, which tells its rows.
  package static func path(in directory: String, _ header: Header) -> String {
    "\(directory)/\(header.after)-\(header.through).keys"
  }
}

extension KeyRun {
  /// A hash of the body, whose parts are multiples of 8 bytes.
  package struct BodyHash {
    // Two, so that a step needn't wait for the one before.
    private var next: UInt64 = 0
    private var other: UInt64 = 1

    var value: UInt64 { mixed(next, other) }

    package mutating func add(_ bytes: UnsafeRawBufferPointer) {
      for position in stride(from: 0, to: bytes.count, by: 8) {
        let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
        (next, other) = (other, mixed(next, word))
      }
    }
  }
}

/// The mapped memory of a run; valid only while the run is.
package struct KeyRunReader: BitwiseCopyable {
  let keys: UnsafePointer<DuplicateKey>
  let count: Int
  private let fences: UnsafePointer<Int64>
  private let fenceCount: Int
  private let filter: KeyFilter

  package init(_ header: KeyRun.Header, _ start: UnsafeMutableRawPointer) {
    count = header.count
    fenceCount = header.fenceCount
    let keys = start + KeyRun.pageSize
    self.keys = UnsafePointer(keys.assumingMemoryBound(to: DuplicateKey.self))
    let fences = keys + count * 16
    self.fences = UnsafePointer(fences.assumingMemoryBound(to: Int64.self))
    let words = (fences + fenceCount * 8).assumingMemoryBound(to: UInt64.self)
    filter = KeyFilter(words: words, blocks: UInt64(header.filterBlocks))
  }

  @inline(__always)
  package func contains(_ key: DuplicateKey, _ hash: UInt64) -> Bool { filter.mayContain(hash) && isStored(key) }

  private func isStored(_ key: DuplicateKey) -> Bool {
    // Keys of one millisecond may fill many pages.
    var low = max(firstFence(atLeast: key.milliseconds) - 1, 0) * KeyRun.keysPerPage
    var high = min(firstFence(above: key.milliseconds) * KeyRun.keysPerPage, count)
    while low < high {
      let middle = (low + high) / 2
      if keys[middle] < key { low = middle + 1 } else { high = middle }
    }
    return low < count && keys[low] == key
  }

  /// Returns false if the run certainly has no key with a time in the range.
  func mayContain(_ times: ClosedRange<Int64>) -> Bool {
    let next = firstFence(atLeast: times.lowerBound)
    if next < fenceCount, fences[next] <= times.upperBound { return true }
    return next > 0 && keys[min(next * KeyRun.keysPerPage, count) - 1].milliseconds >= times.lowerBound
  }

  private func firstFence(atLeast milliseconds: Int64) -> Int { firstFence { $0 >= milliseconds } }
  private func firstFence(above milliseconds: Int64) -> Int { firstFence { $0 > milliseconds } }

  @inline(__always)
  private func firstFence(where isReached: (Int64) -> Bool) -> Int {
    var (low, high) = (0, fenceCount)
    while low < high {
      let middle = (low + high) / 2
      if isReached(fences[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

/// A Bloom filter that touches one cache line per key. At 12 bits per key, about one in a hundred new keys is a false
/// positive.
struct KeyFilter: BitwiseCopyable {
  let words: UnsafeMutablePointer<UInt64>
  let blocks: UInt64

  static func blocks(for count: Int) -> Int { max(1, (count * 12 + 511) / 512) }

  @inline(__always)
  func mayContain(_ hash: UInt64) -> Bool {
    let block = words + Int(hash.multipliedFullWidth(by: blocks).high) * 8
    var bits = mixed(hash, 0x2545_F491_4F6C_DD1D)
    for _ in 0..<6 {
      if block[Int(bits & 7)] & (1 << (bits >> 3 & 63)) == 0 { return false }
      bits >>= 9
    }
    return true
  }

  func insert(_ hash: UInt64) {
    let block = words + Int(hash.multipliedFullWidth(by: blocks).high) * 8
    var bits = mixed(hash, 0x2545_F491_4F6C_DD1D)
    for _ in 0..<6 {
      block[Int(bits & 7)] |= 1 << (bits >> 3 & 63)
      bits >>= 9
    }
  }
}

extension DuplicateKey {
  /// A hash of both parts, for tables and filters.
  package var mixedHash: UInt64 {
    @inline(__always) get { mixed(UInt64(bitPattern: hash), UInt64(bitPattern: milliseconds)) }
  }
}
