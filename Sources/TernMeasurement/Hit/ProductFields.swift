/// The names of products, impressions and promotions on the wire, and which numbers they get.
package struct ProductFields: Sendable {
  private var products = 0
  private var promotions = 0
  private var lists: [String: (number: UInt, products: UInt)] = [:]

  /// Starts with number one.
  package init() {}

  /// The number of the next product.
  package mutating func nextProduct() -> UInt {
    products += 1
    return UInt(products)
  }

  /// The number of the next promotion.
  package mutating func nextPromotion() -> UInt {
    promotions += 1
    return UInt(promotions)
  }

  /// The numbers of a list and of the next product in it; the same name means the same list.
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

  /// Custom dimensions and metrics come with an ampersand of their own.
  private static func bare(_ suffix: String) -> Substring { suffix.drop { $0 == "&" } }
}
