import Ingest
import ServerBase
import TernBase
import Testing

@testable import AppCatalog
@testable import Views
@testable import Warehouse
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// A refund that names only its order takes back all that is left of it, from any client and on any day.
@Suite struct ViewRefundTests {
  private static let start: Int64 = 1_715_680_000_000
  private static let order = OrderID("A")

  private func hit(_ offset: Int64, _ action: String, _ parameters: [String: String], slot: UInt32 = 1) -> ViewHit {
    let common = ["t": "event", "ec": "c", "ea": "a", "pa": action, "ti": "A"]
    return ViewHit(
      id: offset, time: Self.start + offset, received: Self.start + offset, slot: slot, user: "",
      device: IncomingDevice(), parameters: common.merging(parameters) { $1 })
  }

  private func counted(_ hits: [ViewHit], orders: [OrderID: ViewOrder] = [:]) -> ViewDay {
    ViewDayBuilder.day(of: hits, orders: orders) { _ in 0 }
  }

  private static let shoes = [
    "pr1nm": "Shoe", "pr1id": "S1", "pr1pr": "10", "pr1qt": "3", "pr1br": "Tern", "pr2nm": "Lace", "pr2pr": "0.5",
    "tt": "2", "ts": "3", "cu": "EUR", "ta": "Shop",
  ]

  @Test func `a refund by ID reverses the whole order: amounts, products and dimensions`() {
    let day = counted([hit(0, "purchase", Self.shoes, slot: 9), hit(1, "refund", [:])])
    #expect(day.totals.revenue == 0 && day.totals.transactions == 1)
    #expect(day.tables[.transactions]?[["A"]]?.numbers == [2, 0, 0, 0])
    for key in [["all", "all"], ["currency", "EUR"], ["affiliation", "Shop"]] {
      #expect(day.tables[.orders]?[key]?.numbers == [1, 30_500_000, 2_000_000, 3_000_000, 1, 30_500_000], "\(key)")
    }
    #expect(day.tables[.products]?[["Shoe", "S1"]]?.numbers == [0, 0, 0, 0, 0, 0, 0, 1, 1])
    #expect(day.tables[.products]?[["Lace", "(not set)"]]?.numbers == [0, 0, 0, 0, 0, 0, 0, 1, 1])
    #expect(day.tables[.productFacts]?[["brand", "Tern"]]?.numbers == [0, 0, 0, 0, 1])
    #expect(day.tables[.products]?[["Shoe", "S1"]]?.users.elements == [1, 9])
    #expect(day.changes.orders[Self.order]?.revenue == 0)
  }

