import Warehouse

/// What a hit says of promotions and lists of products, read in one pass over its parameters.
package struct ViewEcommerce {
  /// Promotions, by their numbers: parameters without prefix and number, such as `nm`.
  package var promotions: [Int: [String: String]] = [:]
  /// The names of lists, by their numbers.
  package var listNames: [Int: String] = [:]
  /// Products seen in lists, by the numbers of list and product: parameters without prefixes.
  package var impressions: [Place: [String: String]] = [:]

  /// Where in which list.
  package struct Place: Hashable, Comparable {
    package var list: Int
    package var product: Int
    package static func < (left: Place, right: Place) -> Bool {
      (left.list, left.product) < (right.list, right.product)
    }
  }

  /// The largest number that the protocol gives to a list, a product or a promotion.
  private static let largest = 200

  /// `nil` when the hit says nothing of the kind, which is nearly always.
  package init?(_ parameters: [String: String]) {
    for (name, value) in parameters {
      var rest = name.utf8[...]
      // Nearly all hits are told by the first letters of their parameters to have none of it.
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

  /// A number without leading zeros within what the protocol has, with something behind it.
  private static func number(_ rest: inout Substring.UTF8View) -> Int? {
    let digits = rest.prefix(4).prefix { (0x30...0x39).contains($0) }
    guard let first = digits.first, first != 0x30, let text = String(digits), let number = Int(text) else { return nil }
    rest = rest.dropFirst(digits.count)
    return number <= largest && !rest.isEmpty ? number : nil
  }
}
