/// Returns a number in decimal with leading zeros, at least `width` digits long.
package func padded(_ number: some BinaryInteger, _ width: Int = 2) -> String {
  let digits = String(number)
  return String(repeating: "0", count: max(0, width - digits.count)) + digits
}
