import Ingest
import ServerBase
import TernBase
package import Warehouse

/// Counts one day of a view from the hits received in time, by the time at which they happened.
///
/// The result depends only on the set of hits, so a day can be recounted at any time with the same outcome.
package struct ViewDayBuilder {
  /// The maximum number of rows of a portion that is counted in parallel with others.
  private static let portionRows = 100_000

  private let filters: [ViewFilter]
  package let settings: ViewSettings
  package let rules: CustomRules
  private let hour: (Int64) -> Int
  /// The day without its breakdowns.
  package var day = ViewDay()
  var tables: DayTables
  /// The number of purchases by transaction id.
  var transactions: [String: SaturatingInt64] = [:]
  /// Order changes, resolved when the day is finished; see `ViewDayBuilder+Orders.swift`.
  var orders = OrderEntries()

  /// Begins a day; see ``day(of:filters:settings:rules:states:orders:hour:)``.
  package init(
    filters: [ViewFilter], settings: ViewSettings = ViewSettings(), rules: CustomRules = CustomRules(),
    texts: ViewTexts = ViewTexts(), hour: @escaping (Int64) -> Int
  ) {
    self.filters = filters
    self.settings = settings
    self.rules = rules
    self.hour = hour
    tables = DayTables(texts: texts)
  }

  /// Counts a day.
  ///
  /// - Parameters:
  ///   - hits: All users' hits of the day that were received in time.
  ///   - filters: The conditions on hits.
  ///   - settings: The settings for sessions and attribution.
  ///   - rules: The rules for custom dimensions and metrics.
  ///   - states: The users' states when the day began.
  ///   - orders: The orders' states when the day began.
  ///   - hour: Returns the hour of a time in the view's zone.
  package static func day(
    of hits: [ViewHit], filters: [ViewFilter] = [], settings: ViewSettings = ViewSettings(),
    rules: CustomRules = CustomRules(), states: [UInt32: UserState] = [:], orders: [OrderID: ViewOrder] = [:],
    hour: @escaping (Int64) -> Int
  ) -> ViewDay {
    var builder = ViewDayBuilder(filters: filters, settings: settings, rules: rules, hour: hour)
    builder.add(portion: hits, states)
    return builder.finished { orders[$0] }
  }

  /// Adds all hits of some users with larger slots than all users so far. The result is the same for any division into
  /// portions.
  ///
  /// - Parameter states: The states of these users when the day began.
  package mutating func add(portion hits: [ViewHit], _ states: [UInt32: UserState] = [:]) {
    add(HitBatch(hits), states)
  }

  /// Adds all hits of some users.
  package mutating func add(_ batch: HitBatch, _ states: [UInt32: UserState]) {
    var part = part(batch.texts)
    part.orders = orders.successor
    part.count(batch, states) { tables.merge($0) }
    merge(part)
  }

  /// Counts all hits of some users separately, to be merged, or returns `nil` if they have too many rows for that.
  package func counted(_ batch: HitBatch, _ states: [UInt32: UserState]) -> ViewDayBuilder? {
    var part = part(batch.texts)
    var isTooMuch = false
    part.count(batch, states) { _ in isTooMuch = true }
    return isTooMuch ? nil : part
  }

  /// Adds the counts of users with larger slots than all users so far.
  ///
  /// - Returns: False, and adds nothing, if there is no room for their order changes.
  @discardableResult
  package mutating func merge(_ part: ViewDayBuilder) -> Bool {
    guard orders.merge(part.orders) else { return false }
    day.merge(part.day)
    day.changes.states.merge(part.day.changes.states) { $1 }
    tables.merge(part.tables)
    for (id, count) in part.transactions { transactions[id, default: 0] += count }
    return true
  }

  /// Returns the order changes of hits.
  func entries(of hits: [ViewHit], _ states: [UInt32: UserState]) -> OrderEntries {
    var part = part(ViewTexts())
    part.count(HitBatch(hits, texts: part.tables.texts), states) { _ in }
    return part.orders
  }

  private func part(_ texts: ViewTexts) -> ViewDayBuilder {
    ViewDayBuilder(filters: filters, settings: settings, rules: rules, texts: texts, hour: hour)
  }

  /// Removes everything that a user contributed.
  ///
  /// - Parameters:
  ///   - hits: All of the user's hits that were added.
  ///   - state: The user's state at that time.
  package mutating func remove(_ hits: [ViewHit], of slot: UInt32, _ state: UserState?) {
    var part = part(tables.texts)
    part.count(HitBatch(hits, texts: tables.texts), state.map { [slot: $0] } ?? [:]) { _ in }
    day.subtract(part.day, of: slot)
    tables.subtract(part.tables, of: slot)
    orders.remove(slot)
    for (id, count) in part.transactions {
      let left = transactions[id, default: 0] - count
      transactions[id] = left > 0 ? left : nil
    }
  }

  /// True if users can be removed again.
  package var isReversible: Bool { day.isExact && tables.isExact && !tables.isLimited && orders.hasRoom }

  /// The approximate size of the counted day in bytes.
  package var byteCount: Int {
    tables.byteCount + transactions.count * 64 + orders.byteCount + day.changes.states.count * 160
      + [day.present, day.users, day.repeaters].reduce(0) { $0 + $1.byteCount }
  }

  /// Finishes the day once all users are added, for a view without earlier orders.
  package func finished() -> ViewDay { finished { _ in nil } }

  /// Finishes the day once all users are added.
  ///
  /// - Parameters:
  ///   - tables: The requested breakdowns.
  ///   - order: Returns the state of an order when the day began. Called only for orders that refunds depend on.
  package func finished(
    tables wanted: Set<ViewTable> = Set(ViewTable.allCases), order: (OrderID) throws -> ViewOrder?
  ) rethrows -> ViewDay {
    var finished = self
    // Copies of the builder share sets of users until the sets change.
    let refunds = try finished.resolveOrders(order)
    if !refunds.isEmpty { finished.tables.unshare(Self.refundTables) }
    for (hit, amounts) in refunds { finished.add(refund: amounts, hit) }
    finished.day.totals.transactions = SaturatingInt64(transactions.count)
    finished.day.tables = finished.tables.finished(wanted)
    return finished.day
  }

  /// - Parameter spill: Receives the rows, and removes them from the tables, when there are many.
  private mutating func count(_ batch: HitBatch, _ states: [UInt32: UserState], spill: (DayTables) -> Void) {
    var conditions = filters.map { Condition(filter: $0, name: batch.texts.id($0.parameter)) }
    batch.byUser { slot, hits in
      let state = states[slot] ?? UserState()
      day.present.insert(slot)
      let user = UserDay(hits: hits, batch, state, settings, rules) { hit in
        conditions.indices.allSatisfy { conditions[$0].holds(hit, batch) }
      }
      if user.state != state { day.changes.states[slot] = user.state }
      guard !user.sessions.isEmpty else { return }
      day.users.insert(slot)
      if user.sessions.count > 1 { day.repeaters.insert(slot) }
      for session in user.sessions {
        add(session, batch, slot) { tables in
          guard tables.count > Self.portionRows else { return }
          spill(tables)
          tables = DayTables(texts: batch.texts)
        }
      }
    }
  }

  /// A filter that caches its result for each value.
  private struct Condition {
    let filter: ViewFilter
    let name: TextID
    private var known: [TextID?: Bool] = [:]

    init(filter: ViewFilter, name: TextID) {
      self.filter = filter
      self.name = name
    }

    mutating func holds(_ hit: CountedHit, _ batch: HitBatch) -> Bool {
      let value = batch.value(named: name, hit)
      if let known = known[value] { return known }
      let holds = filter.holds(value.map { batch.texts.string($0) })
      known[value] = holds
      return holds
    }
  }
}

