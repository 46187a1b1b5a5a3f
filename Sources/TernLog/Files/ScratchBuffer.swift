/// Memory that is allocated once and grows on demand.
///
/// Not thread-safe: use it only while holding the lock of its owner.
final class ScratchBuffer {
  private var storage: UnsafeMutableRawBufferPointer

  init(capacity: Int) {
    storage = .allocate(byteCount: capacity, alignment: 16)
  }

  deinit { storage.deallocate() }

  /// Returns at least `count` bytes; their previous content is lost.
  func reserve(_ count: Int) -> UnsafeMutableRawBufferPointer {
    if storage.count < count {
      storage.deallocate()
      storage = .allocate(byteCount: count, alignment: 16)
    }
    return UnsafeMutableRawBufferPointer(rebasing: storage[..<count])
  }

  /// Frees memory that only an unusually large record needed.
  func trim(to capacity: Int) {
    guard storage.count > capacity else { return }
    storage.deallocate()
    storage = .allocate(byteCount: capacity, alignment: 16)
  }
}
