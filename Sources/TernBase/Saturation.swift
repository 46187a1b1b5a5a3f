/// Arithmetic that stops at the ends of the range instead of trapping: counts come from files and from clients, and can
/// be any number.
extension FixedWidthInteger {
  /// Returns the sum, or the end of the range that it lies beyond.
  @inlinable
  public func addingSaturated(_ other: Self) -> Self {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }

  /// Returns the difference, or the end of the range that it lies beyond.
  @inlinable
  public func subtractingSaturated(_ other: Self) -> Self {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other < 0 ? .max : .min) : difference
  }

  /// Adds a number in place; see ``addingSaturated(_:)``.
  @inlinable
  public mutating func addSaturated(_ other: Self) { self = addingSaturated(other) }
}

extension Sequence where Element: FixedWidthInteger {
  /// The sum, or the end of the range that it lies beyond.
  @inlinable public var saturatingSum: Element { reduce(0) { $0.addingSaturated($1) } }
}
