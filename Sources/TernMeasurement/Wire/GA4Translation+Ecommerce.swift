/// A GA4 item.
package struct GA4Item: Sendable, Equatable {
  package var texts: [String: String] = [:]
  package var numbers: [String: Double] = [:]

  package init(id: String?, name: String?, category: String?, price: String?, quantity: String?) {
    texts["item_id"] = id
    texts["item_name"] = name
    for (level, part) in (category ?? "").split(separator: "/").prefix(5).enumerated() {
      texts[level == 0 ? "item_category" : "item_category\(level + 1)"] = String(part)
    }
    numbers["price"] = price.flatMap(Double.init).flatMap { $0.isFinite ? $0 : nil }
    numbers["quantity"] = quantity.flatMap(Double.init).flatMap { $0.isFinite ? $0 : nil }
  }
}

extension GA4Translation {
  private static let actions = [
    "detail": "view_item", "click": "select_item", "add": "add_to_cart", "remove": "remove_from_cart",
    "checkout": "begin_checkout", "checkout_option": "checkout_option", "purchase": "purchase", "refund": "refund",
  ]

  /// The events for the hit's products.
  var ecommerce: [Event] {
    var events: [Event] = []
    if let action = hit["pa"], let name = Self.actions[action] {
      // Only the first step is a beginning.
      let step = hit["cos"].flatMap(Int.init) ?? 1
      var event = order(action == "checkout" && step > 1 ? "checkout_progress" : name)
      event.items = items(prefix: "pr")
      event.texts["item_list_name"] = hit["pal"]
      event.numbers["checkout_step"] = number("cos")
      event.texts["checkout_option"] = hit["col"]
      events.append(event)
    }
    for list in numbers(prefix: "il") {
      var event = Event("view_item_list")
      event.texts["item_list_name"] = hit["il\(list)nm"]
      event.items = items(prefix: "il\(list)pi")
      if !event.items.isEmpty { events.append(event) }
    }
    for promotion in numbers(prefix: "promo") {
      let isClick = hit["promoa"] == "click" || hit["promoa"] == "promo_click"
      var event = Event(isClick ? "select_promotion" : "view_promotion")
      event.texts["promotion_id"] = hit["promo\(promotion)id"]
      event.texts["promotion_name"] = hit["promo\(promotion)nm"]
      event.texts["creative_name"] = hit["promo\(promotion)cr"]
      event.texts["creative_slot"] = hit["promo\(promotion)ps"]
      events.append(event)
    }
    return events
  }

  private func items(prefix: String) -> [GA4Item] {
    numbers(prefix: prefix).map { number in
      let name = "\(prefix)\(number)"
      var item = GA4Item(
        id: hit[name + "id"], name: hit[name + "nm"], category: hit[name + "ca"], price: hit[name + "pr"],
        quantity: hit[name + "qt"])
      item.texts["item_brand"] = hit[name + "br"]
      item.texts["item_variant"] = hit[name + "va"]
      item.texts["coupon"] = hit[name + "cc"]
      item.numbers["index"] = self.number(name + "ps")
      return item
    }
  }

  /// The numbers after a prefix in the parameter names, such as 1 and 2 in `pr1id`, `pr1nm` and `pr2id`.
  private func numbers(prefix: String) -> [Int] {
    let found = hit.keys.compactMap { name -> Int? in
      guard name.hasPrefix(prefix) else { return nil }
      return Int(name.dropFirst(prefix.count).prefix { $0.isNumber })
    }
    return Set(found).sorted()
  }
}
