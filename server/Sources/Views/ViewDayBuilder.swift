import Ingest
package import Warehouse

/// Counts one day of a view from the hits that came in time: from when they happened, and not when they arrived.
///
/// A pure function of its hits in any order, so that a day can be counted again at any time with the same outcome.
package struct ViewDayBuilder {
  private let filters: [ViewFilter]
  package let settings: ViewSettings
  package let rules: CustomRules
  private let hour: (Int64) -> Int
  package var day = ViewDay()
  /// How often each transaction id was bought.
  private var transactions: [String: Int] = [:]
  /// What hits said of orders, until the day is finished; see `ViewDayBuilder+Orders.swift`.
  package var orders = OrderEntries()

  /// Begins a day; see ``day(of:filters:settings:rules:states:hour:)``.
  package init(
    filters: [ViewFilter], settings: ViewSettings = ViewSettings(), rules: CustomRules = CustomRules(),
    hour: @escaping (Int64) -> Int
  ) {
    self.filters = filters
    self.settings = settings
    self.rules = rules
    self.hour = hour
  }

  /// The figures of one day.
  ///
  /// - Parameters:
  ///   - hits: those of the day that came in time, of everybody.
  ///   - filters: what a hit must have.
  ///   - settings: how sessions are cut and attributed.
  ///   - rules: how custom dimensions and metrics are read.
  ///   - states: what was remembered of the users when the day began.
  ///   - orders: what was known of orders when the day began.
  ///   - hour: what clocks of the view's zone show at a moment.
  package static func day(
    of hits: [ViewHit], filters: [ViewFilter] = [], settings: ViewSettings = ViewSettings(),
    rules: CustomRules = CustomRules(), states: [UInt32: UserState] = [:], orders: [OrderID: ViewOrder] = [:],
    hour: @escaping (Int64) -> Int
  ) -> ViewDay {
    var builder = ViewDayBuilder(filters: filters, settings: settings, rules: rules, hour: hour)
    builder.add(portion: hits, states)
    return builder.finished { orders[$0] }
  }

  /// Adds all hits of some users, whose slots are larger than those before: so that a day is the same however it is cut.
  ///
  /// - Parameter states: what was remembered of these users when the day began.
  package mutating func add(portion hits: [ViewHit], _ states: [UInt32: UserState] = [:]) {
    for (slot, hits) in ViewHit.byUser(hits) {
      add(userHits: hits, slot, states[slot] ?? UserState())
      day.closeTables()
    }
  }

  /// Takes away all that a user brought.
  ///
  /// - Parameters:
  ///   - hits: all of the user's that were added.
  ///   - state: what was remembered of the user then.
  package mutating func remove(_ hits: [ViewHit], of slot: UInt32, _ state: UserState?) {
    var part = ViewDayBuilder(filters: filters, settings: settings, rules: rules, hour: hour)
    part.add(portion: hits, state.map { [slot: $0] } ?? [:])
    day.subtract(part.day, of: slot)
    orders.remove(slot)
    for (id, count) in part.transactions {
      let left = transactions[id, default: 0] - count
      transactions[id] = left > 0 ? left : nil
    }
  }

  /// Whether users can be taken away again.
  package var isReversible: Bool { day.isExact && day.closed.isEmpty && orders.hasRoom }

  /// The day, once everybody was added, when nothing was known of any order.
  package func finished() -> ViewDay { finished { _ in nil } }

  /// The day, once everybody was added.
  ///
  /// - Parameters:
  ///   - tables: the breakdowns wanted.
  ///   - order: what was known of an order when the day began; only asked for those that something depends on.
  package func finished(
    tables wanted: Set<ViewTable> = Set(ViewTable.allCases), order: (OrderID) throws -> ViewOrder?
  ) rethrows -> ViewDay {
    var finished = self
    // Rows of users are shared until somebody changes them.
    let refunds = try finished.settleOrders(order)
    for table in Self.refundTables where !refunds.isEmpty { finished.day.unshare(table) }
    for (hit, amounts) in refunds { finished.add(refund: amounts, hit) }
    finished.day.totals.transactions = Int64(transactions.count)
    finished.day.tables = finished.day.limited(wanted)
    return finished.day
  }

  private mutating func add(userHits: [ViewHit], _ slot: UInt32, _ state: UserState) {
    day.present.insert(slot)
    let user = UserDay(
      hits: userHits.map { hit in
        (hit, filters.allSatisfy { $0.holds(hit.parameters[$0.parameter]) })
      }, state, settings, rules)
    if user.state != state { day.changes.states[slot] = user.state }
    guard !user.sessions.isEmpty else { return }
    day.users.insert(slot)
    if user.sessions.count > 1 { day.repeaters.insert(slot) }
    for session in user.sessions { add(session, slot) }
  }
}

