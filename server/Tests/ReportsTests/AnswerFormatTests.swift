import Foundation
import Ingest
import Questions
import ReportsTestSupport
import ServerBase
import Testing
import Warehouse

@testable import Reports

@Suite struct AnswerFormatTests {
  private func text(_ kind: Question.Kind, _ format: AnswerFormat) throws -> String {
    let answered = try #require(
      AnsweredQuestion(SampleAnswers.question(kind), SampleAnswers.result(kind), milliseconds: 3))
    return String(decoding: Array(answered.document(format).joined()), as: UTF8.self)
  }

  @Test func `an answer about days whose rows are gone says since when rows are kept`() throws {
    let question = SampleAnswers.question(.funnel)
    guard case .dates(let first, _) = question.scope.range else { throw QuestionError("No dates.", at: "$") }
    for (kept, isSaid) in [(first.advanced(by: 1), true), (first, false)] {
      var result = SampleAnswers.result(.funnel)
      result.firstKeptDay = kept
      let answered = try #require(AnsweredQuestion(question, result, milliseconds: 3))
      let text = String(decoding: Array(answered.document(.json).joined()), as: UTF8.self)
      #expect(text.contains(#""rows_kept_since":"\#(kept)""#) == isSaid)
      #expect(answered.firstKeptDay == (isSaid ? kept : nil))
    }
  }

  @Test func `an answer with session durations says once that pauses are left out, and others say nothing`() throws {
    for (metrics, isSaid) in [
      ([QuestionMetric.Plain.users, .sessionDurationMedian, .sessionDurationP90], true), ([.sessions], false),
    ] {
      let question = Question.query(QueryQuestion(metrics: metrics.map { .plain($0) }))
      let answered = try #require(
        AnsweredQuestion(
          question.resolved(today: Day(number: 9)), QuestionResult(.query(QueryAnswer()), rowsRead: 0), milliseconds: 0)
      )
      let note = "Session durations: Pauses of 30 minutes and more are left out."
      #expect(answered.notes == (isSaid ? [note] : []))
      let json = String(decoding: Array(answered.document(.json).joined()), as: UTF8.self)
      #expect(json.contains(#","notes":["\#(note)"]}"#) == isSaid)
    }
  }

  /// The hostile text as JSON.
  private static let hostile = #""=cmd|'\"<script>alert(1)</script>, \#u{202E}😀\n""#

  private static let days = #""date_range":["2026-10-26","2026-10-28"],"filters":[],"by":"install"}}"# + "\n"

  @Test(arguments: [
    (
      Question.Kind.query,
      #"{"results":[{"dimensions":["2026-10-26",\#(hostile)],"metrics":[812,0.1],"compared":[790,null]},"#
        + #"{"dimensions":["2026-10-27",2.5],"metrics":[9007199254740991,null],"compared":[0,1e-07]},"#
        + #"{"dimensions":["2026-10-28",null],"metrics":[0,null],"compared":[null,null]}],"#
        + #""totals":[812,0.1],"compared_totals":[790,null],"meta":{"time_labels":["2026-10-26","2026-10-27","#
        + #""2026-10-28"],"total_rows":3,"rows_read":42,"milliseconds":3},"query":{"metrics":["users","#
        + #""avg:property:Length"],"dimensions":["time:day","property:Genre"],"order_by":[],"compare":"#
        + #""previous_period","include":["totals","time_labels","total_rows"],"pagination":{"limit":100000,"#
        + #""offset":0},"#
    ),
    (
      .funnel,
      #"{"results":[{"breakdown":null,"steps":[{"persons":2,"from_first":1,"from_previous":1,"median_seconds":null,"#
        + #""average_seconds":null},{"persons":1,"from_first":0.5,"from_previous":0.5,"median_seconds":2.5,"#
        + #""average_seconds":2.5}]}],"meta":{"rows_read":42,"milliseconds":3},"query":{"steps":[{"screen":"Home"},"#
        + #"{"event":"Play"}],"order":"ordered","window":"20160m","exclude":[],"breakdown":null,"breakdown_step":"first","#
    ),
    (
      .retention,
      #"{"results":[{"cohort":"2026-10-26","breakdown":null,"partial":false,"values":[10,4,1]},{"cohort":"2026-10-27","breakdown":"#
        + #"null,"partial":false,"values":[3,0,0]}],"meta":{"partial":["2026-10-28"],"rows_read":42,"milliseconds":3},"query":{"#
        + #""start":{"any":true},"return":{"any":true},"interval":"day","intervals":2,"cohort":"first_ever","mode":"#
        + #""on","breakdown":null,"#
    ),
    (
      .paths,
      #"{"results":[{"step":1,"from":{"screen":"Home"},"to":{"event":\#(hostile)},"sessions":5}],"other":[2],"#
        + #""ended":[1,7],"meta":{"rows_read":42,"milliseconds":3},"query":{"nodes":"screens","depth":5,"limit":50,"#
    ),
    (
      .lifecycle,
      #"{"results":[{"interval":"2026-10-26","new":1,"returning":2,"resurrected":3,"dormant":4}],"meta":{"rows_read":"#
        + #"42,"milliseconds":3},"query":{"interval":"day","#
    ),
    (
      .stickiness,
      #"{"results":[{"intervals":1,"persons":5},{"intervals":2,"persons":0},{"intervals":3,"persons":2}],"meta":{"#
        + #""rows_read":42,"milliseconds":3},"query":{"interval":"day","#
    ),
    (
      .persons,
      #"{"results":[{"install":"7","user":\#(hostile),"first_seen":"2026-09-21T14:13:20.000Z","last_seen":"#
        + #""2026-10-27T11:20:00.000Z","events":12,"sessions":3,"version":"3.2.0 (418)","model":"iPhone17,1","#
        + #""country":"DE"},{"install":"8","user":null,"first_seen":"2026-10-26T07:33:20.000Z","last_seen":"#
        + #""2026-10-26T07:33:20.000Z","events":0,"sessions":0,"version":null,"model":null,"country":null}],"meta":{"#
        + #""total":9,"next":"1793000000000-3","rows_read":42,"milliseconds":3,"rows_left_out":7},"query":{"limit":2,"before":null,"#
    ),
  ])
  func `an answer has results, meta and the question as understood`(kind: Question.Kind, start: String) throws {
    let json = try text(kind, .json)
    #expect(json == start + Self.days)
    #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(json.utf8)) }
  }

  @Test func `releases have figures with their bounds, and differences at equal age`() throws {
    let json = try text(.releases, .json)
    #expect(
      json.contains(
        #""adoption":[0.01,0.25,null],"new_errors":[4,7,11],"users":400,"sessions":900,"crash_free_users":{"part":392,"#
          + #""of":400,"value":0.98,"low":0."#))
    #expect(json.contains(#""compared":{"previous":"1.9 (7)","days":2,"release":{"users":400"#))
    #expect(json.contains(#"{"part":20,"of":50,"value":0.4,"#) && json.contains(#""few":true"#))
    #expect(json.contains(#"{"sum":500,"users":400,"value":1.25,"#) && json.contains(#""is_clear":true}"#))
    #expect(json.contains(#""version":"1.9 (7)","first_day":null,"#) && json.contains(#""compared":null}"#))
    #expect(
      json.contains(
        #""meta":{"days":["2026-10-26","2026-10-27","2026-10-28"],"day_users":[400,400,0],"other_users":[10,5,0],"#))
    #expect(
      json.contains(
        #""query":{"conversions":[{"funnel":{"steps":[{"screen":"Home"},{"event":"Play"}],"order":"ordered","#))
    let lines = try text(.releases, .csv).components(separatedBy: "\r\n")
    #expect(
      lines[0].hasPrefix(
        "version,first_day,adoption,users,sessions,new_errors,crash_free_users,crash_free_users:low,crash_free_users:high,"
          + "crash_free_users:few,crash_free_sessions,"))
    #expect(lines[0].hasSuffix("difference:conversion_2,difference:conversion_2:low,difference:conversion_2:high"))
    let old = try #require(lines.first { $0.hasPrefix("1.9 (7),,0.75,400,900,0,0.99") })
    #expect(old.split(separator: ",", omittingEmptySubsequences: false).count == lines[0].split(separator: ",").count)
  }

  @Test func `rows are flat objects in one array`() throws {
    #expect(
      try text(.query, .rows)
        == #"[{"time:day":"2026-10-26","property:Genre":\#(Self.hostile),"users":812,"avg:property:Length":0.1,"#
        + #""previous:users":790,"previous:avg:property:Length":null},"# + "\n"
        + #"{"time:day":"2026-10-27","property:Genre":2.5,"users":9007199254740991,"avg:property:Length":null,"#
        + #""previous:users":0,"previous:avg:property:Length":1.0e-07},"# + "\n"
        + #"{"time:day":"2026-10-28","property:Genre":null,"users":0,"avg:property:Length":null,"#
        + #""previous:users":null,"previous:avg:property:Length":null}]"# + "\n")
  }

  @Test func `CSV has a header line, and no cell that a spreadsheet executes`() throws {
    #expect(
      try text(.query, .csv)
        == "time:day,property:Genre,users,avg:property:Length,previous:users,previous:avg:property:Length\r\n"
        + "2026-10-26,\"'=cmd|'\"\"<script>alert(1)</script>, \u{202E}\u{1F600}\n\",812,0.1,790,\r\n"
        + "2026-10-27,2.5,9007199254740991,,0,1.0e-07\r\n2026-10-28,,0,,,\r\n")
  }

  @Test func `figures that are fractions have a point in each row, and counts in none`() throws {
    #expect(
      try text(.funnel, .csv) == "step,persons,from_first,from_previous,median_seconds,average_seconds\r\n"
        + "1,2,1.0,1.0,,\r\n2,1,0.5,0.5,2.5,2.5\r\n")
    let question = Question.query(
      QueryQuestion(metrics: [.plain(.events), .plain(.crashFreeUsers), .property(.sum, ExactText("n"))]))
    var answer = QueryAnswer()
    answer.rows = [.init(dimensions: [], metrics: [875, 1, 0.875]), .init(dimensions: [], metrics: [1, 0, 3])]
    let answered = try #require(
      AnsweredQuestion(
        question.resolved(today: Day(number: 9)), QuestionResult(.query(answer), rowsRead: 2), milliseconds: 0))
    func file(_ format: AnswerFormat, _ csv: CSVStyle = CSVStyle()) -> String {
      String(decoding: Array(answered.document(format, csv).joined()), as: UTF8.self)
    }
    #expect(file(.csv) == "events,crash_free_users,sum:property:n\r\n875,1.0,0.8750\r\n1,0.0,3.0\r\n")
    #expect(
      file(.csv, CSVStyle(decimal: .comma))
        == "\u{FEFF}events;crash_free_users;sum:property:n\r\n875;1,0;0,8750\r\n1;0,0;3,0\r\n")
    #expect(
      file(.ndjson) == #"{"events":875,"crash_free_users":1.0,"sum:property:n":0.8750}"# + "\n"
        + #"{"events":1,"crash_free_users":0.0,"sum:property:n":3.0}"# + "\n")
    // JSON has one type of numbers, and the answer's members no columns.
    #expect(file(.json).hasPrefix(#"{"results":[{"dimensions":[],"metrics":[875,1,0.875]}"#))
  }

  @Test func `CSV marks the cohorts of parts of weeks, and the figures of whole cohorts in such a week`() throws {
    let question = Question.retention(
      RetentionQuestion(scope: SampleAnswers.question(.retention).scope, interval: .week, intervals: 2))
    let answer = RetentionAnswer(
      cohorts: [
        .init(value: nil, interval: "2026-10-26", values: [8, 2, 1]),
        .init(value: nil, interval: "2026-11-02", values: [24, 6, 3]),
        .init(value: nil, interval: "2026-11-09", values: [20, 5]),
      ], partial: ["2026-10-26", "2026-11-16"])
    let answered = try #require(
      AnsweredQuestion(question, QuestionResult(.retention(answer), rowsRead: 9), milliseconds: 1))
    #expect(
      String(decoding: Array(answered.document(.csv).joined()), as: UTF8.self)
        == "cohort,size,after,persons,partial\r\n"
        + "2026-10-26,8,0,8,cohort\r\n2026-10-26,8,1,2,cohort\r\n2026-10-26,8,2,1,cohort\r\n"
        + "2026-11-02,24,0,24,\r\n2026-11-02,24,1,6,\r\n2026-11-02,24,2,3,interval\r\n"
        + "2026-11-09,20,0,20,\r\n2026-11-09,20,1,5,interval\r\n")
  }

  @Test func `each line of NDJSON is a row`() throws {
    #expect(
      try text(.paths, .ndjson)
        == #"{"row":"edge","step":1,"from_kind":"screen","from":"Home","to_kind":"event","to":\#(Self.hostile),"#
        + #""sessions":5}"# + "\n" + Self.path("other", 1, 2) + Self.path("ended", 1, 1) + Self.path("ended", 2, 7))
  }

  private static func path(_ row: String, _ step: Int, _ sessions: Int) -> String {
    #"{"row":"\#(row)","step":\#(step),"from_kind":null,"from":null,"to_kind":null,"to":null,"#
      + #""sessions":\#(sessions)}"# + "\n"
  }

  @Test(arguments: AnswerFormat.allCases) func `an empty answer is a whole document`(format: AnswerFormat) throws {
    let answered = try #require(
      AnsweredQuestion(
        SampleAnswers.question(.query), QuestionResult(.query(QueryAnswer()), rowsRead: 0), milliseconds: 0))
    let text = String(decoding: Array(answered.document(format).joined()), as: UTF8.self)
    switch format {
    case .json: #expect(text.hasPrefix(#"{"results":[],"meta":{"rows_read":0"#))
    case .rows: #expect(text == "[]\n")
    case .csv: #expect(text.hasSuffix(",previous:avg:property:Length\r\n"))
    case .ndjson: #expect(text == "")
    }
  }

  @Test(arguments: AnswerFormat.allCases)
  func `a large answer comes in parts that make one document`(format: AnswerFormat) throws {
    var answer = QueryAnswer()
    answer.rows = (0..<5_000).map { .init(dimensions: [.number(Double($0)), nil], metrics: [1, 2]) }
    let answered = try #require(
      AnsweredQuestion(
        SampleAnswers.question(.query), QuestionResult(.query(answer), rowsRead: 0), milliseconds: 0))
    let parts = Array(answered.document(format))
    #expect(parts.count > 1)
    #expect(parts.allSatisfy { $0.count < 40_000 })
    let text = Array(parts.joined())
    switch format {
    case .json, .rows:
      let value = try JSONSerialization.jsonObject(with: Data(text))
      let rows = (value as? [String: Any])?["results"] as? [Any] ?? value as? [Any]
      #expect(rows?.count == 5_000)
    case .csv, .ndjson: #expect(text.count { $0 == UInt8(ascii: "\n") } == (format == .csv ? 5_001 : 5_000))
    }
  }

  @Test func `an answer of another kind than the question is none`() {
    #expect(
      AnsweredQuestion(SampleAnswers.question(.funnel), SampleAnswers.result(.paths), milliseconds: 0) == nil)
  }

  @Test func `the rows of a person have exact numbers and no times without a zone`() throws {
    let json = String(decoding: try TrailJSON.document(SampleAnswers.trail("a\"b"), limit: 2), as: UTF8.self)
    #expect(
      json
        == #"{"results":[{"id":4711,"kind":"crash","time":"2026-05-30T10:00:00.250Z","received":"#
        + #""2026-05-30T10:00:01.000Z","name":"a\"b","user":"a\"b","version":"a\"b","os":"a\"b","model":"a\"b","#
        + #""country":"a\"b","language":null,"session":"9007199254740993","startsSession":false,"properties":{"#
        + #""a\"b":"a\"b","n":2,"big":9223372036854775807,"at":"1970-01-01T00:00:00.000Z"}},{"id":4700,"kind":"#
        + #""session_start","time":"2026-05-30T09:58:20.000Z","received":"2026-05-30T09:58:21.000Z","name":null,"#
        + #""user":null,"version":"1.0","os":"a\"b","model":"a\"b","country":"a\"b","language":null,"session":"#
        + #""9007199254740993","startsSession":true,"properties":{}}],"meta":{"next":"1780135100000-4700"}}"#)
    #expect(
      String(decoding: try TrailJSON.document([], limit: 2), as: UTF8.self) == #"{"results":[],"meta":{"next":null}}"#)
  }
}
