/// A type whose values can be properties of an event: text, numbers, booleans and times.
public protocol PropertyConvertible: Sendable {
  /// The value as it is recorded.
  var propertyValue: PropertyValue { get }
}

extension PropertyValue: PropertyConvertible {
  /// The value itself.
  public var propertyValue: PropertyValue { self }
}

extension String: PropertyConvertible {
  /// Text.
  public var propertyValue: PropertyValue { .string(self) }
}

extension Substring: PropertyConvertible {
  /// Text.
  public var propertyValue: PropertyValue { .string(String(self)) }
}

extension Bool: PropertyConvertible {
  /// True or false.
  public var propertyValue: PropertyValue { .boolean(self) }
}

extension Double: PropertyConvertible {
  /// A number with a fraction.
  public var propertyValue: PropertyValue { .double(self) }
}

extension Float: PropertyConvertible {
  /// A number with a fraction.
  public var propertyValue: PropertyValue { .double(Double(self)) }
}

extension Timestamp: PropertyConvertible {
  /// A point in time.
  public var propertyValue: PropertyValue { .date(self) }
}

extension PropertyConvertible where Self: FixedWidthInteger {
  /// A whole number; one that 64 bits with a sign do not hold becomes the nearest number with a fraction.
  public var propertyValue: PropertyValue { Int64(exactly: self).map { .integer($0) } ?? .double(Double(self)) }
}

extension Int: PropertyConvertible {}
extension Int8: PropertyConvertible {}
extension Int16: PropertyConvertible {}
extension Int32: PropertyConvertible {}
extension Int64: PropertyConvertible {}
extension UInt: PropertyConvertible {}
extension UInt8: PropertyConvertible {}
extension UInt16: PropertyConvertible {}
extension UInt32: PropertyConvertible {}
extension UInt64: PropertyConvertible {}
