import Foundation
import ServerBase
import TernBase

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

  /// Returns a name or type from a client, short and on one line, without marks that change the direction of text.
  package static func short(_ text: String) -> String {
    // By bytes too, because one character may have thousands of combining marks.
    let start = text.prefix(utf8Bytes: 2_000)
    let line = start.asLine.split(separator: " ").joined(separator: " ")
    let isWhole = line.count <= 120 && line.utf8.count <= 480
    return isWhole ? line : line.prefix(119).prefix(utf8Bytes: 477) + "…"
  }
}
