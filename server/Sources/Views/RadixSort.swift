extension GrowingMemory<UInt64> {
  /// Sorts in linear time (radix sort with 11-bit digits). Comparison sorting took a tenth of the writer's time.
  package func sortAscending() { elements.sortAscending() }
}

extension UnsafeMutableBufferPointer<UInt64> {
  /// Sorts in linear time, which pays off for many numbers.
  package func sortAscending() {
    guard count > 64 else {
      var numbers = self
      return numbers.sort()
    }
    let scratch = Memory<UInt64>(count: count, zero: 0)
    var (from, to) = (self, UnsafeMutableBufferPointer(start: scratch.start, count: count))
    let present = reduce(0, |)
    for shift in stride(from: UInt64(0), to: 64, by: 11) where present >> shift & 2_047 != 0 {
      // A digit that is zero in all values, such as unused high bits of slots, needs no pass.
      Self.sort(from, into: to, byDigitAt: shift)
      swap(&from, &to)
    }
    if from.baseAddress != baseAddress, let target = baseAddress, let sorted = from.baseAddress {
      target.update(from: sorted, count: count)
    }
    withExtendedLifetime(scratch) {}
  }

  private static func sort(_ source: Self, into output: Self, byDigitAt shift: UInt64) {
    withUnsafeTemporaryAllocation(of: Int.self, capacity: 2_049) { starts in
      starts.initialize(repeating: 0)
      for value in source { starts[Int(value >> shift & 2_047) + 1] += 1 }
      for index in 1..<2_049 { starts[index] += starts[index - 1] }
      for value in source {
        let digit = Int(value >> shift & 2_047)
        output[starts[digit]] = value
        starts[digit] += 1
      }
    }
  }
}
