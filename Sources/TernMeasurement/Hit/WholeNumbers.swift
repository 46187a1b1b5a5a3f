/// Rounds parameters that are integers in the protocol but that apps may compute as fractions.
enum WholeNumbers {
  private static let names: Set<String> = ["ev", "utt", "iq", "cos"]

  /// Rounds the value if the parameter must be an integer; returns other values unchanged.
  ///
  /// Servers silently reject a timing of 1.5 ms and ignore an event value of 29.2.
  static func rounded(_ value: String, of name: String) -> String {
    guard isWhole(name), value.contains("."), let number = Double(value) else { return value }
    return Int64(exactly: number.rounded()).map(String.init) ?? value
  }

  private static func isWhole(_ name: String) -> Bool {
    if names.contains(name) { return true }
    // The quantity and position of a product and the position in a list: pr1qt, pr1ps, il1pi2ps.
    guard name.hasSuffix("qt") || name.hasSuffix("ps") else { return false }
    let stem = name.dropLast(2)
    guard stem.last?.isNumber == true else { return false }
    let letters = stem.filter { !$0.isNumber }
    return letters == "pr" || letters == "ilpi"
  }
}
