import Ingest
import ServerBase
import TernEvents
import Warehouse

extension ContractTrial {
  private static let centers: [(center: String, days: Int64)] = [
    // Clocks change in Berlin and on Lord Howe.
    ("2026-03-29", 4), ("2026-10-25", 2), ("2026-01-01", 90),
  ]

  /// Returns the start of a day in UTC.
  static func start(of day: String) -> Timestamp {
    Timestamp(millisecondsSince1970: Int64((Day(day) ?? Day(number: 0)).number) * 86_400_000)
  }

  /// Checks random traffic in random order, with the backend closed and opened again.
  mutating func traffic() async throws {
    let (center, length) = Self.centers[Int(seed % 3)]
    var traffic = RandomTraffic(
      seed: seed, apps: catalog.apps().map(\.id), center: Self.start(of: center), days: length, isOrdered: false)
    for batch in 0..<120 {
      let (next, app) = traffic.next()
      try await commit(next, app, "receipt of batch \(batch)")
      if batch % 50 == 30 { try await closeAndReopen() }
    }
    try await backend.settle()
    let middle = Day(center) ?? Day(number: 0)
    for app in catalog.apps().map(\.id) {
      try await compare(app, middle.advanced(by: -Int(length))...middle.advanced(by: Int(length) + 3))
      try await compare(app, middle...middle.advanced(by: 1), "two days:")
      try await compareLedger(app, since: Self.start(of: "2000-01-01"))
      try await compareLedger(app, since: Self.start(of: center))
    }
  }

  private func addViews() throws {
    for (index, scope) in CustomDefinition.Scope.allCases.enumerated() {
      let rule = CustomDefinition.Rule(start: Timestamp(millisecondsSince1970: 0), scope: scope)
      catalog.add(
        CustomDefinition(app: AppID(1), kind: .dimension, index: index + 1, name: "D", type: .integer, rules: [rule]))
    }
    let filters = [ViewFilter("av!=1")].compactMap(\.self)
    let kinds: [(String, View.Lateness, ViewSettings, [ViewFilter])] = [
      ("UTC", .cutoff, ViewSettings(), []),
      ("Europe/Berlin", .cutoff, ViewSettings(sessionTimeout: .seconds(3 * 3_600), campaignDays: 2), filters),
      ("UTC", .cutoff, ViewSettings(campaignDays: 3, identity: .user), []),
      ("Australia/Lord_Howe", .cutoff, ViewSettings(identity: .explicitUser), filters),
      ("UTC", .none, ViewSettings(hasQuotas: true), []), ("UTC", .window, ViewSettings(), []),
    ]
    for (index, kind) in kinds.enumerated() {
      catalog.add(
        View(
          id: ViewID(Int64(index + 1)), app: AppID(1), name: "V",
          zones: [View.Zone(ZoneRules(kind.0)!, start: Timestamp(millisecondsSince1970: 0))],
          first: View.Rules(lateness: kind.1, filters: kind.3, settings: kind.2)))
    }
  }

  /// Checks random traffic in order of receipt, while days of views are sealed.
  mutating func sealing() async throws {
    try addViews()
    let (center, length) = Self.centers[Int(seed % 2)]
    var traffic = RandomTraffic(
      seed: seed, apps: [AppID(1), AppID(1), AppID(2)], center: Self.start(of: center), days: length, isOrdered: true)
    let middle = Day(center) ?? Day(number: 0)
    let days = middle.advanced(by: -Int(length))...middle.advanced(by: Int(length))
    let views = catalog.views(app: nil)
    for batch in 0..<40 {
      let (next, app) = traffic.next()
      try await commit(next, app, "receipt of batch \(batch)")
      // Some views are sealed now and then, some only at the end.
      if traffic.below(8) == 0 { try await seal(Array(views.prefix(traffic.below(3))), now: traffic.now) }
      if batch == 30 { try await closeAndReopen() }
      guard batch == 20 else { continue }
      try await backend.settle()
      for view in views { try await compare(view, days, now: traffic.now, "after batch \(batch),") }
    }
    let end = traffic.now + .seconds(60 * 3_600)
    for now in [traffic.now, end] {
      try await seal(views, now: now)
      for view in views { try await compare(view, days, now: now, "in the end,") }
    }
  }

