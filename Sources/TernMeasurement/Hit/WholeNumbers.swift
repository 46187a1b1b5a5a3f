/// Parameters that are whole numbers in the protocol, while apps have them as fractions: seconds times a thousand, say.
enum WholeNumbers {
  private static let names: Set<String> = ["ev", "utt", "iq", "cos"]

  /// The value as servers take it; as it is when it is no number, or the parameter may have a fraction.
  ///
  /// Servers refuse a timing of 1.5 ms, and leave out an event's value of 29.2, without saying so.
  static func rounded(_ value: String, of name: String) -> String {
    guard isWhole(name), value.contains("."), let number = Double(value) else { return value }
    return Int64(exactly: number.rounded()).map(String.init) ?? value
  }

  private static func isWhole(_ name: String) -> Bool {
    if names.contains(name) { return true }
    // Quantity and position of a product, position in a list: pr1qt, pr1ps, il1pi2ps.
    guard name.hasSuffix("qt") || name.hasSuffix("ps") else { return false }
    let stem = name.dropLast(2)
    guard stem.last?.isNumber == true else { return false }
    let letters = stem.filter { !$0.isNumber }
    return letters == "pr" || letters == "ilpi"
  }
}
