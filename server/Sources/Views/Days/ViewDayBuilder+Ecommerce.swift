import Ingest
import TernBase
import Warehouse

/// Counts the steps of sessions on the way to an order.
extension ViewDayBuilder {
  /// The stages of shopping in order. Reaching a later stage implies the earlier ones.
  package static let stages = ["all", "detail", "add", "checkout", "purchase"]
  /// Other shopping actions, which are not stages.
  package static let otherActions = ["impression", "click", "remove", "refund"]

  /// - Parameters:
  ///   - session: The session's hits, `nil` for hits without shopping data; empty if no hit has any.
  ///   - count: The number of hits in the session.
  mutating func addShopping(_ session: [ViewHit?], count: Int, _ slot: UInt32) {
    guard !session.isEmpty else {
      return tables.add(.shopping, ViewKey(KnownText.all.id), 1, SaturatingInt64(count), 1, user: slot)
    }
    var done: [String: SaturatingInt64] = [:]
    var checkout = Checkout()
    for hit in session.compactMap(\.self) {
      if let seen = ViewEcommerce(hit.parameters) {
        addPromotions(seen, hit)
        addImpressions(seen, slot)
        if !seen.impressions.isEmpty { done["impression", default: 0] += 1 }
      }
      let action = hit.parameters["pa"] ?? ""
      let isOrder = hit.isAction("purchase", "refund") || hit.type == "transaction"
      if isOrder { addOrder(hit, sign: action == "refund" ? -1 : 1) }
      if hit.type == "item" { addItemFacts(hit) }
      if isOrder, action != "refund" {
        done["purchase", default: 0] += 1
        checkout.isBought = true
      } else if Self.stages.contains(action) || Self.otherActions.contains(action), action != "all" {
        done[action, default: 0] += 1
      }
      guard !action.isEmpty else { continue }
      addProductFacts(hit, action)
      addListActions(hit, action)
      checkout.add(hit, action)
    }
    addStages(done, hits: SaturatingInt64(count), slot)
    addCheckout(checkout, slot)
  }

  private mutating func addStages(_ done: [String: SaturatingInt64], hits: SaturatingInt64, _ slot: UInt32) {
    let furthest = Self.stages.last { done[$0] != nil } ?? "all"
    for stage in Self.stages + Self.otherActions {
      guard let count = stage == "all" ? hits : done[stage] else { continue }
      tables.add(.shopping, [stage], [1, count, stage == furthest ? 1 : 0], user: slot)
    }
  }

  /// The checkout steps of a session.
  private struct Checkout {
    var steps: [SaturatingInt64: SaturatingInt64] = [:]
    var options: [[String]: SaturatingInt64] = [:]
    var isBought = false

    mutating func add(_ hit: ViewHit, _ action: String) {
      guard action == "checkout" || action == "checkout_option" else { return }
      let step = max(hit.integer("cos") ?? 1, 0)
      // An option on its own updates a step and is not another visit to it.
      if action == "checkout" { steps[step, default: 0] += 1 }
      if let option = hit.parameters["col"] { options[["\(step)", option], default: 0] += 1 }
    }
  }

  private mutating func addCheckout(_ checkout: Checkout, _ slot: UInt32) {
    let last = checkout.steps.keys.max()
    for (step, hits) in checkout.steps.sorted(by: { $0.key < $1.key }) {
      let isEnd = step == last && !checkout.isBought
      tables.add(.checkoutSteps, ["\(step)"], [1, hits, isEnd ? 1 : 0], user: slot)
    }
    if last != nil, checkout.isBought { tables.add(.checkoutSteps, ["purchase"], [1, 1, 0], user: slot) }
    for (key, hits) in checkout.options.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      tables.add(.checkoutOptions, key, [1, hits], user: slot)
    }
  }
}

extension ViewDayBuilder {
  /// The dimensions of orders and their parameters.
  package static let orderFactNames = [("affiliation", "ta"), ("coupon", "tcc"), ("currency", "cu")]

  private mutating func addPromotions(_ seen: ViewEcommerce, _ hit: ViewHit) {
    let isClick = ["click", "promo_click"].contains(hit.parameters["promoa"] ?? "view")
    for (_, facts) in seen.promotions.sorted(by: { $0.key < $1.key }) {
      let key = ["id", "nm", "cr", "ps"].map { facts[$0] ?? "(not set)" }
      tables.add(.promotions, key, isClick ? [0, 1] : [1, 0], user: hit.slot)
    }
  }

  private mutating func addImpressions(_ seen: ViewEcommerce, _ slot: UInt32) {
    for (place, facts) in seen.impressions.sorted(by: { $0.key < $1.key }) {
      let list = seen.listNames[place.list] ?? "(not set)"
      let product = [facts["nm"] ?? "(not set)", facts["id"] ?? "(not set)"]
      tables.add(.listProducts, [list] + product, [1, 0, 0], user: slot)
      tables.add(.lists, [list], [1, 0, 0], user: slot)
    }
  }

  /// Counts a click on, or a detail view of, a product that names its list.
  private mutating func addListActions(_ hit: ViewHit, _ action: String) {
    guard let list = hit.parameters["pal"], action == "click" || action == "detail" else { return }
    let numbers: [SaturatingInt64] = action == "click" ? [0, 1, 0] : [0, 0, 1]
    for product in products(of: hit) {
      tables.add(.listProducts, [list] + product.key, numbers, user: hit.slot)
      tables.add(.lists, [list], numbers, user: hit.slot)
    }
  }

  private mutating func addOrder(_ hit: ViewHit, sign: Int) {
    if hit.isOpenRefund { return }
    let revenue = revenue(of: hit)
    let numbers: [SaturatingInt64] =
      sign > 0
      ? [1, revenue, hit.millionths("tt") ?? 0, hit.millionths("ts") ?? 0, 0, 0] : [0, 0, 0, 0, 1, revenue]
    tables.add(.orders, ["all", "all"], numbers, user: hit.slot)
    for (fact, name) in Self.orderFactNames {
      if let value = hit.parameters[name] { tables.add(.orders, [fact, value], numbers, user: hit.slot) }
    }
  }

  private mutating func addItemFacts(_ hit: ViewHit) {
    guard let category = hit.parameters["iv"] else { return }
    let quantity = max(hit.integer("iq") ?? 0, 0)
    let revenue = (hit.millionths("ip") ?? 0) * quantity
    tables.add(.productFacts, ["category", category], [quantity, revenue, 0, 0, 1], user: hit.slot)
  }

  private mutating func addProductFacts(_ hit: ViewHit, _ action: String) {
    guard ["detail", "add", "purchase", "refund"].contains(action), !hit.isOpenRefund else { return }
    for product in products(of: hit) {
      var numbers: [SaturatingInt64] = [0, 0, 0, 0, 0]
      switch action {
      case "detail": numbers[2] = 1
      case "add": numbers[3] = 1
      case "refund":
        numbers.replaceSubrange(0...1, with: [-product.quantity, -product.revenue])
      default: numbers = [product.quantity, product.revenue, 0, 0, 1]
      }
      for (fact, name) in Self.productFactNames {
        guard let value = hit.parameters["pr\(product.index)\(name)"] else { continue }
        tables.add(.productFacts, [fact, value], numbers, user: hit.slot)
      }
    }
  }
}

extension ViewHit {
  /// Returns true if the hit's product action is one of `names`.
  package func isAction(_ names: String...) -> Bool { parameters["pa"].map(names.contains) ?? false }
}
