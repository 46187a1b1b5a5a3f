import Ingest
import Questions
import Testing

@testable import Portal

struct FilterRowTests {
  private func tree(_ json: String) throws -> JSONTree { try JSONTree(parsing: Array(json.utf8)) }

  @Test func `every filter that a row can say becomes the same filter again`() throws {
    for value in ["", "DE", "3", "-2.5", "1e400", "𝄞", "a\"b"] {
      for comparison in FilterRow.comparisons.map(\.0) {
        for dimension in ["country", "property:Length"] {
          let row = FilterRow(dimension: dimension, comparison: comparison, value: value)
          let again = try #require(FilterRow(row.json), "\(row)")
          #expect(again.json == row.json, "\(row)")
        }
      }
    }
  }

  @Test func `filters that need more than a row stay as they are`() throws {
    let filters = #"[["is","country",["DE","FR"]],["not",["set","user"]],["is","version",["3.3.0 (440)"]]]"#
    let rows = FilterRows(json: filters)
    #expect(rows.rows == [FilterRow(dimension: "version", comparison: "is", value: "3.3.0 (440)")])
    #expect(rows.others.count == 2)
    let merged = FilterRows.merged([
      "filters": String(decoding: JSONTree.array(rows.others).encoded, as: UTF8.self), "f1": "version", "o1": "is",
      "v1": "3.3.0 (440)",
    ])
    #expect(try tree(merged["filters"] ?? "") == (try tree(filters)))
  }

  @Test func `filters beyond the rows of the form are kept`() throws {
    let filters = JSONTree.array(
      (1...7).map { FilterRow(dimension: "country", comparison: "is_not", value: "\($0)").json })
    let rows = FilterRows(json: String(decoding: filters.encoded, as: UTF8.self))
    #expect(rows.rows.map(\.value) == ["1", "2", "3", "4", "5"] && rows.others.count == 2 && rows.fields.count == 5)
  }

  @Test func `an address without rows is left as it is`() {
    #expect(FilterRows.merged(["days": "7", "filters": "x", "f1": "", "v1": "y"])["filters"] == "x")
    #expect(FilterRows(json: "{").rows.isEmpty)
  }
}
