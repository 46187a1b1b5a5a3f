import Ingest
import TernBase
import TernEvents
import Testing

@testable import AppCatalog
@testable import Views
@testable import Warehouse
@testable import WarehouseSQLite

/// Sessions, attribution and custom dimensions, by the view's settings and the app's definitions.
@Suite struct ViewSessionTests {
  private static let start = milliseconds("2024-05-14T10:00:00Z")
  private static let day: Int64 = 86_400_000
  private let mail = ["cs": "news", "cm": "email", "cn": "may"]
  private let direct = ["(direct)", "(none)", "(not set)"]

  private func hit(_ offset: Int64, _ more: [String: String] = [:], slot: UInt32 = 1) -> ViewHit {
    ViewHit(
      id: offset, time: Self.start + offset, received: Self.start + offset, slot: slot, user: "",
      device: IncomingDevice(), parameters: more.merging(["t": "screenview", "cd": "S"]) { old, _ in old })
  }

  private func counted(
    _ hits: [ViewHit], filters: [String] = [], settings: ViewSettings = ViewSettings(),
    rules: [CustomDefinition] = [], states: [UInt32: UserState] = [:]
  ) -> ViewDay {
    ViewDayBuilder.day(
      of: hits, filters: filters.compactMap { ViewFilter($0) }, settings: settings, rules: CustomRules(rules),
      states: states
    ) { _ in 0 }
  }

  private func dimension(
    _ index: Int, _ scope: CustomDefinition.Scope, since: Int64 = 0, isActive: Bool = true
  ) -> CustomDefinition {
    CustomDefinition(
      app: AppID(1), kind: .dimension, index: index, name: "D",
      rules: [.init(start: Timestamp(millisecondsSince1970: since), scope: scope, isActive: isActive)])
  }

  private func dimensions(_ day: ViewDay) -> [[String]: [SaturatingInt64]] {
    (day.tables[.dimensions] ?? [:]).mapValues(\.numbers)
  }

  private func acquisition(_ day: ViewDay) -> [[String]: [SaturatingInt64]] {
    (day.tables[.acquisition] ?? [:]).mapValues(\.numbers)
  }

  @Test(arguments: [(60, 60_000, 1), (60, 60_001, 2), (14_400, 14_400_000, 1), (14_400, 14_400_001, 2)])
  func `a view's own time-out divides its sessions`(seconds: Int, gap: Int64, sessions: SaturatingInt64) {
    let settings = ViewSettings(sessionTimeout: .seconds(seconds))
    #expect(counted([hit(0), hit(gap)], settings: settings).totals.sessions == sessions)
  }

  @Test func `the 501st hit of a session counts and is flagged, and with quotas it is not processed`() {
    let hits = (0..<503).map { hit($0, $0 == 502 ? ["cs": "news", "cd1": "late"] : [:]) }
    let open = counted(Array(hits[..<502]))
    #expect(open.totals.hits == 502 && open.totals.excessHits == 2 && open.totals.screenViews == 502)
    let limited = counted(Array(hits[..<502]), settings: ViewSettings(hasQuotas: true))
    #expect(limited.totals.hits == 500 && limited.totals.excessHits == 2 && limited.totals.screenViews == 500)
    #expect(limited.totals.duration == 499)
    // Hits that are not processed do not affect the user either, but they keep the session alive.
    let quiet = hits[..<500] + [hit(1_800_000, ["cd1": "x"]), hit(3_600_000)]
    let rules = [dimension(1, .user)]
    let silent = counted(Array(quiet), settings: ViewSettings(hasQuotas: true), rules: rules)
    #expect(silent.totals.sessions == 1 && silent.totals.excessHits == 2 && silent.changes.states.isEmpty)
    #expect(counted(Array(quiet), rules: rules).changes.states[1]?.values == ["cd1": "x"])
    // A campaign begins a session, which has room for hits.
    let begun = counted(hits, settings: ViewSettings(hasQuotas: true))
    #expect(begun.totals.sessions == 2 && begun.totals.hits == 501 && begun.totals.excessHits == 2)
  }

  @Test func `the last value of a session dimension applies to all hits of the session`() {
    let hits = [hit(0), hit(1, ["cd2": "free"]), hit(2, ["cd2": "paid"]), hit(3), hit(3_600_000)]
    let day = counted(hits, rules: [dimension(2, .session)])
    #expect(dimensions(day) == [["cd2", "session", "paid"]: [4, 1]])
    #expect(dimensions(counted(hits)) == [["cd2", "hit", "free"]: [1, 1], ["cd2", "hit", "paid"]: [1, 1]])
    #expect(day.changes.states.isEmpty)
  }

  @Test func `a user dimension applies to this session and later ones until it changes`() {
    let rules = [dimension(3, .user)]
    let hour: Int64 = 3_600_000
    let hits = [hit(0), hit(hour), hit(hour + 1, ["cd3": "gold"]), hit(2 * hour), hit(3 * hour, ["cd3": "red"])]
    let day = counted(hits, rules: rules)
    #expect(dimensions(day) == [["cd3", "user", "gold"]: [3, 2], ["cd3", "user", "red"]: [1, 1]])
    #expect(day.changes.states == [1: UserState(values: ["cd3": "red"])])
    let next = counted([hit(Self.day), hit(Self.day, slot: 2)], rules: rules, states: day.changes.states)
    #expect(dimensions(next) == [["cd3", "user", "red"]: [1, 1]])
    #expect(next.changes.states.isEmpty)
  }

