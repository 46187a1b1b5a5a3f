/// The wire names of products, impressions and promotions, and their numbering.
package struct ProductFields: Sendable {
  private var products = 0
  private var promotions = 0
  private var lists: [String: (number: UInt, products: UInt)] = [:]

  /// Creates a numbering that starts with one.
  package init() {}

  /// Returns the number of the next product.
  package mutating func nextProduct() -> UInt {
    products += 1
    return UInt(products)
  }

  /// Returns the number of the next promotion.
  package mutating func nextPromotion() -> UInt {
    promotions += 1
    return UInt(promotions)
  }

  /// Returns the numbers of a list, identified by its name, and of the next product in it.
  package mutating func nextImpression(in name: String) -> (list: UInt, product: UInt) {
    let entry = lists[name] ?? (UInt(lists.count + 1), 0)
    lists[name] = (entry.number, entry.products + 1)
    return (entry.number, entry.products + 1)
  }

  /// A field of a product, such as `&pr1nm`.
  package static func product(_ number: UInt, _ suffix: String) -> String { "&pr\(number)\(bare(suffix))" }

  /// A field of a product in a list, such as `&il1pi2nm`.
  package static func impression(_ list: String, _ number: UInt, _ suffix: String) -> String {
    "\(list)pi\(number)\(bare(suffix))"
  }

  /// A list of impressions, such as `&il1`.
  package static func list(_ number: UInt) -> String { "&il\(number)" }

  /// A field of a promotion, such as `&promo1nm`.
  package static func promotion(_ number: UInt, _ suffix: String) -> String { "&promo\(number)\(bare(suffix))" }

  /// Removes the ampersand with which custom dimensions and metrics start.
  private static func bare(_ suffix: String) -> Substring { suffix.drop { $0 == "&" } }
}
