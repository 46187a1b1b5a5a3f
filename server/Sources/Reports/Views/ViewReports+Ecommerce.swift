import TernBase
import Warehouse

/// Reports about shopping.
extension ViewReports {
  static let ecommerce = ReportDefinition.breakdown(
    "ecommerce", "Ecommerce", "Orders with revenue, tax and shipping, products, and transactions.", group: .ecommerce,
    tables: [.transactions, .products, .orders, .productFacts], showsChanges: true
  ) { $0.ecommerce }

  static let shopping = ReportDefinition.breakdown(
    "shopping", "Shopping behavior", "Sessions by the stage they reached towards an order, and where they stopped.",
    group: .ecommerce,
    tables: [.shopping]
  ) { [$0.shopping] }

  static let checkout = ReportDefinition.breakdown(
    "checkout", "Checkout", "Sessions by checkout step, their exits, and the options they chose.", group: .ecommerce,
    tables: [.checkoutSteps, .checkoutOptions]
  ) { $0.checkout }

  static let promotions = ReportDefinition.breakdown(
    "promotions", "Promotions", "Promotions by ID, name, creative and position, with views and clicks.",
    group: .ecommerce,
    tables: [.promotions]
  ) { [$0.promotions] }

  static let lists = ReportDefinition.breakdown(
    "lists", "Product lists", "Product lists with their impressions and clicks.", group: .ecommerce,
    tables: [.lists, .listProducts]
  ) { $0.productLists }

  fileprivate static let clickRate = ReportColumn(
    "clickShare", title: "Click rate", meaning: "Clicks divided by views.")
  fileprivate static let dimension = ReportColumn("fact", title: "Dimension")
}

extension ViewBreakdowns {
  fileprivate var ecommerce: [ReportList] {
    let orders = all(.orders)
    return [
      orderTotals(orders.first { $0.key == ["all", "all"] }),
      ReportList(
        "days", title: "Days", columns: ["date", .transactions, .revenue],
        rows: metrics.days.map {
          [.day($0.day), .count($0.totals.transactions), .millionths($0.totals.revenue)]
        }, picture: .days([["transactions"], ["revenue"]])),
      ReportList(
        "orders", title: "By affiliation, coupon and currency",
        columns: [
          ViewReports.dimension, "value", "orders", .revenue, .tax, .shipping, .refunds, .refunded, .users,
        ],
        rows: limited(orders.filter { $0.key[0] != "all" }).map { row in
          row.texts + [.count(row.numbers[0])] + row.numbers[1...3].map { .millionths($0) } + [
            .count(row.numbers[4]), .millionths(row.numbers[5]), .count(row.users),
          ]
        }),
      ReportList(
        "products", title: "Products",
        columns: [
          "product", ReportColumn("sku", title: "SKU"), .quantity, .revenue, .details, .clicks, .adds,
          ReportColumn("removes", meaning: "How often a product was removed from the cart."),
          "checkouts", "purchases", .refunds, .users,
        ], rows: rows(.products).map(product)),
      ReportList(
        "productFacts", title: "Products by brand, category, coupon and variant",
        columns: [ViewReports.dimension, "value", .quantity, .revenue, .details, .adds, "purchases", .users],
        rows: rows(.productFacts).map(product)),
      ReportList(
        "transactions", title: "Transactions", columns: ["transaction", .hits, .revenue, .tax, .shipping],
        rows: rows(.transactions).map { row in
          row.texts + [.count(row.numbers[0])] + row.numbers[1...].map { .millionths($0) }
        }),
    ]
  }

  private func product(_ row: ViewMetrics.Row) -> [ReportValue] {
    row.texts + [.count(row.numbers[0]), .millionths(row.numbers[1])] + row.numbers[2...].map { .count($0) } + [
      .count(row.users)
    ]
  }

