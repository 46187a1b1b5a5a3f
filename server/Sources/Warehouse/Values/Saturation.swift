/// Saturating arithmetic: clients report their own losses, so a count can be any number and must not trap.
extension FixedWidthInteger {
  /// Returns the sum, saturating at the largest integer. Neither operand may be negative.
  @inlinable package func addingSaturated(_ other: Self) -> Self {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }

  /// Adds a number in place. See ``addingSaturated(_:)``.
  @inlinable package mutating func addSaturated(_ other: Self) { self = addingSaturated(other) }
}

extension Sequence<Int> {
  /// Returns the sum of non-negative numbers, saturating at the largest integer.
  package func saturatingSum() -> Int { reduce(0) { $0.addingSaturated($1) } }
}