extension ViewDayBuilder {
  private mutating func add(_ whole: ViewSession, _ slot: UInt32) {
    let session = whole.hits
    guard let first = session.first, let last = session.last else { return }
    day.totals.sessions += 1
    day.totals.hits += Int64(session.count)
    day.totals.duration = day.totals.duration.addingSaturated(last.time - first.time)
    day.totals.excessHits += Int64(whole.excess)
    day.add(.hours, [Self.twoDigits(hour(first.time))], [1, 0], user: slot)
    day.add(.acquisition, whole.campaign ?? ["(direct)", "(none)", "(not set)"], [1], user: slot)
    addDevice(session, slot)
    addScreens(session.filter(\.isScreenView), slot)
    addJourney(session, slot)
    addShopping(session, slot)
    var seenEvents: Set<[String]> = []
    for hit in session {
      day.add(.hours, [Self.twoDigits(hour(hit.time))], [0, 1], user: slot)
      switch hit.type {
      case "event" where hit.isEvent: addEvent(hit, &seenEvents)
      case "exception": addException(hit)
      case "timing": addTiming(hit)
      // One that names an action too is counted with that.
      case "transaction" where !hit.isAction("purchase", "refund"): addTransaction(hit, sign: 1)
      case "item": addItem(hit)
      case "social": day.add(.social, [hit.text("sn"), hit.text("sa"), hit.text("st")], [1], user: slot)
      default: break
      }
      addProducts(hit)
    }
    addCustom(whole, slot)
  }

  package static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  private mutating func addDevice(_ session: [ViewHit], _ slot: UInt32) {
    guard let hit = session.last else { return }
    let facts = [
      ("model", hit.parameters["dm"] ?? hit.device.model),
      ("system", [hit.device.osName, hit.device.osVersion].filter { !$0.isEmpty }.joined(separator: " ")),
      ("resolution", hit.parameters["sr"] ?? ""),
      ("language", (hit.parameters["ul"] ?? hit.device.locale).lowercased()), ("country", hit.device.country),
    ]
    for (fact, value) in facts { day.add(.devices, [fact, value.isEmpty ? "(not set)" : value], [1], user: slot) }
    let app = session.compactMap { $0.parameters["an"] }.last ?? "(not set)"
    let version = session.map(\.version).last { !$0.isEmpty } ?? "(not set)"
    let crashes = session.count { $0.isCrash }
    day.add(.versions, [app, version], [1, Int64(session.count { $0.isScreenView }), Int64(crashes)], user: slot)
  }

  /// The time on a screen lasts until the next one; nobody knows how long the last one was looked at.
  private mutating func addScreens(_ views: [ViewHit], _ slot: UInt32) {
    day.totals.screenViews += Int64(views.count)
    var seen: Set<String> = []
    for (index, view) in views.enumerated() {
      let next = index + 1 < views.count ? views[index + 1] : nil
      let isUnique = seen.insert(view.screen).inserted
      day.add(
        .screens, [view.screen],
        [
          1, isUnique ? 1 : 0, next.map { $0.time - view.time } ?? 0, next == nil ? 0 : 1, next == nil ? 1 : 0,
          index == 0 ? 1 : 0,
        ], user: slot)
    }
  }

  private mutating func addEvent(_ hit: ViewHit, _ seen: inout Set<[String]>) {
    day.totals.events += 1
    let key = [hit.text("ec"), hit.text("ea"), hit.text("el")]
    let value = hit.integer("ev")
    day.add(
      .events, key, [1, seen.insert(key).inserted ? 1 : 0, value ?? 0, value == nil ? 0 : 1], user: hit.slot)
  }

  private mutating func addException(_ hit: ViewHit) {
    day.totals.exceptions += 1
    if hit.isCrash { day.totals.crashes += 1 }
    let version = hit.version.isEmpty ? "(not set)" : hit.version
    day.add(.exceptions, [hit.text("exd"), version], [1, hit.isCrash ? 1 : 0], user: hit.slot)
  }