extension ViewDayBuilder {
  private mutating func add(_ whole: ViewSession, _ batch: HitBatch, _ slot: UInt32, shrink: (inout DayTables) -> Void)
  {
    let session = whole.hits
    guard let first = session.first, let last = session.last else { return }
    day.totals.sessions += 1
    day.totals.hits += SaturatingInt64(session.count)
    day.totals.duration += last.time - first.time
    day.totals.excessHits += SaturatingInt64(whole.excess)
    tables.add(.hours, ViewKey(ViewTexts.twoDigits(hour(first.time.milliseconds))), 1, user: slot)
    tables.add(.acquisition, whole.campaign ?? Self.direct, 1, user: slot)
    addDevice(session, batch, slot)
    addScreens(session, batch, slot)
    addJourney(session, batch, slot)
    let commerce = session.contains(where: \.isCommerce) ? session.map { $0.isCommerce ? batch.stored($0) : nil } : []
    addShopping(commerce, count: session.count, slot)
    var seenEvents: Set<ViewKey> = []
    for (index, hit) in session.enumerated() {
      tables.add(.hours, ViewKey(ViewTexts.twoDigits(hour(hit.time.milliseconds))), 0, 1, user: slot)
      switch hit.type {
      case .event where hit.isEvent: addEvent(hit, batch, slot, &seenEvents)
      case .exception: addException(hit, batch, slot)
      case .timing: addTiming(hit, batch, slot)
      case .social:
        let key = ViewKey(batch.text(.sn, hit), batch.text(.sa, hit), batch.text(.st, hit))
        tables.add(.social, key, 1, user: slot)
      default: break
      }
      if !commerce.isEmpty, let stored = commerce[index] { addCommerce(stored) }
      shrink(&tables)
    }
    addCustom(whole, batch, slot) { shrink(&$0) }
  }

