import Ingest
import Questions
import TernEvents
import Testing
import Warehouse

@testable import Reports

/// Filters of single rows on the live page.
struct RowFilterTests {
  private static let row = StoredEvent(
    id: 1, kind: .event, name: "Purchase", time: Timestamp(millisecondsSince1970: 0),
    received: Timestamp(millisecondsSince1970: 0), install: 7, user: "ann",
    device: IncomingDevice(
      osName: "iOS", osVersion: "26.1", model: "iPhone17,1", locale: "de_DE", country: "DE", appVersion: "3.3.0",
      appBuild: "440"),
    properties: [
      .init(name: "Length", value: .integer(3)), .init(name: "HD", value: .boolean(true)),
      .init(name: "Genre", value: .string("Drama")), .init(name: "Genre", value: .string("Comedy")),
    ])

  @Test(arguments: [
    ([#"["is", "event", ["Purchase"]]"#, #"["is_not", "event", ["Play"]]"#], true),
    ([#"["is", "screen", ["Purchase"]]"#], false), ([#"["not_set", "screen"]"#, #"["is", "kind", ["event"]]"#], true),
    ([#"["is", "version", ["3.3.0 (440)"]]"#, #"["is", "os", ["iOS 26.1"]]"#, #"["is", "language", ["de"]]"#], true),
    ([#"["is", "country", ["FR", "DE"]]"#, #"["contains", "model", ["17"]]"#, #"["is", "user", ["ann"]]"#], true),
    ([#"["is", "country", ["FR"]]"#], false), ([#"["set", "user"]"#, #"["not_set", "property:None"]"#], true),
    ([#"["is", "property:Length", ["3", 3]]"#, #"["gte", "property:Length", 3]"#], true),
    ([#"["gt", "property:Length", 3]"#], false), ([#"["is", "property:HD", [true]]"#], true),
    ([#"["is", "property:Genre", ["Drama"]]"#], false), ([#"["is", "property:Genre", ["Comedy"]]"#], true),
    ([#"["not", ["is", "country", ["DE"]]]"#], false),
    ([#"["or", [["is", "country", ["FR"]], ["is", "version", ["3.3.0 (440)"]]]]"#], true),
  ])
  func `a row passes as it does in questions`(filters: [String], passes: Bool) throws {
    let filter = RowFilter(
      try ReportFilter(json: "[\(filters.joined(separator: ", "))]").filters([]))
    #expect(filter.unanswered.isEmpty)
    #expect(filter.passes(Self.row) == passes, "\(filters)")
  }

  @Test(arguments: [
    #"["is", "install", ["7"]]"#, #"["is", "time:day", ["2026-01-01"]]"#, #"["has_done", {"event": "Play"}]"#,
    #"["not", ["has_done", {"event": "Play"}]]"#,
  ])
  func `what needs more than a row is named, and all rows pass it`(filter: String) throws {
    let filter = RowFilter(try ReportFilter(json: "[\(filter)]").filters([]))
    #expect(filter.unanswered.count == 1 && filter.passes(Self.row))
  }
}
