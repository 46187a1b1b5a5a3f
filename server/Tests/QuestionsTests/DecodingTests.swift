import Ingest
import JSON
import Questions
import QuestionsTestSupport
import TernEvents
import Testing
import Warehouse

struct DecodingTests {
  private func fault(_ kind: Question.Kind, _ json: String) -> QuestionError? {
    do throws(QuestionError) {
      _ = try Question(kind, json: Array(json.utf8))
      return nil
    } catch {
      return error
    }
  }

  @Test func `the steps that decide on a funnel's values are read, and checked against their order`() throws {
    func funnel(_ more: String) -> String {
      #"{"steps": [{"event": "A"}, {"event": "B"}], "breakdown": "version"\#(more)}"#
    }
    for step in FunnelBreakdownStep.allCases {
      let json = funnel(#", "breakdown_step": "\#(step.rawValue)""#)
      guard case .funnel(let question) = try Question(.funnel, json: Array(json.utf8)) else { return }
      #expect(question.breakdownStep == step)
      #expect(try Question(.funnel, json: Question.funnel(question).json().encoded) == .funnel(question))
    }
    let unordered = try Question(.funnel, json: Array(funnel(#", "order": "unordered""#).utf8))
    guard case .funnel(let question) = unordered else { return }
    #expect(question.breakdownStep == .every)
    #expect(try Question(.funnel, json: unordered.json().encoded) == unordered)
    let refused = fault(.funnel, funnel(#", "order": "unordered", "breakdown_step": "last""#))
    #expect(refused?.path == "$.breakdown_step" && refused?.message.contains("Choose every") ?? false)
  }

  @Test func `a query is read with its defaults`() throws {
    let question = try Question(.query, json: Array(#"{"metrics": ["users"]}"#.utf8))
    #expect(question == .query(QueryQuestion(metrics: [.plain(.users)])))
  }

  @Test func `every part of a query is read`() throws {
    let json = #"""
      {"metrics": ["events", "p90:property:Length"], "date_range": ["2026-10-01", "2026-10-31"], "by": "user",
       "dimensions": ["time:day", ["property:Length", {"bins": [0, 10.5]}]],
       "filters": [["is", "country", ["DE", "\u00e9\ud83d\ude00"]], ["gt", "property:Length", 10],
         ["or", [["set", "user"], ["not", ["has_done", {"any": true}, {"at_least": 3, "days": 7}]]]]],
       "order_by": [["events", "desc"], ["time:day", "asc"]], "compare": "previous_period",
       "include": ["totals", "total_rows"], "pagination": {"limit": 5, "offset": 2}}
      """#
    let length = QuestionDimension.property("Length")
    let expected = QueryQuestion(
      scope: QuestionScope(
        range: .dates(Day(year: 2026, month: 10, day: 1), Day(year: 2026, month: 10, day: 31)),
        filters: [
          .isOneOf(.country, [.text("DE"), .text("\u{E9}\u{1F600}")]), .compare(.gt, length, 10),
          .any([.isSet(.user), .not(.hasDone(Selector(.any), atLeast: 3, days: 7))]),
        ], person: .user),
      metrics: [.plain(.events), .property(.p90, ExactText("Length"))],
      groups: [.init(.time(.day)), .init(length, bins: [0, 10.5])],
      order: [.init(.metric(0), isDescending: true), .init(.group(0))], comparesPreviousPeriod: true,
      includesTotals: true, includesTotalRows: true, limit: 5, offset: 2)
    #expect(try Question(.query, json: Array(json.utf8)) == .query(expected))
  }

  @Test func `a metric of some rows that is divided keeps its members and orders the results by its name`() throws {
    let json = """
      {"metrics": ["users", {"metric": "sum:property:Price", "of": {"event": "Purchase"}, "per": {"metric": "users"}},
        {"metric": "events", "of": {"kind": "crash", "filters": [["is", "country", ["DE"]]]}}],
       "order_by": [["sum:property:Price of event:Purchase per users", "asc"]]}
      """
    let price = QuestionMetric.property(.sum, ExactText("Price"))
    let quotient = DerivedMetric(.init(price, of: Selector(.event("Purchase"))), per: .init(.plain(.users)))
    let crashes = Selector(.kind(.crash), filters: [.isOneOf(.country, [.text("DE")])])
    let expected = QueryQuestion(
      metrics: [.plain(.users), .derived(quotient), .derived(DerivedMetric(.init(.plain(.events), of: crashes)))],
      order: [.init(.metric(1))])
    let question = try Question(.query, json: Array(json.utf8))
    #expect(question == .query(expected))
    #expect(try Question(.query, json: question.json().encoded) == question)
    #expect(expected.metrics.last?.name == #"events of crash with [["is","country",["DE"]]]"#)
  }

  @Test func `a metric over rows that tell persons apart makes the question a personal one`() throws {
    func query(_ metric: String) throws -> Question {
      try Question(.query, json: Array(#"{"metrics": [\#(metric)]}"#.utf8))
    }
    let rows = #"{"metric": "users", "of": {"any": true, "filters": [["set", "user"]]}}"#
    #expect(try query(rows).showsPersonalData)
    #expect(try query(#"{"metric": "users", "per": \#(rows)}"#).showsPersonalData)
    #expect(try !query(#"{"metric": "users", "of": {"any": true}}"#).showsPersonalData)
  }

  @Test func `a quotient is missing without a divisor, and zero without a dividend`() {
    let quotient = DerivedMetric(.init(.plain(.events)), per: .init(.plain(.users)))
    func value(_ dividend: Double?, _ divisor: Double?) -> Double? {
      quotient.value { $0.metric == .plain(.events) ? dividend : divisor }
    }
    #expect(value(3, 2) == 1.5 && value(0, 2) == 0)
    #expect(value(3, 0) == nil && value(0, 0) == nil && value(3, nil) == nil && value(nil, 2) == nil)
    #expect(value(.greatestFiniteMagnitude, .leastNonzeroMagnitude) == nil)
  }

  @Test(arguments: [
    (Question.Kind.query, #"{}"#, "$"), (.query, #"{"metrics": []}"#, "$.metrics"),
    (.query, #"{"metrics": ["users", "visits"]}"#, "$.metrics[1]"), (.query, #"{"metrics": ["users"], "x": 1}"#, "$.x"),
    (.query, #"{"metrics": ["users"], "date_range": "30"}"#, "$.date_range"),
    (.query, #"{"metrics": ["users"], "date_range": ["2026-02-30", "2026-03-01"]}"#, "$.date_range[0]"),
    (.query, #"{"metrics": ["users"], "date_range": ["2026-03-02", "2026-03-01"]}"#, "$.date_range"),
    (.query, #"{"metrics": ["users"], "order_by": [["events", "desc"]]}"#, "$.order_by[0][0]"),
    (.query, #"{"metrics": ["users"], "filters": [["is", "country", [1]]]}"#, "$.filters[0][2][0]"),
    (.query, #"{"metrics": ["users"], "filters": [["is", "country", [null]]]}"#, "$.filters[0][2][0]"),
    (.query, #"{"metrics": ["users"], "filters": [["not", ["gt", "country", 1]]]}"#, "$.filters[0][1][1]"),
    (.query, #"{"metrics": ["users"], "metrics": ["users"]}"#, "$.metrics"),
    (.query, #"{"metrics": [{"of": {"any": true}}]}"#, "$.metrics[0]"),
    (.query, #"{"metrics": [{"metric": "visits", "per": {"metric": "users"}}]}"#, "$.metrics[0].metric"),
    (.query, #"{"metrics": [{"metric": "users", "per": "sessions"}]}"#, "$.metrics[0].per"),
    (.query, #"{"metrics": [{"metric": "users", "per": {"metric": {"metric": "users"}}}]}"#, "$.metrics[0].per.metric"),
    (.query, #"{"metrics": [{"metric": "users", "of": {"events": "A"}}]}"#, "$.metrics[0].of.events"),
    (
      .query, #"{"metrics": [{"metric": "users", "of": {"any": true, "filters": [["segment", 1]]}}]}"#,
      "$.metrics[0].of.filters[0][0]"
    ),
    (.funnel, #"{"steps": [{"any": true}]}"#, "$.steps"),
    (.funnel, #"{"steps": [{"any": true}, {"event": "A", "screen": "B"}]}"#, "$.steps[1]"),
    (.funnel, #"{"steps": [{"any": true}, {"kind": "other"}]}"#, "$.steps[1].kind"),
    (.funnel, #"{"steps": [{"any": true}, {"any": true}], "window": "0d"}"#, "$.window"),
    (.funnel, #"{"steps": [{"any": true}, {"any": true}], "exclude": [{"any": true, "to": 3}]}"#, "$.exclude[0].to"),
    (
      .funnel, #"{"steps": [{"any": true}, {"any": true, "filters": [["has_not_done", {"any": true}]]}]}"#,
      "$.steps[1].filters[0][0]"
    ),
    (.retention, #"{"interval": "hour"}"#, "$.interval"), (.stickiness, #"{"interval": 1}"#, "$.interval"),
    (.paths, #"{"start": {"any": true}, "end": {"any": true}}"#, "$.end"), (.paths, #"{"depth": 1.5}"#, "$.depth"),
    (.query, #"{"metrics": ["users"],}"#, "$"), (.query, #"{"metrics": ["\ud800"]}"#, "$"), (.query, "[] ", "$"),
    (.persons, #"{"funnel": {"steps": [{"any": true}, {"any": true}]}}"#, "$.funnel"),
    (.persons, #"{"funnel": {"steps": [{"any": true}, {"any": true}], "step": 3}}"#, "$.funnel.step"),
    (
      .persons, #"{"funnel": {"steps": [{"any": true}, {"any": true}], "step": 1, "dropped": true}}"#, "$.funnel.step"
    ),
    (.persons, #"{"funnel": {"steps": [{"event": 1}, {"any": true}], "step": 1}}"#, "$.funnel.steps[0].event"),
    (.persons, #"{"cohort": {"of": "2026-10"}}"#, "$.cohort.of"),
    (.persons, #"{"cohort": {"of": "2026-10-01", "after": 9}}"#, "$.cohort.after"),
    (.persons, #"{"new": {}, "stickiness": {"intervals": 1}}"#, "$.stickiness"),
    (.persons, #"{"new": {"interval": "hour", "of": "2026-10-01"}}"#, "$.new.of"),
    (.persons, #"{"new": {"interval": "hour", "of": "2026-10-01T24:00"}}"#, "$.new.of"),
    (.persons, #"{"lifecycle": {"of": "2026-10-01", "state": "away"}}"#, "$.lifecycle.state"),
    (.persons, #"{"lifecycle": {"interval": "hour", "of": "2026-10-01", "state": "new"}}"#, "$.lifecycle.interval"),
    (.persons, #"{"stickiness": {"intervals": 0}}"#, "$.stickiness.intervals"),
    (.persons, #"{"error": {}}"#, "$.error"), (.persons, #"{"error": {"group": 0}}"#, "$.error.group"),
    (.persons, #"{"before": "7"}"#, "$.before"), (.persons, #"{"limit": 1001}"#, "$.limit"),
    (.releases, #"{"conversions": [{"event": "A"}]}"#, "$.conversions[0].event"),
    (.releases, #"{"days": 0}"#, "$.days"),
    (.releases, #"{"conversions": [{"funnel": {"steps": [{"any": true}]}}]}"#, "$.conversions[0].funnel.steps"),
    (.releases, #"{"conversions": [{}]}"#, "$.conversions[0]"),
    (.query, "01", "$"), (.query, "", "$"), (.query, "{\"metrics\": [\"users\"]} x", "$"),
  ])
  func `a fault is named by its JSON path`(kind: Question.Kind, json: String, path: String) {
    #expect(fault(kind, json)?.path == path)
  }

  @Test func `depth, size and invalid UTF-8 are refused before they cost anything`() {
    #expect(fault(.query, String(repeating: "[", count: 60_000))?.message.contains("levels deep") == true)
    #expect(fault(.query, String(repeating: " ", count: 65_537))?.message.contains("bytes") == true)
    #expect(throws: QuestionError.self) { try Question(.query, json: [0x22, 0xFF, 0x22]) }
  }

  @Test(arguments: 0..<300) func `a question as understood is the same question`(seed: Int) throws {
    let today = Day(year: 2026, month: 10, day: 31)
    var random = RandomRows(seed: UInt64(seed), first: Day(year: 2026, month: 10, day: 1))
    let interval = IntervalQuestion(scope: random.scope(), interval: .month)
    let paths = random.paths()
    var broken = random.funnel()
    broken.breakdown = .version
    let questions: [(Question.Kind, Question)] = [
      (.query, .query(random.query())), (.funnel, .funnel(random.funnel())), (.paths, .paths(random.paths())),
      (.retention, .retention(random.retention())), (.lifecycle, .lifecycle(interval)),
      (.stickiness, .stickiness(interval)), (.releases, .releases(random.releases())),
      (.persons, .persons(PersonsQuestion(scope: interval.scope, limit: 7, before: PersonsCursor(time: -1, row: 2)))),
      (.persons, .persons(persons(.funnel(random.funnel(), step: 2, dropped: true)))),
      (.persons, .persons(persons(.funnel(broken, step: 1, dropped: false, value: .some(nil))))),
      (.persons, .persons(persons(.funnel(broken, step: 2, dropped: true, value: .text("1.0"))))),
      (.persons, .persons(persons(.path(paths, random.edge(of: paths))))),
      (.persons, .persons(PersonsQuestion(scope: interval.scope, group: .new(in: nil)))),
      (
        .persons,
        .persons(PersonsQuestion(scope: interval.scope, group: .new(in: .init(.hour, "2026-10-01T07:00"))))
      ), (.persons, .persons(persons(.lifecycle(interval, of: "2026-10-01", .dormant)))),
      (.persons, .persons(persons(.stickiness(interval, intervals: 3)))),
      (.persons, .persons(PersonsQuestion(scope: interval.scope, group: .error(4_711)))),
      (.persons, .persons(persons(.cohort(random.retention(), of: "2026-10-01", after: 1)))),
    ]
    for (kind, question) in questions {
      #expect(try Question(kind, json: question.understood(today: today).encoded) == question, "seed \(seed)")
    }
  }

  /// Persons of a group, in the scope of that group.
  private func persons(_ group: PersonsQuestion.Group) -> PersonsQuestion {
    switch group {
    case .all: return PersonsQuestion()
    case .new, .error: return PersonsQuestion(group: group)
    case .lifecycle(let interval, _, _), .stickiness(let interval, _):
      return PersonsQuestion(scope: interval.scope, group: group)
    case .funnel(let funnel, _, _, _): return PersonsQuestion(scope: funnel.scope, group: group)
    case .path(let paths, _): return PersonsQuestion(scope: paths.scope, group: group)
    case .cohort(var cohort, let first, let after):
      cohort.interval = .month
      return PersonsQuestion(scope: cohort.scope, group: .cohort(cohort, of: first, after: after))
    }
  }

  @Test func `the cohort of a day is that of its interval`() throws {
    let json = #"{"cohort": {"interval": "week", "of": "2026-10-29"}}"#
    guard case .persons(let question) = try Question(.persons, json: Array(json.utf8)),
      case .cohort(_, let first, 0) = question.group
    else {
      Issue.record("Not a cohort")
      return
    }
    #expect(first == "2026-10-26")
  }

  @Test func `a segment stands for its filters, and is part of no other`() throws {
    let segments = SegmentFilters([3: Array(#"[["is", "country", ["DE"]], ["set", "user"]]"#.utf8)])
    func question(_ filter: String) throws -> Question {
      try Question(.query, json: Array(#"{"metrics": ["users"], "filters": [\#(filter)]}"#.utf8), segments: segments)
    }
    let segment = try question(#"["segment", 3]"#)
    #expect(segment == (try question(#"["and", [["is", "country", ["DE"]], ["set", "user"]]]"#)))
    #expect(segment.showsPersonalData)
    #expect(throws: Never.self) { try question(#"["not", ["segment", 3]]"#) }
    for (filter, path) in [(#"["segment", 4]"#, "$.filters[0][1]"), (#"["segment", "3"]"#, "$.filters[0][1]")] {
      let error = #expect(throws: QuestionError.self) { try question(filter) }
      #expect(error?.path == path, "\(filter)")
    }
    #expect(throws: QuestionError.self) { try SegmentFilters.checked(Array(#"[["segment", 3]]"#.utf8)) }
    #expect(throws: QuestionError.self) { try SegmentFilters.checked(Array("[]".utf8)) }
  }
}
