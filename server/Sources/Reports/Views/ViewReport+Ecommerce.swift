import Warehouse

/// Reports about shopping.
extension ViewReportRequest {
  func ecommerce(_ figures: ViewFigures) -> [List] {
    let orders = figures.tables[.orders] ?? []
    return [
      orderTotals(figures, orders.first { $0.key == ["all", "all"] }),
      List(
        member: "orders", title: "By affiliation, coupon and currency",
        columns: ["fact", "value", "orders", "revenue", "tax", "shipping", "refunds", "refunded", "users"],
        rows: limited(orders.filter { $0.key[0] != "all" }).map { row in
          row.key.map { .text($0) } + [.count(row.numbers[0])] + row.numbers[1...3].map { money($0) } + [
            .count(row.numbers[4]), money(row.numbers[5]), .count(Int64(row.users)),
          ]
        }),
      products(figures.tables[.products] ?? []),
      List(
        member: "product_facts", title: "Products by brand, category, coupon and variant",
        columns: ["fact", "value", "quantity", "revenue", "details", "adds", "purchases", "users"],
        rows: limited(figures.tables[.productFacts] ?? []).map { row in
          row.key.map { .text($0) } + [.count(row.numbers[0]), money(row.numbers[1])]
            + row.numbers[2...].map { .count($0) } + [.count(Int64(row.users))]
        }),
      List(
        member: "transactions", title: "Transactions", columns: ["transaction", "hits", "revenue", "tax", "shipping"],
        rows: limited(figures.tables[.transactions] ?? []).map { row in
          [.text(row.key[0]), .count(row.numbers[0])] + row.numbers[1...].map { money($0) }
        }),
    ]
  }

  private func orderTotals(_ figures: ViewFigures, _ orders: ViewFigures.Row?) -> List {
    let total = figures.totals
    let numbers = orders?.numbers ?? Array(repeating: 0, count: 6)
    return List(
      member: "totals", title: "Totals",
      columns: [
        "transactions", "revenue", "average_order", "tax", "shipping", "refunds", "refunded", "conversion", "buyers",
      ],
      rows: [
        [
          .count(total.transactions), money(total.revenue), money(average(total.revenue, total.transactions)),
          money(numbers[2]), money(numbers[3]), .count(numbers[4]), money(numbers[5]),
          .share(ratio(total.transactions, total.sessions)), .count(Int64(orders?.users ?? 0)),
        ]
      ])
  }

  private func products(_ rows: [ViewFigures.Row]) -> List {
    List(
      member: "products", title: "Products",
      columns: [
        "product", "sku", "quantity", "revenue", "details", "clicks", "adds", "removes", "checkouts", "purchases",
        "refunds", "users",
      ],
      rows: limited(rows).map { row in
        row.key.map { .text($0) } + [.count(row.numbers[0]), money(row.numbers[1])]
          + row.numbers[2...].map { .count($0) } + [.count(Int64(row.users))]
      })
  }

  private static let stages = ["all", "detail", "add", "checkout", "purchase"]

  /// Every stage, whether or not anybody reached it, and then what is no stage.
  func shopping(_ rows: [ViewFigures.Row]) -> List {
    let known = Dictionary(rows.map { ($0.key[0], $0) }, uniquingKeysWith: { $1 })
    let all = known["all"]?.numbers[0] ?? 0
    let asides = known.keys.filter { !Self.stages.contains($0) }.sorted()
    let cells = (Self.stages + asides).map { stage -> [Cell] in
      let numbers = known[stage]?.numbers ?? [0, 0, 0]
      return [
        .text(stage), .count(numbers[0]), .share(ratio(numbers[0], all)), .count(numbers[1]), .count(numbers[2]),
        .share(ratio(numbers[2], numbers[0])), .count(Int64(known[stage]?.users ?? 0)),
      ]
    }
    return List(
      member: "shopping", title: "",
      columns: ["stage", "sessions", "share", "hits", "drop_offs", "drop_off_share", "users"], rows: cells)
  }

  func checkout(_ steps: [ViewFigures.Row], _ options: [ViewFigures.Row]) -> [List] {
    let steps = steps.sorted { (Int64($0.key[0]) ?? .max, $0.key[0]) < (Int64($1.key[0]) ?? .max, $1.key[0]) }
    let options = options.sorted {
      (Int64($0.key[0]) ?? .max, $1.numbers[0], $0.key[1]) < (Int64($1.key[0]) ?? .max, $0.numbers[0], $1.key[1])
    }
    return [
      List(
        member: "steps", title: "Steps", columns: ["step", "sessions", "hits", "drop_offs", "drop_off_share", "users"],
        rows: limited(steps).map { row in
          let numbers = row.numbers
          return [
            .text(row.key[0]), .count(numbers[0]), .count(numbers[1]), .count(numbers[2]),
            .share(ratio(numbers[2], numbers[0])), .count(Int64(row.users)),
          ]
        }),
      plain("options", ["step", "option", "sessions", "hits"], options, title: "Options"),
    ]
  }

  func promotions(_ rows: [ViewFigures.Row]) -> List {
    List(
      member: "promotions", title: "",
      columns: ["promotion", "name", "creative", "position", "views", "clicks", "click_share", "users"],
      rows: limited(rows).map { row in
        row.key.map { .text($0) } + [
          .count(row.numbers[0]), .count(row.numbers[1]), .share(ratio(row.numbers[1], row.numbers[0])),
          .count(Int64(row.users)),
        ]
      })
  }

  func productLists(_ lists: [ViewFigures.Row], _ products: [ViewFigures.Row]) -> [List] {
    let numbers = ["impressions", "clicks", "click_share", "details", "users"]
    func cells(_ row: ViewFigures.Row) -> [Cell] {
      row.key.map { .text($0) } + [
        .count(row.numbers[0]), .count(row.numbers[1]), .share(ratio(row.numbers[1], row.numbers[0])),
        .count(row.numbers[2]), .count(Int64(row.users)),
      ]
    }
    return [
      List(member: "lists", title: "Lists", columns: ["list"] + numbers, rows: limited(lists).map(cells)),
      List(
        member: "products", title: "Products in lists", columns: ["list", "product", "sku"] + numbers,
        rows: limited(products).map(cells)),
    ]
  }
}
