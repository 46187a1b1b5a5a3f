package import TernBase
package import Warehouse

/// A transaction id, compared byte by byte. Swift strings compare as equal if they are canonically equivalent.
package struct OrderID: Hashable, Sendable {
  package var bytes: [UInt8]

  package init(_ text: String) { bytes = Array(text.utf8) }
  package init(bytes: [UInt8]) { self.bytes = bytes }
}

extension ViewHit {
  /// True if a refund needs its order for the amounts: it names no products, or products without prices.
  package var isOpenRefund: Bool {
    guard isAction("refund"), parameters["ti"] != nil else { return false }
    let products = ViewDayBuilder.products(of: self)
    return products.isEmpty ? millionths("tr") == nil : products.contains { $0.price == nil }
  }
}

/// The order changes in the hits of one day.
///
/// Purchases and refunds of an order may come from different clients, so they are sorted once all are known.
package struct OrderEntries {
  private struct Entry {
    var time: EventTime
    var sequence: SaturatingInt64
    var row: Int64
    var slot: UInt32
    var change: ViewOrder
    /// The hit of a refund whose amounts depend on the order.
    var refund: ViewHit?

    static func isBefore(_ left: Entry, _ right: Entry) -> Bool {
      (left.time, left.sequence, left.row) < (right.time, right.sequence, right.row)
    }
  }

  /// The number of hits and products whose order changes are kept per day; further ones are ignored.
  package static let maximum = 200_000
  private var entries: [OrderID: [Entry]] = [:]
  private var count = 0
  /// The number of entries of earlier users, which are counted here but kept elsewhere.
  private var before = 0
  private var isSuccessor = false
  private var users: [UInt32: Set<OrderID>] = [:]
  /// True if nothing has been left out so far.
  package private(set) var hasRoom = true

  /// Adds a purchase or a refund, with the revenue and products that the caller has read.
  ///
  /// - Returns: True if there was room.
  @discardableResult
  package mutating func add(_ hit: ViewHit, sign: Int, revenue: SaturatingInt64, products: [ViewDayBuilder.Product])
    -> Bool
  {
    var order = ViewOrder(
      revenue: revenue, tax: hit.millionths("tt") ?? 0, shipping: hit.millionths("ts") ?? 0, facts: hit.orderFacts,
      lines: products.map { product in
        ViewOrder.Line(
          key: product.key, facts: hit.facts(of: product), price: product.price, quantity: product.quantity,
          revenue: product.revenue)
      })
    if sign < 0 { order = order.negated }
    return add(hit, order, products.count)
  }

  /// Adds a product that was sent as a hit of its own.
  package mutating func add(item hit: ViewHit) {
    let (price, quantity) = (hit.millionths("ip"), max(hit.integer("iq") ?? 0, 0))
    let line = ViewOrder.Line(
      key: [hit.text("in"), hit.text("ic")], facts: hit.parameters["iv"].map { ["category": $0] } ?? [:], price: price,
      quantity: quantity, revenue: (price ?? 0) * quantity)
    _ = add(hit, ViewOrder(lines: [line]), 1)
  }

  private mutating func add(_ hit: ViewHit, _ change: ViewOrder, _ lines: Int) -> Bool {
    guard let text = hit.parameters["ti"] else { return false }
    guard hasRoom, count + 1 + lines <= Self.maximum else {
      hasRoom = false
      return false
    }
    count += 1 + lines
    users[hit.slot, default: []].insert(OrderID(text))
    entries[OrderID(text), default: []].append(
      Entry(
        time: hit.time, sequence: hit.sequence, row: hit.id, slot: hit.slot, change: change,
        refund: hit.isOpenRefund ? hit : nil))
    return true
  }

  /// An empty list for the users that follow, which accounts for the room taken by this one.
  var successor: OrderEntries {
    var successor = OrderEntries()
    successor.count = count
    successor.hasRoom = hasRoom
    successor.before = count
    successor.isSuccessor = true
    return successor
  }

  /// The users whose hits changed orders.
  var buyers: Dictionary<UInt32, Set<OrderID>>.Keys { users.keys }

  /// The approximate size in bytes.
  var byteCount: Int { count * 300 + users.count * 120 }

  /// Adds the entries of users with larger numbers.
  ///
  /// - Returns: False, and adds nothing, if there isn't room for all entries. The users must then be counted one by
  ///   one.
  mutating func merge(_ other: OrderEntries) -> Bool {
    let more = other.count - other.before
    let fits = count + more <= Self.maximum && other.hasRoom && (hasRoom || more == 0)
    guard other.isSuccessor || fits else { return false }
    count += more
    if !other.hasRoom { hasRoom = false }
    for (id, added) in other.entries { entries[id, default: []] += added }
    users.merge(other.users) { $0.union($1) }
    return true
  }

  /// Removes the entries of a user.
  package mutating func remove(_ slot: UInt32) {
    for id in users.removeValue(forKey: slot) ?? [] {
      let (left, gone) = (
        entries[id, default: []].filter { $0.slot != slot }, entries[id, default: []].filter { $0.slot == slot }
      )
      entries[id] = left.isEmpty ? nil : left
      count -= gone.reduce(0) { $0 + 1 + $1.change.lines.count }
    }
  }

  /// Calls `refund` with each refund whose amounts depend on its order, and the amounts that it takes back, order by
  /// order.
  ///
  /// - Parameter before: Returns the state of an order when the day began.
  /// - Returns: The changes of each order on this day.
  package func resolved(
    _ before: (OrderID) throws -> ViewOrder?, refund: (ViewHit, ViewOrder) -> Void
  ) rethrows -> [OrderID: ViewOrder] {
    var changes: [OrderID: ViewOrder] = [:]
    for (id, entries) in entries.sorted(by: { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }) {
      let isOpen = entries.contains { $0.refund != nil }
      var known = isOpen ? try before(id) ?? ViewOrder() : ViewOrder()
      var change = ViewOrder()
      for entry in entries.sorted(by: Entry.isBefore) {
        var step = entry.change
        if let hit = entry.refund {
          let amounts = hit.refund(of: known)
          refund(hit, amounts)
          step = amounts.negated
        }
        known.add(step)
        change.add(step)
      }
      // A refund of an unknown order changes nothing.
      if change != ViewOrder() { changes[id] = change }
    }
    return changes
  }
}

