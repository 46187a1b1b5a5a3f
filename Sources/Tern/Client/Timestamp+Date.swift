public import Foundation
public import TernValues

extension Date: PropertyConvertible {
  /// The date in whole milliseconds, clamped to the range of `Timestamp`.
  public var propertyValue: PropertyValue { .date(Timestamp(self)) }
}

extension Timestamp {
  /// Creates a timestamp from a date, rounded to whole milliseconds.
  public init(_ date: Date) {
    let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
    // `Int64(exactly:)` fails for values out of range: clamp them.
    self.init(
      millisecondsSince1970: milliseconds.isNaN ? 0 : Int64(exactly: milliseconds) ?? (milliseconds < 0 ? .min : .max))
  }
}
