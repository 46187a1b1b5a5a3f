/// Formats a number with commas between thousands.
package func grouped(_ number: Int) -> String {
  let digits = Array(String(number.magnitude))
  var text = number < 0 ? "-" : ""
  for (index, digit) in digits.enumerated() {
    if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
    text.append(digit)
  }
  return text
}

/// Formats a duration with its two largest units, for example `2 min 5 s`, `3 h` or `12.5 s`.
package func durationText(seconds: Double) -> String {
  // Tenths matter below a minute only.
  let tenths = nearest(abs(seconds) * 10)
  let sign = seconds < 0 && tenths > 0 ? "−" : ""
  guard tenths >= 600 else { return "\(sign)\(tenths / 10)\(tenths % 10 == 0 ? "" : ".\(tenths % 10)") s" }
  let units = [(86_400, "d"), (3_600, "h"), (60, "min"), (1, "s")]
  var rest = nearest(abs(seconds))
  let largest = units.firstIndex { rest >= $0.0 } ?? 0
  var texts: [String] = []
  for (length, name) in units[largest...].prefix(2) {
    if rest >= length { texts.append("\(grouped(rest / length)) \(name)") }
    rest %= length
  }
  return sign + texts.joined(separator: " ")
}

/// The nearest integer, or the largest integer.
private func nearest(_ value: Double) -> Int { Int(exactly: value.rounded()) ?? .max }
