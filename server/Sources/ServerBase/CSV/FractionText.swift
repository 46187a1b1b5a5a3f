/// Fractions in files that programs of every language read.
///
/// A fraction always has a point, so that a column has one type in all its rows. After the point it never has exactly
/// three digits: where a point separates thousands, spreadsheets read `0.875` as 875.
package enum FractionText {
  /// Returns a fraction, such as `1.0` or `0.8750`; `nil` for infinity and NaN, which no file has.
  package static func text(_ number: Double) -> String? {
    guard number.isFinite else { return nil }
    // Zero has no sign in files.
    return number == 0 ? "0.0" : padded(number.description)
  }

  /// Returns a number that may be whole, such as `10` or `2.5`; `nil` for infinity and NaN.
  package static func plain(_ number: Double) -> String? {
    Int64(exactly: number).map { String($0) } ?? text(number)
  }

  /// Returns a number in decimal notation with a point and without exactly three digits after it.
  package static func padded(_ number: String) -> String {
    let mantissa = number.prefix { $0 != "e" }
    let digits = mantissa.split(separator: ".", maxSplits: 1).dropFirst().first?.count ?? 0
    let filling = digits == 0 ? ".0" : digits == 3 ? "0" : ""
    return "\(mantissa)\(filling)\(number.dropFirst(mantissa.count))"
  }
}
