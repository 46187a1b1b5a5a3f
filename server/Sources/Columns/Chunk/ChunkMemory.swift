import CTernMapping

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
  /// The mapped file; `nil` for allocated memory.
  private let file: MappedFile?

  private struct MappedFile {
    let path: String
    let number: ino_t
    /// Has lost pages read as zeros.
    let guarded: OpaquePointer
  }

  /// Allocates zeroed memory.
  init(count: Int) {
    self.count = count
    file = nil
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
    guard let guarded = tern_mapping_guard(start, Int(status.st_size)) else {
      munmap(start, Int(status.st_size))
      return nil
    }
    self.start = start
    count = Int(status.st_size)
    file = MappedFile(path: path, number: status.st_ino, guarded: guarded)
  }

  deinit {
    guard let file else { return start.deallocate() }
    tern_mapping_release(file.guarded)
    munmap(start, count)
  }

  /// True if the file was cut short since it was mapped, or the disk couldn't read a part of it. What is lost reads as zeros, so
  /// readers of the memory ask afterwards.
  var isIncomplete: Bool {
    guard let file else { return false }
    if tern_mapping_has_lost_pages(file.guarded) { return true }
    // Only whole pages are noticed when they are read: the rest of the page with the new end reads as zeros.
    var status = stat()
    guard stat(file.path, &status) == 0, status.st_ino == file.number else { return false }
    return Int(status.st_size) != count
  }

  package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }
}