  private mutating func addTiming(_ hit: ViewHit) {
    guard let milliseconds = hit.integer("utt"), milliseconds >= 0 else { return }
    let limits: [Int64] = [100, 500, 1_000, 3_000, 10_000]
    let bucket = limits.firstIndex { milliseconds < $0 } ?? limits.count
    var numbers = [1, milliseconds] + Array(repeating: Int64(0), count: 6)
    numbers[2 + bucket] = 1
    day.add(.timings, [hit.text("utc"), hit.text("utv"), hit.text("utl")], numbers, user: hit.slot)
  }
}

extension ViewDayBuilder {
  /// Revenue that a hit does not name is what its products cost.
  package func revenue(of hit: ViewHit) -> Int64 {
    hit.millionths("tr") ?? Self.products(of: hit).reduce(0) { $0.addingSaturated($1.revenue) }
  }

  private mutating func addTransaction(_ hit: ViewHit, sign: Int64) {
    let isKept = orders.add(hit, sign: sign, revenue: revenue(of: hit), products: products(of: hit))
    if hit.isOpenRefund {
      if !isKept { add(refund: ViewOrder(), hit) }
      return
    }
    let revenue = revenue(of: hit) * sign
    if sign > 0 { transactions[hit.text("ti"), default: 0] += 1 }
    day.add(revenue: revenue)
    day.add(
      .transactions, [hit.text("ti")],
      [1, revenue, (hit.millionths("tt") ?? 0) * sign, (hit.millionths("ts") ?? 0) * sign], user: hit.slot)
  }

  private mutating func addItem(_ hit: ViewHit) {
    orders.add(item: hit)
    let quantity = max(hit.integer("iq") ?? 0, 0)
    let revenue = Self.product(hit.millionths("ip") ?? 0, quantity)
    day.add(
      .products, [hit.text("in"), hit.text("ic")], [quantity, revenue, 0, 0, 0, 0, 0, 1, 0], user: hit.slot)
  }

  private static let actions = ["detail", "click", "add", "remove", "checkout", "purchase", "refund"]

  /// Products without an action mean nothing.
  private mutating func addProducts(_ hit: ViewHit) {
    guard let action = hit.parameters["pa"] else { return }
    if action == "purchase" { addTransaction(hit, sign: 1) }
    if action == "refund" { addTransaction(hit, sign: -1) }
    guard let position = Self.actions.firstIndex(of: action), !hit.isOpenRefund else { return }
    for product in products(of: hit) {
      var numbers = Array(repeating: Int64(0), count: ViewTable.products.width)
      if action == "purchase" { numbers.replaceSubrange(0...1, with: [product.quantity, product.revenue]) }
      if action == "refund" { numbers.replaceSubrange(0...1, with: [-product.quantity, -product.revenue]) }
      numbers[2 + position] = 1
      day.add(.products, product.key, numbers, user: hit.slot)
    }
  }

  package struct Product {
    /// Its number among the products of its hit.
    package var index: Int
    package var key: [String]
    /// `nil` when the hit does not say it.
    package var price: Int64?
    package var quantity: Int64
    package var revenue: Int64
  }

  package func products(of hit: ViewHit) -> [Product] { Self.products(of: hit) }

  package static func products(of hit: ViewHit) -> [Product] {
    guard hit.parameters["pa"] != nil else { return [] }
    return ViewEcommerce.productNumbers(hit.parameters).compactMap { index in
      let (name, identifier) = (hit.parameters["pr\(index)nm"], hit.parameters["pr\(index)id"])
      guard name ?? identifier != nil else { return nil }
      let (price, quantity) = (hit.millionths("pr\(index)pr"), max(hit.integer("pr\(index)qt") ?? 1, 0))
      return Product(
        index: index, key: [name ?? ViewHit.unset, identifier ?? ViewHit.unset], price: price, quantity: quantity,
        revenue: Self.product(price ?? 0, quantity))
    }
  }

  package static func product(_ price: Int64, _ quantity: Int64) -> Int64 {
    let (product, isOver) = price.multipliedReportingOverflow(by: quantity)
    return isOver ? (price < 0 ? -(Int64.max / 2) : Int64.max / 2) : product
  }
}