  private static let direct = ViewKey(KnownText.direct.id, KnownText.none.id, KnownText.unset.id)

  package static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  private mutating func addDevice(_ session: [CountedHit], _ batch: HitBatch, _ slot: UInt32) {
    guard let hit = session.last else { return }
    let device = batch.devices[Int(hit.device)]
    let language = batch.value(.ul, hit).map { batch.texts.lowercase($0) } ?? device.language
    let facts: [(KnownText, TextID)] = [
      (.model, batch.value(.dm, hit) ?? device.model), (.system, device.system),
      (.resolution, batch.value(.sr, hit) ?? KnownText.empty.id), (.language, language), (.country, device.country),
    ]
    for (fact, value) in facts { tables.add(.devices, ViewKey(fact.id, HitBatch.named(value)), 1, user: slot) }
    let app = session.last { $0.has(.an) }.flatMap { batch.value(.an, $0) } ?? KnownText.unset.id
    let version = session.last { batch.version($0) != KnownText.empty.id }.map(batch.version) ?? KnownText.unset.id
    let (views, crashes) = (session.count { $0.isScreenView }, session.count { $0.isCrash })
    tables.add(.versions, ViewKey(app, version), 1, SaturatingInt64(views), SaturatingInt64(crashes), user: slot)
  }

  /// Counts screens. A view lasts until the next one; the duration of a session's last view is unknown.
  private mutating func addScreens(_ session: [CountedHit], _ batch: HitBatch, _ slot: UInt32) {
    let views = session.filter(\.isScreenView)
    day.totals.screenViews += SaturatingInt64(views.count)
    var seen: Set<TextID> = []
    for (index, view) in views.enumerated() {
      let next = index + 1 < views.count ? views[index + 1] : nil
      let screen = batch.screen(view)
      let isUnique = seen.insert(screen).inserted
      tables.add(
        .screens, ViewKey(screen), 1, isUnique ? 1 : 0, next.map { $0.time - view.time } ?? 0, next == nil ? 0 : 1,
        next == nil ? 1 : 0, index == 0 ? 1 : 0, user: slot)
    }
  }

  private mutating func addEvent(_ hit: CountedHit, _ batch: HitBatch, _ slot: UInt32, _ seen: inout Set<ViewKey>) {
    day.totals.events += 1
    let key = ViewKey(batch.text(.ec, hit), batch.text(.ea, hit), batch.text(.el, hit))
    let value = batch.integer(.ev, hit)
    tables.add(.events, key, 1, seen.insert(key).inserted ? 1 : 0, value ?? 0, value == nil ? 0 : 1, user: slot)
  }

  private mutating func addException(_ hit: CountedHit, _ batch: HitBatch, _ slot: UInt32) {
    day.totals.exceptions += 1
    if hit.isCrash { day.totals.crashes += 1 }
    let key = ViewKey(batch.text(.exd, hit), batch.namedVersion(hit))
    tables.add(.exceptions, key, 1, hit.isCrash ? 1 : 0, user: slot)
  }

