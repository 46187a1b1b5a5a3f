import Foundation

/// The texts of figures and names in notifications.
package enum AlertText {
  /// Returns a number with at most two decimals, without trailing zeros.
  package static func number(_ value: Double) -> String {
    guard value.isFinite, abs(value) < 1e15 else { return "\(value)" }
    let text = String(format: "%.2f", value)
    guard text.contains(".") else { return text }
    let short = text.reversed().drop { $0 == "0" }.drop { $0 == "." }
    return String(String(short.reversed()))
  }

  /// Returns a share in percent, rounded down so that 99.999 % doesn't read as 100 %.
  static func percent(_ share: Double) -> String { "\(number((share * 10_000).rounded(.down) / 100)) %" }

  /// Returns a name or type from a client, short and on one line.
  package static func short(_ text: String) -> String {
    let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
    return line.count > 120 ? line.prefix(119) + "…" : line
  }
}
