import Warehouse

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The last bytes of a file, kept in memory.
struct FileTail {
  /// More than a file system encrypts at once.
  static let limit = 64 << 10
  private(set) var bytes: [UInt8] = []

  init() {}

  /// Reads the tail; returns `nil` if that fails.
  init?(_ descriptor: Int32, end: Int) {
    let count = min(end, Self.limit)
    bytes = [UInt8](repeating: 0, count: count)
    guard bytes.withUnsafeMutableBytes({ pread(descriptor, $0.baseAddress, count, off_t(end - count)) }) == count else {
      return nil
    }
  }

  mutating func append(_ more: UnsafeRawBufferPointer) {
    let more = UnsafeRawBufferPointer(rebasing: more.suffix(Self.limit))
    bytes.removeFirst(max(bytes.count + more.count - Self.limit, 0))
    bytes.append(contentsOf: more)
  }

  /// Reads the bytes from the disk and compares them.
  func isStored(_ path: String, end: Int) throws -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw StoredFile.readFailure(path) }
    defer { close(descriptor) }
    #if !canImport(Darwin)
      // Not from memory, which has what was written.
      posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
    #endif
    var stored = [UInt8](repeating: 0, count: bytes.count)
    let count = stored.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, off_t(end - $0.count)) }
    return count == bytes.count && stored == bytes
  }
}
