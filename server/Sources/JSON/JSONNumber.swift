/// The form of numbers in JSON, and in texts.
package enum JSONNumber {
  /// A number without a needless fraction: `10`, `2.5`.
  package static func plain(_ number: Double) -> String {
    if let integer = Int64(exactly: number) { return String(integer) }
    return number.description
  }
}
