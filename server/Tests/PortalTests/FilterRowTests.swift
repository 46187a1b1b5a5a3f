import Ingest
import JSON
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

  @Test func `a filter of an address says the same in one text`() {
    for value in ["", "DE", "is not", "a  b", "\"", "\u{301}", "x is y"] {
      for comparison in FilterRow.comparisons.map(\.0) {
        for dimension in ["country", "property:Length", "property:A key", "property:\"\u{301} is", "property:a\"b", ""]
        {
          var row = FilterRow(dimension: dimension, comparison: comparison, value: value)
          if !row.takesValue { row.value = "" }
          #expect(FilterRow(text: row.text) == row, "\(row.text)")
        }
      }
    }
    #expect(
      FilterRow(dimension: "version", comparison: "is_not", value: "3.3.0 (440)").text == "version is_not 3.3.0 (440)")
    #expect(FilterRow(text: "country Germany") == FilterRow(dimension: "country", comparison: "is", value: "Germany"))
  }

  @Test(arguments: [
    (QuestionValue.number(1), "property:Plan is_number 1", #"["is","property:Plan",[1]]"#),
    (.text("1"), "property:Plan is_text 1", #"["is","property:Plan",["1"]]"#),
    (.text("Pro"), "property:Plan is Pro", #"["is","property:Plan",["Pro"]]"#),
    (.number(2.5), "property:Plan is_number 2.5", #"["is","property:Plan",[2.5]]"#),
    (nil, "property:Plan not_set", #"["not_set","property:Plan"]"#),
  ])
  func `the number and the text of a property are two values`(value: QuestionValue?, text: String, json: String) throws
  {
    let row = FilterRow("property:Plan", of: value)
    #expect(row.text == text && row.fault == nil)
    #expect(try row.json == tree(json))
    #expect(try FilterRow(tree(json)) == row, "it is a row of the form again")
  }

  @Test func `a typed number means both, and a type needs a property`() throws {
    let typed = FilterRow(dimension: "property:Plan", comparison: "is", value: "1")
    #expect(try typed.json == tree(#"["is","property:Plan",["1",1]]"#))
    #expect(FilterRow(typed.json) == typed)
    #expect(FilterRow("version", of: .text("1")).text == "version is 1")
    #expect(FilterRow(dimension: "version", comparison: "is_text", value: "1").fault != nil)
    let word = FilterRow(dimension: "property:Plan", comparison: "is_number", value: "one")
    #expect(word.fault == "Enter a number, such as 10.")
    let filters = FilterRows([FilterRow("property:Plan", of: .number(1))])
    let text = FilterRow("property:Plan", of: .text("1"))
    #expect(filters.adding(text)?.rows == [text], "a click on the other value replaces it")
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
    let joined = #"[["is","version",["3.3.0 (440)"]],["is","country",["DE","FR"]],["not",["set","user"]]]"#
    #expect(try tree(merged["filters"] ?? "") == (try tree(joined)))
  }

  @Test func `filters beyond the rows of the form are kept`() throws {
    let filters = JSONTree.array(
      (1...22).map { FilterRow(dimension: "country", comparison: "is_not", value: "\($0)").json })
    let rows = FilterRows(json: String(decoding: filters.encoded, as: UTF8.self))
    #expect(rows.rows.map(\.value) == (1...20).map(String.init) && rows.others.count == 2)
    #expect(rows.json == String(decoding: filters.encoded, as: UTF8.self))
  }

  @Test func `an address without rows is left as it is`() {
    #expect(FilterRows.merged(["days": "7", "filters": "x", "f1": "", "v1": "y"])["filters"] == "x")
    #expect(FilterRows(json: "{").rows.isEmpty)
  }

  @Test func `a country is understood by its name, too`() {
    for (value, code) in [("Germany", "DE"), ("brazil", "BR"), ("DE", "DE"), ("Atlantis", "Atlantis"), ("", "")] {
      #expect(FilterRow(dimension: "country", comparison: "is", value: value).value == code)
    }
    #expect(FilterRow(dimension: "country", comparison: "contains", value: "Germany").value == "Germany")
    #expect(FilterRow(dimension: "event", comparison: "is", value: "Germany").value == "Germany")
  }
}
