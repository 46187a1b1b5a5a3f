import ServerBase

/// Initialized memory for a fixed number of trivial values.
///
/// `ServerBase` has the same types. The compiler does not inline their accessors into this module, where they would cost four
/// fifths of an evaluation.
final class Memory<Element: BitwiseCopyable> {
  let start: UnsafeMutablePointer<Element>
  let count: Int

  init(count: Int, zero: Element) {
    self.count = count
    start = .allocate(capacity: count)
    start.initialize(repeating: zero, count: count)
  }

  deinit { start.deallocate() }

  @inline(__always)
  subscript(index: Int) -> Element {
    get { start[index] }
    set { start[index] = newValue }
  }
}

/// A growing list of trivial values.
final class GrowingMemory<Element: BitwiseCopyable> {
  @exclusivity(unchecked) private var start: UnsafeMutablePointer<Element>
  @exclusivity(unchecked) private var capacity = 4
  @exclusivity(unchecked) private(set) var count = 0

  init() { start = .allocate(capacity: 4) }

  deinit { start.deallocate() }

  @inline(__always)
  var elements: UnsafeMutableBufferPointer<Element> { UnsafeMutableBufferPointer(start: start, count: count) }

  @inline(__always)
  func append(_ element: Element) {
    if count == capacity { grow() }
    (start + count).initialize(to: element)
    count += 1
  }

  private func grow() {
    let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity * 2)
    larger.update(from: start, count: count)
    start.deallocate()
    start = larger
    capacity *= 2
  }

  /// Removes all but the first elements.
  func truncate(to size: Int) { count = min(count, size) }
}