  @Test func `refunds of the largest amounts are counted`() {
    // The revenue of the first is Int64.min without an overflow; the revenues of the second add up to it.
    let one = hit(0, "refund", ["pr1nm": "x", "pr1pr": "-0.000002", "pr1qt": "4611686018427387904"])
    let sum = hit(
      1, "refund",
      ["pr1nm": "x", "pr1pr": "-0.000001", "pr1qt": "9223372036854775807"].merging(
        ["pr2nm": "y", "pr2pr": "-0.000001", "pr2qt": "9223372036854775807"]) { $1 })
    for hits in [[one], [sum], [one, sum]] { #expect(counted(hits).totals.revenue == .max) }

    // Every pair of extremes, with and without an identifier, as products, items and amounts of the whole order.
    let prices = [
      "-9223372036853.775807", "9223372036853.775807", "-0.000002", "-0.000001", "0.000001", "-1", "-0", "1e308",
    ]
    let quantities = ["9223372036854775807", "4611686018427387904", "-9223372036854775808", "1", "x", ""]
    for action in ["purchase", "refund"] {
      for price in prices {
        for quantity in quantities {
          var product = [
            "pr1nm": "x", "pr1pr": price, "pr1qt": quantity, "pr2nm": "y", "pr2pr": price, "pr2qt": quantity,
          ]
          product.merge(["pr1br": "b", "tt": price, "ts": price]) { $1 }
          let item = ["t": "item", "in": "x", "ip": price, "iq": quantity, "iv": "c"]
          let hits = [
            hit(0, action, product), hit(1, action, item), hit(2, action, ["tr": price]), hit(3, "refund", [:]),
          ]
          let day = counted(hits)
          #expect(day.totals.hits == 4)
          // A day is added to others.
          var total = day
          total.merge(day)
          total.merge(counted(hits.reversed()))
          #expect(total.totals.hits == 12)
        }
      }
    }
  }

  @Test func `a second refund of an order changes nothing, and neither does a refund of an unknown order`() {
    let purchase = hit(0, "purchase", ["tr": "7"])
    let day = counted([purchase, hit(1, "refund", [:]), hit(2, "refund", [:]), hit(3, "refund", ["ti": "B"])])
    #expect(day.totals.revenue == 0)
    #expect(day.tables[.orders]?[["all", "all"]]?.numbers == [1, 7_000_000, 0, 0, 3, 7_000_000])
    // Nothing is left to store.
    #expect(day.changes.orders.isEmpty)
    // Without an ID there is no order to refund.
    var nameless = hit(1, "refund", [:])
    nameless.parameters["ti"] = nil
    var heap = purchase
    heap.parameters["ti"] = nil
    #expect(counted([heap, nameless]).totals.revenue == 7_000_000)
  }

  @Test func `refunds and purchases are applied in the order in which they happened, from any client`() {
    let before = [hit(0, "refund", [:], slot: 9), hit(1, "purchase", ["tr": "7"])]
    #expect(counted(before).totals.revenue == 7_000_000)
    let again = [
      hit(0, "purchase", ["tr": "7"], slot: 9), hit(1, "refund", [:]), hit(2, "purchase", ["tr": "5"], slot: 3),
    ]
    for hits in [again, again.reversed(), [again[1], again[0], again[2]]] {
      #expect(counted(hits).totals.revenue == 5_000_000)
    }
  }

  @Test func `after a partial refund, a full one refunds the rest`() {
    let partial = hit(1, "refund", ["pr1nm": "Shoe", "pr1id": "S1", "pr1pr": "10", "pr1qt": "1"])
    let amount = hit(2, "refund", ["tr": "4"])
    let day = counted([hit(0, "purchase", Self.shoes), partial, amount, hit(3, "refund", [:])])
    #expect(day.totals.revenue == 0)
    #expect(day.tables[.orders]?[["all", "all"]]?.numbers.suffix(2) == [3, 30_500_000])
    #expect(day.tables[.products]?[["Shoe", "S1"]]?.numbers.prefix(2) == [0, 0])
    // Parts that were already refunded are not refunded again, even if more was refunded than bought.
    let excess = counted([hit(0, "purchase", ["tr": "7"]), hit(1, "refund", ["tr": "9"]), hit(2, "refund", [:])])
    #expect(excess.totals.revenue == -2_000_000)
  }

  @Test func `products without prices are refunded at their order's prices`() {
    let sku = hit(1, "refund", ["pr5id": "S1", "pr5qt": "2"])
    let name = hit(2, "refund", ["pr1nm": "Lace"])
    let unknown = hit(3, "refund", ["pr1id": "S7"])
    let day = counted([hit(0, "purchase", Self.shoes), sku, name, unknown])
    #expect(day.totals.revenue == 10_000_000)
    #expect(day.tables[.products]?[["Shoe", "S1"]]?.numbers == [1, 10_000_000, 0, 0, 0, 0, 0, 1, 1])
    #expect(day.tables[.products]?[["(not set)", "S7"]]?.numbers == [-1, 0, 0, 0, 0, 0, 0, 0, 1])
    #expect(day.tables[.productFacts]?[["brand", "Tern"]]?.numbers == [1, 10_000_000, 0, 0, 1])
    #expect(day.tables[.orders]?[["currency", "EUR"]]?.numbers.suffix(2) == [3, 20_500_000])
  }

  @Test func `the state of an order is the sum of the changes of earlier days`() {
    let first = counted([hit(0, "purchase", Self.shoes), hit(1, "refund", ["tr": "1"])])
    let next = counted([hit(90_000_000, "refund", [:])], orders: first.changes.orders)
    #expect(next.totals.revenue == -29_500_000)
    #expect(next.tables[.products]?[["Shoe", "S1"]]?.numbers.prefix(2) == [-3, -30_000_000])
    var sum = first.changes.orders[Self.order] ?? ViewOrder()
    sum.add(next.changes.orders[Self.order] ?? ViewOrder())
    #expect(sum.revenue == 0 && sum.rest.lines.isEmpty)
  }

  @Test func `an order of items is refunded with its items`() {
    let item = hit(1, "", ["t": "item", "in": "Hat", "ic": "H", "iv": "a", "ip": "2", "iq": "4"])
    let order = hit(0, "", ["t": "transaction", "tr": "8", "tt": "1"])
    let day = counted([order, item, hit(2, "refund", [:])])
    #expect(day.totals.revenue == 0 && day.tables[.transactions]?[["A"]]?.numbers == [2, 0, 0, 0])
    #expect(day.tables[.products]?[["Hat", "H"]]?.numbers.prefix(2) == [0, 0])
    #expect(day.tables[.productFacts]?[["category", "a"]]?.numbers.prefix(2) == [0, 0])
  }

  @Test func `an order round-trips through its stored form, and damage is detected`() throws {
    let order = try #require(counted([hit(0, "purchase", Self.shoes)]).changes.orders[Self.order])
    let bytes = order.encoded
    #expect(bytes.withUnsafeBytes { ViewOrder($0) } == order)
    for length in 0..<bytes.count {
      #expect(bytes[..<length].withUnsafeBytes { ViewOrder($0) } == nil, "\(length)")
    }
  }

  @Test(arguments: [false, true]) func `a refund finds its order on an earlier day, sealed or not`(
    isSealed: Bool
  ) async throws {
    let place = try ViewMemoryTests.Place()
    let view = try place.catalog.createView(app: place.app.id, name: "V", timeZone: "UTC")
    let event = "t=event&ec=c&ea=a"
    try await place.send("cid=1&\(event)&pa=purchase&ti=%C3%A9&tr=7&cu=EUR", at: "2024-05-01T12:00:00Z")
    try await place.send("cid=1&\(event)&pa=purchase&ti=e%CC%81&tr=9", at: "2024-05-01T12:00:00Z")
    if isSealed { try await place.seal([view], at: "2024-05-03T12:00:00Z") }
    try await place.send("cid=2&\(event)&pa=refund&ti=%C3%A9", at: "2024-05-04T12:00:00Z")
    func orders(_ date: String) async throws -> [SaturatingInt64]? {
      try await place.rows(view, .orders, date)[["all", "all"]]
    }
    #expect(try await orders("2024-05-01") == [2, 16_000_000, 0, 0, 0, 0])
    #expect(try await orders("2024-05-04") == [0, 0, 0, 0, 1, 7_000_000])
    #expect(try await place.rows(view, .orders, "2024-05-04")[["currency", "EUR"]] == [0, 0, 0, 0, 1, 7_000_000])
    if isSealed { try await place.seal([view], at: "2024-05-05T12:00:00Z") }
    try await place.send("cid=3&\(event)&pa=refund&ti=%C3%A9", at: "2024-05-06T12:00:00Z")
    #expect(try await orders("2024-05-06") == [0, 0, 0, 0, 1, 0])
    try await place.seal([view], at: "2024-06-05T12:00:00Z")
    #expect(try await orders("2024-05-04") == [0, 0, 0, 0, 1, 7_000_000])
    try await place.warehouse.flush()
    #expect(try await place.warehouse.reader.verify().isClean)
    try await place.close()
  }

  @Test func `an order received late for its day cannot be refunded, one received in time can`() async throws {
    let place = try ViewMemoryTests.Place()
    let view = try place.catalog.createView(app: place.app.id, name: "V", timeZone: "UTC")
    let event = "cid=1&t=event&ec=c&ea=a"
    try await place.send("\(event)&pa=refund&ti=A", at: "2024-05-02T01:00:00Z")
    try await place.send("\(event)&pa=refund&ti=B", at: "2024-05-02T01:00:00Z")
    try await place.send("\(event)&pa=purchase&ti=A&tr=7&qt=10800000", at: "2024-05-02T02:00:00Z")
    try await place.send("\(event)&pa=purchase&ti=B&tr=9&qt=21600000", at: "2024-05-02T04:00:00Z")
    #expect(try await place.rows(view, .orders, "2024-05-02")[["all", "all"]] == [0, 0, 0, 0, 2, 7_000_000])
    try await place.seal([view], at: "2024-05-03T12:00:00Z")
    #expect(try await place.rows(view, .orders, "2024-05-02")[["all", "all"]] == [0, 0, 0, 0, 2, 7_000_000])
    try await place.warehouse.flush()
    #expect(try await place.warehouse.reader.verify().isClean)
    try await place.close()
  }
}
