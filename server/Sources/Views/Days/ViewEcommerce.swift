import Warehouse

/// The promotions and product lists of a hit, read in one pass over its parameters.
package struct ViewEcommerce {
  /// Promotions by number. Their parameters are without prefix and number, such as `nm`.
  package var promotions: [Int: [String: String]] = [:]
  /// The names of lists by number.
  package var listNames: [Int: String] = [:]
  /// Products seen in lists, by list and product number. Their parameters are without prefixes.
  package var impressions: [Place: [String: String]] = [:]

  /// The position of a product: a list and a place in it.
  package struct Place: Hashable, Comparable {
    package var list: Int
    package var product: Int
    package static func < (left: Place, right: Place) -> Bool {
      (left.list, left.product) < (right.list, right.product)
    }
  }

  /// The largest number of a list, product or promotion in the protocol.
  private static let largest = 200

  /// Returns `nil` if the hit has no promotions or lists, as nearly all have not.
  package init?(_ parameters: [String: String]) {
    for (name, value) in parameters {
      var rest = name.utf8[...]
      // The first letters of the parameter names rule out nearly all hits.
      guard rest.count > 4, let first = rest.first, first == UInt8(ascii: "p") || first == UInt8(ascii: "i") else {
        continue
      }
      if Self.skip("promo", &rest) {
        guard let number = Self.number(&rest) else { continue }
        promotions[number, default: [:]][String(rest) ?? ""] = value
      } else if Self.skip("il", &rest) {
        guard let list = Self.number(&rest) else { continue }
        if rest.elementsEqual("nm".utf8) {
          listNames[list] = value
        } else if Self.skip("pi", &rest), let product = Self.number(&rest) {
          impressions[Place(list: list, product: product), default: [:]][String(rest) ?? ""] = value
        }
      }
    }
    if promotions.isEmpty, impressions.isEmpty { return nil }
  }

  /// The numbers of the products that a hit describes by name or SKU, in order.
  package static func productNumbers(_ parameters: [String: String]) -> [Int] {
    var numbers: Set<Int> = []
    for name in parameters.keys {
      var rest = name.utf8[...]
      guard skip("pr", &rest), let number = number(&rest),
        rest.elementsEqual("nm".utf8) || rest.elementsEqual("id".utf8)
      else { continue }
      numbers.insert(number)
    }
    return numbers.sorted()
  }

  private static func skip(_ prefix: StaticString, _ rest: inout Substring.UTF8View) -> Bool {
    let isThere = prefix.withUTF8Buffer { rest.starts(with: $0) }
    if isThere { rest = rest.dropFirst(prefix.utf8CodeUnitCount) }
    return isThere
  }

  /// Reads a number within the protocol's range, without leading zeros, that is followed by another part.
  private static func number(_ rest: inout Substring.UTF8View) -> Int? {
    let digits = rest.prefix(4).prefix { (0x30...0x39).contains($0) }
    guard let first = digits.first, first != 0x30, let text = String(digits), let number = Int(text) else { return nil }
    rest = rest.dropFirst(digits.count)
    return number <= largest && !rest.isEmpty ? number : nil
  }
}
