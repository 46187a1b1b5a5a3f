import DataFiles
import GRDB
import TernEvents
import Testing

@testable import Alerts
@testable import AppCatalog
@testable import Warehouse

/// Limits and their units. Shares are percentages.
@Suite struct AlertLimitTests {
  private func question(_ query: String, page: String = "explore") -> AlertQuestion {
    AlertQuestion(page: page, query: query, period: .day)
  }

  @Test func `the limit of a share is from 0 to 100, and those of other figures are any numbers`() throws {
    let shares = [
      question("metric=crash_free_users"), question("days=7&metric=crash_free_sessions&event=a"),
      question("metric=crash%5Ffree%5Fusers"), question("s1=any&s2=event+a", page: "funnels"),
    ]
    for share in shares {
      #expect(share.unit == .percent)
      for limit in [0, 0.5, 99.5, 100] {
        #expect(try alert(.below(limit, share)).fault == nil)
        #expect(try alert(.above(limit, share)).fault == nil)
      }
      for limit in [-0.1, 100.1, 9_950, .infinity, .nan] {
        for condition in [AlertCondition.below(limit, share), .above(limit, share)] {
          #expect(
            try alert(condition).fault
              == "The figure is a share. Enter its limit as a percentage from 0 to 100, such as 99.5.")
        }
      }
    }
    for query in ["", "metric=users", "metric=crashes", "metric=avg&property=crash_free_users", "metric=nonsense"] {
      #expect(question(query).unit == .number)
      #expect(try alert(.above(5_000, question(query))).fault == nil)
    }
  }

  @Test func `conditions say the unit of their limit, and the whole limit`() {
    let duration = question("metric=session_duration_p50")
    #expect(AlertCondition.below(99.5, question("metric=crash_free_users")).text == "below 99.5 % per day")
    #expect(AlertCondition.above(20, question("s1=any&s2=any", page: "funnels")).text == "above 20 % per day")
    #expect(AlertCondition.below(30, duration).text == "below 30 s per day")
    #expect(AlertCondition.above(125, duration).text == "above 2 min 5 s per day")
    #expect(AlertCondition.above(1_000, question("metric=users")).text == "above 1000 per day")
    #expect(
      AlertCondition.crashFreeUsersBelow(percent: 99.995, .hour).text == "crash-free users below 99.995 % per hour")
    #expect(
      AlertCondition.changed(byPercent: 2.5, duration).text == "changed by more than 2.5 % from one day to the next")
  }

  @Test func `a share of almost 100 % doesn't read as 100 %`() {
    func text(_ share: Double) -> String { FigureUnit.percent.text(FigureUnit.percent.figure(share)) }
    #expect(text(1) == "100 %" && text(0.99999) == "99.99 %" && text(0.9929) == "99.29 %" && text(0.29) == "29 %")
    #expect(text(1 - 12.0 / 321) == "96.26 %" && text(0) == "0 %")
  }

  @Test(arguments: [
    (12.5, 60, "12.5 s", "1 min"), (125, 120, "2 min 5 s", "2 min"), (90_000, 7_260, "1 d 1 h", "2 h 1 min"),
    // The texts of two units would hide the difference.
    (3_610, 3_600, "3610 s", "1 h"), (3_610, 3_605, "3610 s", "3605 s"), (60.04, 60, "60.04 s", "1 min"),
    (3_605, 3_605, "1 h", "3605 s"),
  ])
  func `durations are those of pages, unless one would read like a limit that it isn't`(
    figure: Double, limit: Double, text: String, limitText: String
  ) {
    #expect(FigureUnit.seconds.text(figure, beside: limit) == text)
    #expect(FigureUnit.seconds.text(limit: limit) == limitText)
  }

  @Test func `limits of crash-free shares in a catalog of version 6 become percentages, and others stay`() throws {
    let directory = TemporaryDirectory()
    let files = DataDirectory(path: directory.path)
    try files.create()
    let steps = Array(CatalogSchema.format.steps.prefix(6))
    let old = DatabaseFormat(applicationID: CatalogSchema.format.applicationID, steps: steps)
    let (pool, apps) = try Catalog.open(files, format: old, now: { time(7) })
    let explore = #""page":"explore","period":"day","query""#
    let conditions: [(String, Double?)] = [
      (#"{"kind":"below","limit":0.995,\#(explore):"metric=crash_free_users"}"#, 99.5),
      (#"{"kind":"above","limit":0.29,\#(explore):"segment=3&metric=crash_free_sessions&days=7"}"#, 29),
      (#"{"kind":"below","limit":1,\#(explore):"metric=crash_free_users"}"#, 100),
      // It was always crossed, and meant as a percentage.
      (#"{"kind":"below","limit":90,\#(explore):"metric=crash_free_users"}"#, 90),
      (#"{"kind":"below","limit":0.5,\#(explore):"metric=events_per_user&event=metric%3Dcrash_free_users"}"#, 0.5),
      (#"{"kind":"changed","limit":0.5,\#(explore):"metric=crash_free_users"}"#, 0.5),
      (#"{"kind":"below","limit":0.5,"page":"funnels","period":"day","query":"s1=any&s2=any"}"#, 0.5),
      (#"{"kind":"crash_free","limit":0.5,"period":"day"}"#, 0.5), (#"{"hours":3,"kind":"silent"}"#, nil),
    ]
    try pool.write { database in
      for (index, condition) in conditions.enumerated() {
        try database.execute(
          sql: """
            INSERT INTO alert (app, name, condition, minimum_users, destinations, state, author, changed)
            VALUES (1, ?, ?, 0, '["mail:a@example.org"]', '{"isBreached":true,"period":20000,"problems":{}}', '', 7)
            """, arguments: ["\(index)", condition.0])
      }
    }
    try apps.close()
    try pool.close()
    let catalog = try Catalog(directory: directory.path)
    let alerts = try catalog.alerts()
    #expect(alerts.map(\.alert.condition.limit) == conditions.map(\.1))
    // A form that was opened before must be opened again.
    #expect(alerts.map(\.alert.changed.millisecondsSince1970) == [8, 8, 8, 7, 7, 7, 7, 7, 7])
    #expect(alerts.allSatisfy { $0.state.isBreached && $0.state.period == 20_000 })
    try catalog.close()
  }
}
