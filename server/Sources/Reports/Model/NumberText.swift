import TernBase
import Warehouse

/// Formats a number and its noun, for example `1 install` or `1,234 installs`.
package func counted(_ number: Int, _ noun: String) -> String {
  "\(grouped(number)) \(noun)\(number == 1 ? "" : "s")"
}

/// Formats a share as a percentage with one decimal, for example `12.5 %`.
package func percentage(_ part: Double) -> String {
  let tenths = Int(clamping: (part * 1_000).rounded().clamped(to: -1e15...1e15))
  return "\(tenths < 0 ? "-" : "")\(grouped(abs(tenths) / 10)).\(abs(tenths) % 10) %"
}

/// Formats a number of bytes with three digits, for example `1.25 GiB`.
package func byteText(_ bytes: Int64) -> String {
  let units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB"]
  var (value, unit) = (Double(bytes), 0)
  while abs(value) >= 1_000, unit < units.count - 1 { (value, unit) = (value / 1_024, unit + 1) }
  if unit == 0 { return "\(bytes) bytes" }
  // Three digits, and no zeros at the end.
  let decimals = abs(value) < 9.995 ? 100.0 : abs(value) < 99.95 ? 10.0 : 1.0
  let hundredths = Int((value * decimals).rounded() * (100 / decimals))
  let (whole, rest) = (hundredths / 100, abs(hundredths % 100))
  let fraction = rest == 0 ? "" : rest.isMultiple(of: 10) ? ".\(rest / 10)" : ".\(rest < 10 ? "0" : "")\(rest)"
  return "\(hundredths < 0 && whole == 0 ? "-" : "")\(whole)\(fraction) \(units[unit])"
}

extension Double {
  /// Returns the nearest value in a range; the lower bound for NaN.
  func clamped(to range: ClosedRange<Double>) -> Double {
    self > range.lowerBound ? min(self, range.upperBound) : range.lowerBound
  }
}
