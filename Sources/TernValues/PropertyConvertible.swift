/// A type whose values can be event properties: text, numbers, Booleans and times.
public protocol PropertyConvertible: Sendable {
  /// The recorded value.
  var propertyValue: PropertyValue { get }
}

extension PropertyValue: PropertyConvertible {
  /// The value itself.
  @inlinable public var propertyValue: PropertyValue { self }
}

extension String: PropertyConvertible {
  /// Text.
  @inlinable public var propertyValue: PropertyValue { .string(self) }
}

extension Substring: PropertyConvertible {
  /// Text.
  @inlinable public var propertyValue: PropertyValue { .string(String(self)) }
}

extension Bool: PropertyConvertible {
  /// True or false.
  @inlinable public var propertyValue: PropertyValue { .boolean(self) }
}

extension Double: PropertyConvertible {
  /// A floating-point number.
  @inlinable public var propertyValue: PropertyValue { .double(self) }
}

extension Float: PropertyConvertible {
  /// A floating-point number.
  @inlinable public var propertyValue: PropertyValue { .double(Double(self)) }
}

extension Timestamp: PropertyConvertible {
  /// A point in time.
  @inlinable public var propertyValue: PropertyValue { .date(self) }
}

extension PropertyConvertible where Self: FixedWidthInteger {
  /// An integer, or a floating-point number if it is out of the range of `Int64`.
  @inlinable
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
