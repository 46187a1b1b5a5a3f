/// A 64-bit integer whose arithmetic clamps to the range instead of trapping.
///
/// For numbers that clients, files and other servers choose: counts, quantities, amounts in millionths, durations. There
/// is no operator that mixes it with other integers, so arithmetic on such a number can't trap by accident. Read
/// ``rawValue`` to encode, bind or format a number, and for nothing else.
///
/// The range is that of `Int64`, not a symmetric one: numbers that are stored stay what they are, and addition needs no
/// further check. The smallest number therefore has no exact opposite; its opposite is the largest.
///
/// A clamped sum depends on the order of its terms. Where this matters, use ``add(_:)`` and ``subtract(_:)``, which
/// report it.
@frozen
public struct SaturatingInt64: Hashable, Comparable, Sendable, BitwiseCopyable {
  /// The number.
  public let rawValue: Int64

  /// The largest number.
  @inlinable public static var max: Self { Self(Int64.max) }
  /// The smallest number.
  @inlinable public static var min: Self { Self(Int64.min) }
  /// Zero.
  @inlinable public static var zero: Self { Self(0 as Int64) }

  /// Creates the same number.
  @inlinable public init(_ number: Int64) { rawValue = number }

  /// Creates the nearest number in the range.
  @inlinable public init(_ number: some BinaryInteger) { rawValue = Int64(clamping: number) }

  /// Reads a decimal number with an optional sign, or returns `nil` if the text is anything else or out of range.
  @inlinable
  public init?(_ text: some StringProtocol) {
    guard let number = Int64(text) else { return nil }
    rawValue = number
  }

  /// The distance from zero.
  @inlinable public var magnitude: UInt64 { rawValue.magnitude }

  /// Returns true if the left number is smaller.
  @inlinable public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  /// Returns the sum, clamped to the range.
  @inlinable
  public static func + (left: Self, right: Self) -> Self { Self(left.rawValue.addingSaturated(right.rawValue)) }

  /// Returns the difference, clamped to the range.
  @inlinable
  public static func - (left: Self, right: Self) -> Self { Self(left.rawValue.subtractingSaturated(right.rawValue)) }

  /// Returns the product, clamped to the range.
  @inlinable
  public static func * (left: Self, right: Self) -> Self {
    let (product, overflow) = left.rawValue.multipliedReportingOverflow(by: right.rawValue)
    return overflow ? ((left.rawValue < 0) == (right.rawValue < 0) ? .max : .min) : Self(product)
  }

  /// Returns the opposite number, clamped to the range.
  @inlinable public static prefix func - (number: Self) -> Self { .zero - number }

  /// Adds a number.
  @inlinable public static func += (left: inout Self, right: Self) { left = left + right }

  /// Subtracts a number.
  @inlinable public static func -= (left: inout Self, right: Self) { left = left - right }

  /// Adds a number.
  ///
  /// - Returns: False if the sum was clamped.
  @inlinable @inline(__always)
  public mutating func add(_ other: Self) -> Bool {
    let (sum, overflow) = rawValue.addingReportingOverflow(other.rawValue)
    self = overflow ? (other.rawValue < 0 ? .min : .max) : Self(sum)
    return !overflow
  }

  /// Subtracts a number.
  ///
  /// - Returns: False if the difference was clamped.
  @inlinable @inline(__always)
  public mutating func subtract(_ other: Self) -> Bool {
    let (difference, overflow) = rawValue.subtractingReportingOverflow(other.rawValue)
    self = overflow ? (other.rawValue < 0 ? .max : .min) : Self(difference)
    return !overflow
  }

  /// Returns the quotient rounded toward zero and clamped to the range, or `nil` if the divisor is zero.
  @inlinable
  public func divided(by divisor: Self) -> Self? {
    guard divisor != .zero else { return nil }
    let (quotient, overflow) = rawValue.dividedReportingOverflow(by: divisor.rawValue)
    return overflow ? .max : Self(quotient)
  }
}

extension SaturatingInt64: ExpressibleByIntegerLiteral {
  /// Creates the number of a literal.
  @inlinable public init(integerLiteral number: Int64) { rawValue = number }
}

extension SaturatingInt64: CustomStringConvertible {
  /// The number in decimal notation.
  public var description: String { rawValue.description }
}

extension Double {
  /// Creates the nearest floating-point number.
  @inlinable public init(_ number: SaturatingInt64) { self.init(number.rawValue) }
}
