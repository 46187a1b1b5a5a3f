import TernBase

/// Formats a number with commas between thousands.
public func grouped(_ number: Int) -> String {
  let digits = Array(String(number.magnitude))
  var text = number < 0 ? "-" : ""
  for (index, digit) in digits.enumerated() {
    if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
    text.append(digit)
  }
  return text
}

/// Formats a share as a percentage with one decimal, for example `12.5 %`.
public func percentage(_ part: Double) -> String {
  let tenths = Int(clamping: (part * 1_000).rounded().clamped(to: -1e15...1e15))
  return "\(tenths < 0 ? "-" : "")\(grouped(abs(tenths) / 10)).\(abs(tenths) % 10) %"
}

extension Double {
  /// Returns the nearest value in a range; the lower bound for NaN.
  func clamped(to range: ClosedRange<Double>) -> Double {
    self > range.lowerBound ? min(self, range.upperBound) : range.lowerBound
  }
}