  @Test func `a filtered hit still affects the state of its session and user`() {
    let rules = [dimension(1, .hit), dimension(2, .session), dimension(3, .user)]
    let hits = [
      hit(0, ["cd1": "h", "cd2": "s", "cd3": "u", "cm1": "5", "av": "1"].merging(mail) { $1 }),
      hit(1_000, ["av": "2"]), hit(2_000, ["av": "1", "cd2": "last"]), hit(3_600_000, ["av": "2"]),
    ]
    let day = counted(hits, filters: ["av=2"], rules: rules)
    #expect(dimensions(day) == [["cd2", "session", "last"]: [1, 1], ["cd3", "user", "u"]: [2, 2]])
    #expect(day.tables[.metrics] == nil && day.totals.hits == 2)
    #expect(acquisition(day) == [["news", "email", "may"]: [2]])
    #expect(day.changes.states[1]?.campaign?.key == ["news", "email", "may"])
  }

  @Test func `a filtered hit belongs to the session before it, or else to the one after it`() {
    let rules = [dimension(2, .session)]
    let minute: Int64 = 60_000
    let hits = [
      hit(0, ["av": "2"]), hit(30 * minute, ["cd2": "before"]), hit(31 * minute, ["cd2": "after"]),
      hit(61 * minute, ["av": "2"]), hit(150 * minute, ["cd2": "nobody"]), hit(200 * minute, ["av": "2"]),
    ]
    let day = counted(hits, filters: ["av=2"], rules: rules)
    #expect(dimensions(day) == [["cd2", "session", "before"]: [1, 1], ["cd2", "session", "after"]: [1, 1]])
    #expect(day.totals.sessions == 3)
  }

  @Test func `a session without a campaign has the user's last one, which a direct visit does not replace`() {
    let campaign = UserState.Campaign(key: ["news", "email", "may"], time: EventTime(Self.start - 10 * Self.day))
    let states: [UInt32: UserState] = [1: UserState(campaign: campaign)]
    let day = counted([hit(0), hit(0, slot: 2)], states: states)
    #expect(acquisition(day) == [["news", "email", "may"]: [1], direct: [1]])
    #expect(day.changes.states.isEmpty)
    let explicit = counted([hit(0, ["cs": "(direct)", "cm": "(none)"])], states: states)
    #expect(acquisition(explicit) == [["news", "email", "may"]: [1]] && explicit.changes.states.isEmpty)
    // Naming the same campaign again does not begin a session, but extends the campaign; another one begins a session.
    let again = counted([hit(0), hit(1, mail), hit(2, ["cs": "shop"])], states: states)
    #expect(acquisition(again) == [["news", "email", "may"]: [1], ["shop", "(not set)", "(not set)"]: [1]])
    #expect(again.changes.states[1]?.campaign?.time == EventTime(Self.start + 2))
    #expect(
      counted([hit(0), hit(1, mail)], states: states).changes.states[1]?.campaign?.time == EventTime(Self.start + 1))
  }

  @Test(arguments: [1, 183, 731]) func `a campaign lasts for the view's duration, to the millisecond`(days: Int) {
    let settings = ViewSettings(campaignDays: days)
    for (more, isDirect) in [(Int64(0), false), (1, true)] {
      let campaign = UserState.Campaign(
        key: ["a", "b", "c"], time: EventTime(Self.start - Int64(days) * Self.day - more))
      let day = counted([hit(0)], settings: settings, states: [1: UserState(campaign: campaign)])
      #expect(acquisition(day) == [isDirect ? direct : ["a", "b", "c"]: [1]])
    }
  }

  @Test func `a definition applies to hits from its creation on, and inactive ones are not processed`() {
    let hits = [hit(0, ["cd1": "a", "cm1": "2"]), hit(10, ["cd1": "b", "cm1": "3"]), hit(20)]
    let session = counted(hits, rules: [dimension(1, .session, since: Self.start + 10)])
    #expect(dimensions(session) == [["cd1", "hit", "a"]: [1, 1], ["cd1", "session", "b"]: [2, 1]])
    let inactive = counted(hits, rules: [dimension(1, .hit, since: Self.start + 10, isActive: false)])
    #expect(dimensions(inactive) == [["cd1", "hit", "a"]: [1, 1]])
    var metric = dimension(1, .hit, since: Self.start + 10, isActive: false)
    metric.kind = .metric
    #expect(counted(hits, rules: [metric]).tables[.metrics]?.mapValues(\.numbers) == [["cm1"]: [1, 2_000_000]])
  }

  @Test func `a user's state round-trips through its stored form, and damage is detected`() {
    let campaign = UserState.Campaign(key: ["a", "", "c"], time: EventTime(-5))
    let values = ["cd1": "x", "cd20": "ü"]
    for state in [
      UserState(campaign: campaign, values: values), UserState(values: values), UserState(campaign: campaign),
      UserState(),
    ] {
      let bytes = state.encoded
      #expect(bytes.withUnsafeBytes { UserState($0) } == state)
      for end in bytes.indices {
        #expect(bytes[..<end].withUnsafeBytes { UserState($0) } != state)
      }
    }
  }
}
