/// Memory that is allocated once and grows when needed.
///
/// Not thread-safe: whoever holds the lock around its owner uses it.
final class ScratchBuffer {
  private var storage: UnsafeMutableRawBufferPointer

  init(capacity: Int) {
    storage = .allocate(byteCount: capacity, alignment: 16)
  }

  deinit { storage.deallocate() }

  /// At least `count` bytes; what they held before is lost.
  func reserve(_ count: Int) -> UnsafeMutableRawBufferPointer {
    if storage.count < count {
      storage.deallocate()
      storage = .allocate(byteCount: count, alignment: 16)
    }
    return UnsafeMutableRawBufferPointer(rebasing: storage[..<count])
  }

  /// Gives memory back that only an unusually large record needed.
  func trim(to capacity: Int) {
    guard storage.count > capacity else { return }
    storage.deallocate()
    storage = .allocate(byteCount: capacity, alignment: 16)
  }
}
