import JSON
import Questions
import Testing

/// The values that questions name, and those that may have been meant.
struct NamedValueTests {
  @Test func `the names of a question are found with their paths`() throws {
    let json = #"""
      {"steps": [{"event": "Library"}, {"screen": "Home", "filters": [["is_not", "version", ["1.0", "2.0"]]]}],
       "filters": [["or", [["is", "country", ["DE"]], ["contains", "model", ["iPhone"]]]], ["segment", 3],
         ["has_done", {"event": "Play"}, {"at_least": 2}], ["gt", "property:Length", 10], ["is", "install", ["7"]],
         ["is", "property:Genre", ["property:x"]]],
       "metrics": ["users", "avg:property:Size"], "breakdown": "property:Plan", "date_range": "7d"}
      """#
    let found = try JSONTree(parsing: Array(json.utf8)).namedValues
    let expected: [(NamedValue, String)] = [
      (NamedValue(.event, "Library"), "$.steps[0].event"), (NamedValue(.screen, "Home"), "$.steps[1].screen"),
      (NamedValue(.version, "1.0"), "$.steps[1].filters[0][2][0]"),
      (NamedValue(.version, "2.0"), "$.steps[1].filters[0][2][1]"),
      (NamedValue(.country, "DE"), "$.filters[0][1][0][2][0]"), (NamedValue(.event, "Play"), "$.filters[2][1].event"),
      (NamedValue(.property, "Length"), "$.filters[3][1]"), (NamedValue(.property, "Genre"), "$.filters[5][1]"),
      (NamedValue(.property, "Size"), "$.metrics[1]"), (NamedValue(.property, "Plan"), "$.breakdown"),
    ]
    #expect(found.map(\.value) == expected.map(\.0))
    #expect(found.map(\.path) == expected.map(\.1))
  }

  @Test(arguments: [
    ("purchase", ["Purchase"]), ("Purchsae", ["Purchase"]), ("Purchases", ["Purchase"]), ("3.3.0", ["3.3.0 (440)"]),
    ("Pay", ["Payment", "Play"]), ("PLAY", ["Play", "Player"]), ("Logout", []), ("", []),
  ])
  func `similar names are those with other capitals, with the same beginning, and with few other letters`(
    name: String, expected: [String]
  ) {
    let known = ["Player", "Play", "Purchase", "Payment", "3.3.0 (440)", "3.2.0 (418)"]
    #expect(NearestNames.nearest(to: name, among: known).prefix(expected.count) == expected[...])
    #expect(NearestNames.nearest(to: name, among: known).isEmpty == expected.isEmpty)
  }

  @Test func `the error names the value, its place and what may have been meant`() throws {
    let value = NamedValue(.event, "Purchse")
    let error = QuestionError.unknown(
      [(NamedValue(.event, "Play"), "$.a"), (value, "$.steps[1].event")], [value: ["Purchase", "Purchased"]])
    #expect(error?.path == "$.steps[1].event" && error?.code == .unknownValue)
    #expect(
      error?.message == "This app has never had an event named “Purchse”. Did you mean “Purchase” or “Purchased”?")
    let country = NamedValue(.country, "Germny").words(nearest: []) { $0 }
    #expect(country == "This app has never had the country “Germny”. Countries have codes of two letters, such as DE.")
  }
}
