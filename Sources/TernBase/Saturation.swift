/// Arithmetic that clamps to the range instead of trapping, because counts from files and clients can be any number.
extension FixedWidthInteger {
  /// Returns the sum, clamped to the range.
  @inlinable
  public func addingSaturated(_ other: Self) -> Self {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }

  /// Returns the difference, clamped to the range.
  @inlinable
  public func subtractingSaturated(_ other: Self) -> Self {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other < 0 ? .max : .min) : difference
  }

  /// Adds a number in place; see ``addingSaturated(_:)``.
  @inlinable
  public mutating func addSaturated(_ other: Self) { self = addingSaturated(other) }
}

extension FixedWidthInteger {
  /// Creates an integer by dropping the fraction and clamping to the range; zero for NaN.
  ///
  /// `init(_:)` traps on numbers that are too large, infinite or NaN.
  @inlinable
  public init(clamping number: Double) {
    if number.isNaN {
      self = 0
    } else if number >= Double(Self.max) {
      self = .max
    } else {
      self = number > Double(Self.min) ? Self(number) : .min
    }
  }
}

extension Sequence where Element: FixedWidthInteger {
  /// The sum, clamped to the range.
  @inlinable public var saturatingSum: Element { reduce(0) { $0.addingSaturated($1) } }
}