  private mutating func addTiming(_ hit: CountedHit, _ batch: HitBatch, _ slot: UInt32) {
    guard let milliseconds = batch.integer(.utt, hit), milliseconds >= 0 else { return }
    let limits: [SaturatingInt64] = [100, 500, 1_000, 3_000, 10_000]
    let bucket = limits.firstIndex { milliseconds < $0 } ?? limits.count
    var numbers = [1, milliseconds] + Array(repeating: SaturatingInt64.zero, count: 6)
    numbers[2 + bucket] = 1
    tables.add(
      .timings, ViewKey(batch.text(.utc, hit), batch.text(.utv, hit), batch.text(.utl, hit)), numbers, user: slot)
  }
}

extension ViewDayBuilder {
  /// Counts the orders and products of a hit.
  private mutating func addCommerce(_ hit: ViewHit) {
    // A transaction that also names an action is counted with the action.
    if hit.type == "transaction", !hit.isAction("purchase", "refund") { addTransaction(hit, sign: 1) }
    if hit.type == "item" { addItem(hit) }
    addProducts(hit)
  }

  /// The revenue of a hit; if it names none, the cost of its products.
  func revenue(of hit: ViewHit) -> SaturatingInt64 {
    hit.millionths("tr") ?? Self.products(of: hit).reduce(0) { $0 + $1.revenue }
  }

  private mutating func addTransaction(_ hit: ViewHit, sign: Int) {
    let isKept = orders.add(hit, sign: sign, revenue: revenue(of: hit), products: products(of: hit))
    if hit.isOpenRefund {
      if !isKept { add(refund: ViewOrder(), hit) }
      return
    }
    func signed(_ amount: SaturatingInt64) -> SaturatingInt64 { sign < 0 ? -amount : amount }
    let revenue = signed(revenue(of: hit))
    if sign > 0 { transactions[hit.text("ti"), default: 0] += 1 }
    day.add(revenue: revenue)
    tables.add(
      .transactions, [hit.text("ti")],
      [1, revenue, signed(hit.millionths("tt") ?? 0), signed(hit.millionths("ts") ?? 0)], user: hit.slot)
  }

  private mutating func addItem(_ hit: ViewHit) {
    orders.add(item: hit)
    let quantity = max(hit.integer("iq") ?? 0, 0)
    let revenue = (hit.millionths("ip") ?? 0) * quantity
    tables.add(
      .products, [hit.text("in"), hit.text("ic")], [quantity, revenue, 0, 0, 0, 0, 0, 1, 0], user: hit.slot)
  }

  private static let actions = ["detail", "click", "add", "remove", "checkout", "purchase", "refund"]

  /// Counts products. Products without an action have no meaning.
  private mutating func addProducts(_ hit: ViewHit) {
    guard let action = hit.parameters["pa"] else { return }
    if action == "purchase" { addTransaction(hit, sign: 1) }
    if action == "refund" { addTransaction(hit, sign: -1) }
    guard let position = Self.actions.firstIndex(of: action), !hit.isOpenRefund else { return }
    for product in products(of: hit) {
      var numbers = Array(repeating: SaturatingInt64.zero, count: ViewTable.products.width)
      if action == "purchase" { numbers.replaceSubrange(0...1, with: [product.quantity, product.revenue]) }
      if action == "refund" {
        numbers.replaceSubrange(0...1, with: [-product.quantity, -product.revenue])
      }
      numbers[2 + position] = 1
      tables.add(.products, product.key, numbers, user: hit.slot)
    }
  }

  package struct Product {
    /// The product's number within its hit.
    var index: Int
    var key: [String]
    /// The price, or `nil` if the hit has none.
    var price: SaturatingInt64?
    var quantity: SaturatingInt64
    var revenue: SaturatingInt64
  }

  func products(of hit: ViewHit) -> [Product] { Self.products(of: hit) }

  static func products(of hit: ViewHit) -> [Product] {
    guard hit.parameters["pa"] != nil else { return [] }
    return ViewEcommerce.productNumbers(hit.parameters).compactMap { index in
      let (name, identifier) = (hit.parameters["pr\(index)nm"], hit.parameters["pr\(index)id"])
      guard name ?? identifier != nil else { return nil }
      let (price, quantity) = (hit.millionths("pr\(index)pr"), max(hit.integer("pr\(index)qt") ?? 1, 0))
      return Product(
        index: index, key: [name ?? ViewHit.unset, identifier ?? ViewHit.unset], price: price, quantity: quantity,
        revenue: (price ?? 0) * quantity)
    }
  }
}
