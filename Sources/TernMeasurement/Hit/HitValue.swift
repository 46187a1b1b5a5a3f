package import Foundation

/// The value of a parameter as set by an app.
package enum HitValue: Hashable, Sendable {
  case text(String)
  /// The parameter is removed.
  case cleared
  /// The value cannot be sent.
  case unusable

  /// Creates a value from any object.
  package init(_ value: Any) {
    switch value {
    case let text as String: self = .text(text)
    case let number as NSNumber: self = .text(Self.text(of: number))
    case is NSNull: self = .cleared
    default: self = .unusable
    }
  }

  /// Formats a number for the protocol, independent of the locale: integers without a fraction, Booleans as 1 and 0.
  package static func text(of number: NSNumber) -> String {
    let double = number.doubleValue
    if double == double.rounded(), abs(double) < 1e15 { return String(number.int64Value) }
    if isWhole(number) { return number.stringValue }
    if let decimal = number as? NSDecimalNumber { return decimal.description(withLocale: nil) }
    guard double.isFinite else { return "0" }
    // Converted to a double, a float would have spurious digits.
    return plain(number.objCType.pointee == CChar(UInt8(ascii: "f")) ? "\(number.floatValue)" : "\(double)")
  }

  /// True if the number was created from an integer: beyond 2^53, only its own description is exact.
  private static func isWhole(_ number: NSNumber) -> Bool {
    "qQlLiIsScC".utf8.contains(UInt8(bitPattern: number.objCType.pointee))
  }

  /// Removes an exponent, which servers do not expect.
  private static func plain(_ text: String) -> String {
    if text.hasSuffix(".0") { return String(text.dropLast(2)) }
    guard text.contains("e"), let decimal = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")) else {
      return text
    }
    return NSDecimalNumber(decimal: decimal).description(withLocale: nil)
  }
}
