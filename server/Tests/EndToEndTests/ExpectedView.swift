import Foundation

/// A hit as its sender recorded it.
struct SentHit {
  /// The time of the hit.
  var time: Date
  var client: String
  var parameters: [String: String]

  var type: String { parameters["t"] ?? "" }
}

/// The expected reports of a view, computed from hits by the documentation and Foundation's calendar alone.
struct ExpectedView {
  /// A part of a report's table: values by keys.
  struct Table {
    var report: String
    var list: String
    var keys: [String]
    var rows: [[String]: [String: String]] = [:]
  }

  let zone: TimeZone
  /// The hits by the day on which they count.
  private(set) var counted: [String: [SentHit]] = [:]
  /// The late hits by the day on which they would have counted.
  private(set) var late: [String: Int] = [:]
  private let calendar: Calendar
  private let received: Date
  private var sessions: [(day: String, hits: [SentHit])] = []

  /// - Parameter received: The arrival time at the server, within a few minutes that don't include 04:00 in the zone.
  init(_ hits: [SentHit], zone: TimeZone, received: Date) {
    self.zone = zone
    self.received = received
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    self.calendar = calendar
    for hit in hits {
      let day = day(of: hit.time)
      if received < cutoff(after: hit.time) {
        counted[day, default: []].append(hit)
      } else {
        late[day, default: 0] += 1
      }
    }
    for (day, hits) in counted {
      for hits in Dictionary(grouping: hits, by: \.client).values {
        sessions += Self.sessions(of: hits.sorted { $0.time < $1.time }).map { (day, $0) }
      }
    }
  }

  /// The cutoff of a time's day: 04:00 on the next day.
  private func cutoff(after time: Date) -> Date {
    let parts = calendar.dateComponents([.year, .month, .day], from: time)
    // The calendar carries the 32nd over to the next month.
    let next = DateComponents(year: parts.year, month: parts.month, day: (parts.day ?? 0) + 1, hour: 4)
    return calendar.date(from: next) ?? .distantPast
  }

  private func day(of time: Date) -> String {
    let parts = calendar.dateComponents([.year, .month, .day], from: time)
    func two(_ number: Int?) -> String { String("0\(number ?? 0)".suffix(2)) }
    return "\(parts.year ?? 0)-\(two(parts.month))-\(two(parts.day))"
  }

  private static func sessions(of hits: [SentHit]) -> [[SentHit]] {
    hits.reduce(into: []) { sessions, hit in
      guard let last = sessions.last?.last, hit.time.timeIntervalSince(last.time) <= 30 * 60,
        hit.parameters["sc"] != "start", last.parameters["sc"] != "end"
      else { return sessions.append([hit]) }
      sessions[sessions.count - 1].append(hit)
    }
  }

  private var all: [SentHit] { counted.values.flatMap { $0 } }
  private func users(_ hits: [SentHit]) -> Int { Set(hits.map(\.client)).count }
  /// The first day of each client.
  private var firstDays: [String: String] {
    counted.sorted { $0.key < $1.key }.reduce(into: [:]) { days, entry in
      for hit in entry.value where days[hit.client] == nil { days[hit.client] = entry.key }
    }
  }

  /// Every table, of the last `days` days.
  func tables(days: Int) -> [Table] {
    [overview(days: days), totals, screens, events, exceptions, exceptionTotals, ecommerce, transactions, products]
      + [counts("social", "social", ["network", "action", "target"], ["sn", "sa", "st"], "interactions", "social")]
      + [counts("timings", "timings", ["category", "variable", "label"], ["utc", "utv", "utl"], "samples", "timing")]
      + [actives(days: days)]
  }

  private func overview(days: Int) -> Table {
    var table = Table(report: "overview", list: "days", keys: ["date"])
    for age in 0..<days {
      let noon = calendar.date(byAdding: .day, value: -age, to: received) ?? received
      let day = day(of: noon)
      let hits = counted[day] ?? []
      table.rows[[day]] = [
        "users": "\(users(hits))", "newUsers": "\(firstDays.values.count { $0 == day })",
        "sessions": "\(sessions.count { $0.day == day })", "screenviews": "\(hits.count { $0.type == "screenview" })",
        "events": "\(hits.count { $0.type == "event" })", "crashes": "\(Self.crashes(hits))",
        "state": received < cutoff(after: noon) ? "open" : "final",
      ]
    }
    return table
  }

  private static func crashes(_ hits: [SentHit]) -> Int {
    hits.count { $0.type == "exception" && $0.parameters["exf"] != "0" }
  }

  private var totals: Table {
    let hits = all
    let returning = Dictionary(grouping: sessions) { $0.hits[0].client }.count { $0.value.count > 1 }
    return Table(
      report: "overview", list: "totals", keys: [],
      rows: [
        []: [
          "users": "\(users(hits))", "newUsers": "\(users(hits))", "returningUsers": "\(returning)",
          "sessions": "\(sessions.count)", "screenviews": "\(hits.count { $0.type == "screenview" })",
          "crashes": "\(Self.crashes(hits))",
        ]
      ])
  }

