extension GrowingMemory<UInt64> {
  /// Sorts in linear time. Comparison sorting took a tenth of the writer's time.
  package func sortAscending() { elements.sortAscending() }
}

extension UnsafeMutableBufferPointer<UInt64> {
  /// Sorts in linear time. Worthwhile for many numbers only.
  package func sortAscending() {
    guard count > 64 else {
      var numbers = self
      return numbers.sort()
    }
    radixSort { $0 }
  }
}

extension UnsafeMutableBufferPointer where Element: BitwiseCopyable {
  /// Sorts stably by a key, in linear time, 11 bits per pass.
  @inlinable @inline(__always)
  package func radixSort(by key: (Element) -> UInt64) {
    let scratch = Self.allocate(capacity: count)
    defer { scratch.deallocate() }
    var (from, to) = (self, scratch)
    let present = reduce(UInt64(0)) { $0 | key($1) }
    // A digit that is zero in all keys needs no pass.
    for shift in stride(from: UInt64(0), to: 64, by: 11) where present >> shift & 2_047 != 0 {
      withUnsafeTemporaryAllocation(of: Int.self, capacity: 2_049) { starts in
        starts.initialize(repeating: 0)
        for element in from { starts[Int(key(element) >> shift & 2_047) + 1] += 1 }
        for index in 1..<2_049 { starts[index] += starts[index - 1] }
        for element in from {
          let digit = Int(key(element) >> shift & 2_047)
          to.initializeElement(at: starts[digit], to: element)
          starts[digit] += 1
        }
      }
      swap(&from, &to)
    }
    if from.baseAddress != baseAddress, let target = baseAddress, let sorted = from.baseAddress {
      target.update(from: sorted, count: count)
    }
  }
}
