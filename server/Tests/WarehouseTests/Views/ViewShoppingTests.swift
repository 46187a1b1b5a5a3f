import Ingest
import TernBase
import Testing

@testable import AppCatalog
@testable import Views
@testable import Warehouse
@testable import WarehouseSQLite

/// The reports of a view's day on shopping.
@Suite struct ViewShoppingTests {
  private func hit(_ offset: Int64, _ parameters: [String: String], slot: UInt32 = 1) -> ViewHit {
    ViewHit(
      id: 0, time: 1_715_680_000_000 + offset, received: 1_715_680_000_000 + offset, slot: slot, user: "",
      device: IncomingDevice(), parameters: ["t": "event", "ec": "c", "ea": "a"].merging(parameters) { $1 })
  }

  private func rows(_ table: ViewTable, _ hits: [ViewHit]) -> [[String]: [SaturatingInt64]] {
    (ViewDayBuilder.day(of: hits) { _ in 0 }.tables[table] ?? [:]).mapValues(\.numbers)
  }

  @Test func `sessions are counted by the last shopping stage reached`() {
    let hits = [
      hit(0, ["pa": "detail"]), hit(1, ["pa": "detail"]), hit(2, ["pa": "add"]),
      hit(0, ["pa": "purchase", "ti": "1"], slot: 2), hit(0, [:], slot: 3), hit(0, ["pa": "remove"], slot: 4),
      hit(0, ["t": "transaction", "ti": "2"], slot: 5), hit(0, ["pa": "all"], slot: 6),
    ]
    #expect(
      rows(.shopping, hits) == [
        ["all"]: [6, 8, 3], ["detail"]: [1, 2, 0], ["add"]: [1, 1, 1], ["purchase"]: [2, 2, 2], ["remove"]: [1, 1, 0],
      ])
  }

  @Test func `a checkout ends at the last step taken, unless there is a purchase`() {
    let hits = [
      hit(0, ["pa": "checkout", "cos": "1", "col": "Visa"]), hit(1, ["pa": "checkout", "cos": "2"]),
      hit(2, ["pa": "checkout_option", "cos": "1", "col": "Cash"]), hit(3, ["pa": "checkout", "cos": "1"]),
      hit(0, ["pa": "checkout"], slot: 2), hit(1, ["pa": "purchase", "ti": "9"], slot: 2),
      hit(0, ["pa": "purchase", "ti": "8"], slot: 3),
    ]
    #expect(rows(.checkoutSteps, hits) == [["1"]: [2, 3, 0], ["2"]: [1, 1, 1], ["purchase"]: [1, 1, 0]])
    #expect(rows(.checkoutOptions, hits) == [["1", "Visa"]: [1, 1], ["1", "Cash"]: [1, 1]])
  }

  @Test(
    arguments: [(nil, [1, 0]), ("view", [1, 0]), ("click", [0, 1]), ("promo_click", [0, 1])]
      as [(String?, [SaturatingInt64])])
  func `a promotion is viewed, or clicked under either name of the action`(action: String?, numbers: [SaturatingInt64])
  {
    var parameters = ["promo1id": "P", "promo1nm": "Sale", "promo1cr": "Red", "promo1ps": "top", "promo200nm": "Last"]
    parameters["promo201id"] = "beyond"
    parameters["promo0id"] = "none"
    parameters["promo01id"] = "zero first"
    parameters["promox"] = "no number"
    parameters["promoa"] = action
    #expect(
      rows(.promotions, [hit(0, parameters)]) == [
        ["P", "Sale", "Red", "top"]: numbers, ["(not set)", "Last", "(not set)", "(not set)"]: numbers,
      ])
  }

  @Test func `a hit that only carries products is an order and not an event`() {
    let event = hit(0, ["pa": "purchase", "ti": "T", "pr1id": "P", "pr1pr": "2.5", "pr1qt": "2"])
    var carrier = event
    for name in ["ec", "ea"] { carrier.parameters[name] = nil }
    #expect(rows(.orders, [carrier])[["all", "all"]] == [1, 5_000_000, 0, 0, 0, 0])
    for table in [ViewTable.events, .eventScreens, .eventSessions, .flow] {
      #expect(rows(table, [carrier]).isEmpty && !rows(table, [event]).isEmpty)
    }
  }

  @Test func `lists count the products viewed and clicked in them`() {
    let seen = hit(
      0,
      ["il1nm": "Home", "il1pi1id": "S1", "il1pi1nm": "Shoe", "il1pi2nm": "Lace", "il2pi1id": "X", "il201pi1id": "no"])
    let click = hit(1, ["pa": "click", "pal": "Home", "pr1nm": "Shoe", "pr1id": "S1"])
    let detail = hit(2, ["pa": "detail", "pal": "Home", "pr1nm": "Shoe", "pr1id": "S1"])
    let other = hit(3, ["pa": "add", "pal": "Home", "pr1nm": "Shoe", "pr1id": "S1"])
    #expect(
      rows(.listProducts, [seen, click, detail, other]) == [
        ["Home", "Shoe", "S1"]: [1, 1, 1], ["Home", "Lace", "(not set)"]: [1, 0, 0],
        ["(not set)", "(not set)", "X"]: [1, 0, 0],
      ])
    #expect(rows(.lists, [seen, click, detail]) == [["Home"]: [2, 1, 1], ["(not set)"]: [1, 0, 0]])
    #expect(rows(.shopping, [seen])[["impression"]] == [1, 1, 0])
  }

  @Test func `orders have tax and shipping, and refunds are separate`() {
    let hits = [
      hit(0, ["pa": "purchase", "ti": "1", "tr": "10", "tt": "1.5", "ts": "2", "cu": "EUR", "tcc": "TEN"]),
      hit(1, ["t": "transaction", "ti": "2", "tr": "5", "ta": "Shop", "cu": "EUR"]),
      hit(2, ["pa": "refund", "ti": "1", "tr": "4", "cu": "EUR"]),
    ]
    let orders = rows(.orders, hits)
    #expect(orders[["all", "all"]] == [2, 15_000_000, 1_500_000, 2_000_000, 1, 4_000_000])
    #expect(orders[["currency", "EUR"]] == orders[["all", "all"]])
    #expect(orders[["coupon", "TEN"]] == [1, 10_000_000, 1_500_000, 2_000_000, 0, 0])
    #expect(orders[["affiliation", "Shop"]] == [1, 5_000_000, 0, 0, 0, 0])
  }

  @Test func `a transaction that names an action is a single order`() {
    let day = ViewDayBuilder.day(of: [hit(0, ["t": "transaction", "pa": "purchase", "ti": "1", "tr": "10"])]) { _ in 0 }
    #expect(day.totals.revenue == 10_000_000 && day.tables[.orders]?[["all", "all"]]?.numbers.first == 1)
  }

  @Test func `products are broken down by brand, category, coupon and variant`() {
    let product = [
      "pr3nm": "Shoe", "pr3br": "Tern", "pr3ca": "a/b", "pr3cc": "X", "pr3va": "red", "pr3pr": "2", "pr3qt": "3",
    ]
    let hits = ["detail", "add", "purchase", "click"].enumerated().map { index, action in
      hit(Int64(index), product.merging(["pa": action]) { $1 })
    }
    let item = hit(9, ["t": "item", "ti": "1", "in": "Hat", "iv": "a/b", "ip": "1", "iq": "4"])
    let facts = rows(.productFacts, hits + [item])
    #expect(facts[["brand", "Tern"]] == [3, 6_000_000, 1, 1, 1] && facts.count == 4)
    #expect(facts[["category", "a/b"]] == [7, 10_000_000, 1, 1, 2])
  }
}