extension ViewHit {
  fileprivate var orderFacts: [String: String] {
    var facts: [String: String] = [:]
    for name in ["ta", "tcc", "cu"] { facts[name] = parameters[name] }
    return facts
  }

  fileprivate func facts(of product: ViewDayBuilder.Product) -> [String: String] {
    var facts: [String: String] = [:]
    for (fact, name) in ViewDayBuilder.productFactNames { facts[fact] = parameters["pr\(product.index)\(name)"] }
    return facts
  }

  /// The part of an order that this refund takes back: the products it names, at the order's prices, or everything left
  /// if it names none.
  fileprivate func refund(of order: ViewOrder) -> ViewOrder {
    let products = ViewDayBuilder.products(of: self)
    guard !products.isEmpty else {
      var rest = order.rest
      rest.facts.merge(orderFacts) { $1 }
      return rest
    }
    let lines = products.map { product -> ViewOrder.Line in
      let line = order.line(like: product.key)
      let facts = facts(of: product)
      return ViewOrder.Line(
        key: line?.key ?? product.key, facts: facts.isEmpty ? line?.facts ?? [:] : facts, price: nil,
        quantity: product.quantity,
        revenue: (product.price ?? line?.price ?? 0) * product.quantity)
    }
    return ViewOrder(
      revenue: millionths("tr") ?? lines.reduce(0) { $0 + $1.revenue }, tax: millionths("tt") ?? 0,
      shipping: millionths("ts") ?? 0, facts: order.facts.merging(orderFacts) { $1 }, lines: lines)
  }
}

extension ViewDayBuilder {
  /// The dimensions of products and their parameters.
  package static let productFactNames = [("brand", "br"), ("category", "ca"), ("coupon", "cc"), ("variant", "va")]

  /// The breakdowns that count refunds with amounts from their orders.
  package static let refundTables: [ViewTable] = [.transactions, .orders, .products, .productFacts]

  /// Determines the day's changes of orders, and the refunds whose amounts depend on their orders.
  package mutating func resolveOrders(_ before: (OrderID) throws -> ViewOrder?) rethrows -> [(ViewHit, ViewOrder)] {
    var refunds: [(ViewHit, ViewOrder)] = []
    day.changes.orders = try orders.resolved(before) { refunds.append(($0, $1)) }
    return refunds
  }

  /// Counts a refund with the amounts that it takes back.
  package mutating func add(refund amounts: ViewOrder, _ hit: ViewHit) {
    let taken = amounts.negated
    day.add(revenue: taken.revenue)
    tables.add(.transactions, [hit.text("ti")], [1, taken.revenue, taken.tax, taken.shipping], user: hit.slot)
    let numbers = [0, 0, 0, 0, 1, amounts.revenue]
    tables.add(.orders, ["all", "all"], numbers, user: hit.slot)
    for (fact, name) in Self.orderFactNames {
      if let value = amounts.facts[name] { tables.add(.orders, [fact, value], numbers, user: hit.slot) }
    }
    for (line, taken) in zip(amounts.lines, taken.lines) {
      tables.add(.products, line.key, [taken.quantity, taken.revenue, 0, 0, 0, 0, 0, 0, 1], user: hit.slot)
      for (fact, value) in line.facts.sorted(by: { $0.key < $1.key }) {
        tables.add(.productFacts, [fact, value], [taken.quantity, taken.revenue, 0, 0, 0], user: hit.slot)
      }
    }
  }
}
