public import Foundation
public import TernEvents

extension Date: PropertyConvertible {
  /// A point in time, in whole milliseconds; one that no clock shows becomes the nearest there is.
  public var propertyValue: PropertyValue { .date(Timestamp(self)) }
}

extension Timestamp {
  /// Creates a timestamp from a date, rounded to whole milliseconds.
  public init(_ date: Date) {
    let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
    // The largest double below the bound: what lies beyond cannot be converted.
    self.init(
      millisecondsSince1970: milliseconds.isNaN ? 0 : Int64(exactly: milliseconds) ?? (milliseconds < 0 ? .min : .max))
  }
}