  /// Checks that a hit counts if it was received before 04:00 of the next day, to the millisecond, and that nothing
  /// changes a sealed day.
  func cutoff() async throws {
    try addViews()
    let views = catalog.views(app: nil).filter { $0.first.lateness == .cutoff }
    let day = Day("2026-03-28") ?? Day(number: 0)
    // 04:00 in Berlin is 02:00 UTC here, for the clocks change in the night.
    let cutoffs = [
      "UTC": Self.start(of: "2026-03-29") + .seconds(4 * 3_600),
      "Europe/Berlin": Self.start(of: "2026-03-29") + .seconds(2 * 3_600),
    ]
    for (zone, cutoff) in cutoffs.sorted(by: { $0.value < $1.value }) {
      let view = views.first { $0.timeZone == zone }
      for shift in [-1, 0, 1] as [Int64] {
        let received = cutoff + .milliseconds(shift)
        try await commit(Self.hits(["\(zone) \(shift)"], at: cutoff + .seconds(-10 * 3_600), received: received))
        try await backend.settle()
        guard let view else { continue }
        try await compare(view, day...day.advanced(by: 1), now: received, "\(shift) ms after the cutoff,")
      }
      guard let view else { continue }
      let screens = try await backend.store.viewMetrics(
        view, days: day...day, tables: [.screens], now: cutoff.millisecondsSince1970
      ).tables[.screens]
      try expect((screens ?? []).contains { $0.key == ["\(zone) -1"] }, true, "the hit before the cutoff counts")
      try expect((screens ?? []).contains { $0.key == ["\(zone) 0"] }, false, "the hit at the cutoff counts")
    }
    let end = Self.start(of: "2026-03-30") + .seconds(20 * 3_600)
    try await seal(views, now: end)
    let before = try await states(views, day, now: end)
    // Received before the cutoff by a clock that was set back, but stored after the day was sealed.
    for name in ["a", "b"] {
      let time = Self.start(of: "2026-03-28") + .seconds(12 * 3_600)
      try await commit(Self.hits([name], at: time, received: time + .seconds(1)))
    }
    try await backend.settle()
    try expect(try await states(views, day, now: end), before, "a sealed day")
    for view in views { try await compare(view, day...day.advanced(by: 2), now: end, "after sealing,") }
  }

  private func states(_ views: [View], _ day: Day, now: Timestamp) async throws -> [ViewMetrics] {
    var states: [ViewMetrics] = []
    for view in views {
      states.append(
        try await backend.store.viewMetrics(
          view, days: day...day, tables: Set(ViewTable.allCases), now: now.millisecondsSince1970))
    }
    try expect(states.allSatisfy { $0.days.allSatisfy { $0.state == .final } }, true, "the sealed day is final")
    return states
  }

  /// Returns screen views of one client at a moment.
  private static func hits(_ screens: [String], at time: Timestamp, received: Timestamp) -> IncomingBatch {
    var batch = batch(screens, kind: .screen, at: time, received: received, source: .measurement)
    batch.hits = screens.enumerated().map { index, name in
      IncomingHit(event: index, parameters: [.init(name: "t", value: "screenview"), .init(name: "cd", value: name)])
    }
    for index in batch.events.indices { batch.events[index].user = "u" }
    return batch
  }

  /// Returns events of one install at a moment, without deduplication keys.
  static func batch(
    _ names: [String], kind: StoredKind = .event, at time: Timestamp, received: Timestamp? = nil,
    install: String = "install", source: IngestProtocol = .native
  ) -> IncomingBatch {
    IncomingBatch(
      source: source, received: received ?? time, installs: [install], devices: [IncomingDevice(appVersion: "1")],
      events: names.enumerated().map {
        IncomingEvent(index: $0, kind: kind, duplicateKey: nil, time: time, name: $1)
      })
  }
}