  private func orderTotals(_ orders: ViewMetrics.Row?) -> ReportList {
    let total = metrics.totals
    let numbers = orders?.numbers ?? Array(repeating: SaturatingInt64.zero, count: 6)
    let average = ReportValue.average(total.revenue, total.transactions)
    return ReportList(
      "totals", title: "Totals",
      columns: [
        .transactions, .revenue,
        ReportColumn("averageOrder", meaning: "Revenue divided by transactions.", unit: .money), .tax, .shipping,
        .refunds, .refunded, ReportColumn("conversion", meaning: "Orders divided by sessions."),
        ReportColumn("buyers", meaning: "Users with at least one order."),
      ],
      rows: [
        [
          .count(total.transactions), .millionths(total.revenue), .millionths(average), .millionths(numbers[2]),
          .millionths(numbers[3]), .count(numbers[4]), .millionths(numbers[5]),
          .share(total.transactions, of: total.sessions), .count(orders?.users ?? 0),
        ]
      ])
  }

  /// Every stage, reached or not, followed by the other actions.
  fileprivate var shopping: ReportList {
    let stages: KeyValuePairs = [
      "all": "All sessions", "detail": "Saw a product", "add": "Added to the cart", "checkout": "Began the checkout",
      "purchase": "Bought",
    ]
    let keys = stages.map(\.key)
    let known = Dictionary(all(.shopping).map { ($0.key[0], $0) }, uniquingKeysWith: { $1 })
    let sessions = known["all"]?.numbers[0] ?? 0
    let others = known.keys.filter { !keys.contains($0) }.sorted()
    return ReportList(
      "shopping",
      columns: ["stage", .sessions, .share, .hits, ViewReports.exitCount, ViewReports.exitRate, .users],
      rows: (keys + others).map { stage in
        let numbers = known[stage]?.numbers ?? [0, 0, 0]
        return [
          .text(stage), .count(numbers[0]), .share(numbers[0], of: sessions), .count(numbers[1]), .count(numbers[2]),
          .share(numbers[2], of: numbers[0]), .count(known[stage]?.users ?? 0),
        ]
      }, picture: .stages(Dictionary(uniqueKeysWithValues: stages.map { ($0.key, $0.value) })))
  }

  fileprivate var checkout: [ReportList] {
    func step(_ row: ViewMetrics.Row) -> Int64 { Int64(row.key[0]) ?? .max }
    let steps = all(.checkoutSteps).sorted { (step($0), $0.key[0]) < (step($1), $1.key[0]) }
    let options = all(.checkoutOptions).sorted {
      (step($0), $1.numbers[0], $0.key[1]) < (step($1), $0.numbers[0], $1.key[1])
    }
    return [
      ReportList(
        "steps", title: "Steps",
        columns: ["step", .sessions, .hits, ViewReports.exitCount, ViewReports.exitRate, .users],
        rows: limited(steps).map { row in
          row.texts + row.numbers[0...2].map { .count($0) } + [
            .share(row.numbers[2], of: row.numbers[0]), .count(row.users),
          ]
        }),
      plain("options", title: "Options", ["step", "option", .sessions, .hits], limited(options)),
    ]
  }

  fileprivate var promotions: ReportList {
    ReportList(
      "promotions",
      columns: ["promotion", "name", "creative", "position", .views, .clicks, ViewReports.clickRate, .users],
      rows: rows(.promotions).map { row in
        row.texts + [
          .count(row.numbers[0]), .count(row.numbers[1]), .share(row.numbers[1], of: row.numbers[0]), .count(row.users),
        ]
      })
  }

  fileprivate var productLists: [ReportList] {
    let numbers: [ReportColumn] = [
      ReportColumn("impressions", meaning: "How often a product was shown in a list."), .clicks, ViewReports.clickRate,
      .details, .users,
    ]
    func values(_ row: ViewMetrics.Row) -> [ReportValue] {
      row.texts + [
        .count(row.numbers[0]), .count(row.numbers[1]), .share(row.numbers[1], of: row.numbers[0]),
        .count(row.numbers[2]), .count(row.users),
      ]
    }
    return [
      ReportList("lists", title: "Lists", columns: ["product_list"] + numbers, rows: rows(.lists).map(values)),
      ReportList(
        "products", title: "Products in lists",
        columns: ["product_list", "product", ReportColumn("sku", title: "SKU")] + numbers,
        rows: rows(.listProducts).map(values)),
    ]
  }
}