  private func actives(days: Int) -> Table {
    var table = Table(report: "overview", list: "actives", keys: ["days"])
    let names = (0..<28).map { day(of: calendar.date(byAdding: .day, value: -$0, to: received) ?? received) }
    for span in [1, 7, 14, 28] {
      table.rows[["\(span)"]] = ["users": "\(users(names.prefix(span).flatMap { counted[$0] ?? [] }))"]
    }
    return table
  }

  /// The hits by some of their parameters, with the number of sessions of each.
  private func groups(_ type: String, _ parameters: [String]) -> [[String]: (hits: [SentHit], sessions: Int)] {
    func key(_ hit: SentHit) -> [String] { parameters.map { hit.parameters[$0] ?? "(not set)" } }
    return Dictionary(grouping: all.filter { $0.type == type }, by: key).reduce(into: [:]) { groups, entry in
      let unique = sessions.count { $0.hits.contains { $0.type == type && key($0) == entry.key } }
      groups[entry.key] = (entry.value, unique)
    }
  }

  private var screens: Table {
    Table(
      report: "screens", list: "screens", keys: ["screen"],
      rows: groups("screenview", ["cd"]).mapValues { hits, sessions in
        ["views": "\(hits.count)", "unique": "\(sessions)", "users": "\(users(hits))"]
      })
  }

  private var events: Table {
    Table(
      report: "events", list: "events", keys: ["category", "action", "label"],
      rows: groups("event", ["ec", "ea", "el"]).mapValues { hits, sessions in
        let value = hits.compactMap { $0.parameters["ev"].flatMap { Int($0) } }.reduce(0, +)
        return [
          "events": "\(hits.count)", "unique": "\(sessions)", "users": "\(users(hits))", "value": "\(value)",
        ]
      })
  }

  private func counts(
    _ report: String, _ list: String, _ keys: [String], _ parameters: [String], _ column: String, _ type: String
  ) -> Table {
    Table(
      report: report, list: list, keys: keys,
      rows: groups(type, parameters).mapValues { [column: "\($0.hits.count)", "users": "\(users($0.hits))"] })
  }

  private var exceptions: Table {
    Table(
      report: "exceptions", list: "exceptions", keys: ["description"],
      rows: groups("exception", ["exd"]).mapValues {
        ["exceptions": "\($0.hits.count)", "crashes": "\(Self.crashes($0.hits))", "users": "\(users($0.hits))"]
      })
  }

  private var exceptionTotals: Table {
    let hits = all.filter { $0.type == "exception" }
    return Table(
      report: "exceptions", list: "totals", keys: [],
      rows: [[]: ["exceptions": "\(hits.count)", "crashes": "\(Self.crashes(hits))"]])
  }

  // MARK: - Money

  private var orders: [SentHit] { all.filter { $0.type == "transaction" || $0.parameters["pa"] == "purchase" } }

  private static func sum(_ hits: [SentHit], _ name: String, times quantity: String? = nil) -> String {
    let sum = hits.reduce(Decimal(0)) { sum, hit in
      let price = hit.parameters[name].flatMap { Decimal(string: $0) } ?? 0
      return sum + price * (quantity.flatMap { hit.parameters[$0] }.flatMap { Decimal(string: $0) } ?? 1)
    }
    var text = "\(sum)"
    if !text.contains(".") { text += "." }
    while text.split(separator: ".", omittingEmptySubsequences: false)[1].count < 2 { text += "0" }
    return text
  }

  private var ecommerce: Table {
    // The same identifier on two days is two transactions; here no identifier is used twice.
    let transactions = Set(orders.compactMap { $0.parameters["ti"] }).count
    return Table(
      report: "ecommerce", list: "totals", keys: [],
      rows: [[]: ["transactions": "\(transactions)", "revenue": Self.sum(orders, "tr")]])
  }

  private var transactions: Table {
    Table(
      report: "ecommerce", list: "transactions", keys: ["transaction"],
      rows: Dictionary(grouping: orders) { [$0.parameters["ti"] ?? ""] }.mapValues {
        ["hits": "\($0.count)", "revenue": Self.sum($0, "tr"), "tax": Self.sum($0, "tt")]
      })
  }

  private var products: Table {
    let items = Dictionary(grouping: all.filter { $0.type == "item" }) { [$0.parameters["in"] ?? ""] }
    var rows = items.mapValues { hits in
      let quantity = hits.compactMap { $0.parameters["iq"].flatMap { Int($0) } }.reduce(0, +)
      return ["quantity": "\(quantity)", "revenue": Self.sum(hits, "ip", times: "iq"), "adds": "0"]
    }
    for (name, hits) in Dictionary(grouping: all, by: { $0.parameters["product"] }) {
      guard let name else { continue }
      rows[[name]] = [
        "quantity": "\(hits.count { $0.parameters["pa"] == "purchase" })", "revenue": Self.sum(hits, "price"),
        "adds": "\(hits.count { $0.parameters["pa"] == "add" })",
      ]
    }
    return Table(report: "ecommerce", list: "products", keys: ["product"], rows: rows)
  }
}
