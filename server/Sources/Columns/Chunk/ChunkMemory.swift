#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The memory of a chunk: allocated, or a mapped file.
///
/// `@unchecked Sendable`: nothing changes the memory once a chunk uses it.
package final class ChunkMemory: @unchecked Sendable {
  let start: UnsafeMutableRawPointer
  let count: Int
  private let isMapped: Bool

  /// Allocates zeroed memory.
  init(count: Int) {
    self.count = count
    isMapped = false
    start = .allocate(byteCount: count, alignment: 8)
    start.initializeMemory(as: UInt8.self, repeating: 0, count: count)
  }

  /// Copies a file into memory; returns `nil` if it can't be read.
  package convenience init?(readingFrom path: String) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_size > 0 else { return nil }
    self.init(count: Int(status.st_size))
    var filled = 0
    while filled < count {
      let read = pread(descriptor, start + filled, count - filled, off_t(filled))
      guard read > 0 || read < 0 && errno == EINTR else { return nil }
      filled += max(read, 0)
    }
  }

  /// Maps a file; returns `nil` if it can't be read.
  package init?(path: String) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_size > 0,
      let start = mmap(nil, Int(status.st_size), PROT_READ, MAP_SHARED, descriptor, 0), start != MAP_FAILED
    else { return nil }
    self.start = start
    count = Int(status.st_size)
    isMapped = true
  }

  deinit {
    if isMapped { munmap(start, count) } else { start.deallocate() }
  }

  package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }
}
