/// Arithmetic that stops at the largest number instead of trapping: clients report their own losses, so a count can be
/// any number.
extension FixedWidthInteger {
  /// The sum, at most the largest number there is; neither side may be negative.
  @inlinable package func addingSaturated(_ other: Self) -> Self {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }

  /// Adds a number in place; see ``addingSaturated(_:)``.
  @inlinable package mutating func addSaturated(_ other: Self) { self = addingSaturated(other) }
}

extension Sequence<Int> {
  /// The sum of numbers of which none is negative, at most the largest number there is.
  package func saturatingSum() -> Int { reduce(0) { $0.addingSaturated($1) } }
}
