import TernEvents

extension FastGenerator {
  /// Returns true with the given probability.
  mutating func chance(_ probability: Double) -> Bool {
    Double.random(in: 0..<1, using: &self) < probability
  }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

  /// Returns a number of seconds, with a uniform distribution of orders of magnitude.
  mutating func seconds(_ least: Double, _ most: Double) -> Duration {
    .seconds(fraction(least, most))
  }

  /// Returns a number between two positive ones, with a uniform distribution of orders of magnitude.
  mutating func fraction(_ least: Double, _ most: Double) -> Double {
    // Doubles instead of calling `exp`, so that nothing depends on the library's rounding.
    var low = least
    var high = most
    for _ in 0..<24 {
      let middle = (low * high).squareRoot()
      if next() & 1 == 0 { high = middle } else { low = middle }
    }
    return low
  }

  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[number(0...elements.count - 1)]
  }
}
