import Testing

@testable import ClickHouse

@Suite struct StatementSettingsTests {
  @Test func `a server gets those settings that it knows, until it is forgotten`() throws {
    let settings = StatementSettings()
    let (server, other) = (try ClickHouseServer("http://a"), try ClickHouseServer("http://b"))
    #expect(settings.known(by: server) == nil)
    let noted = settings.note(Array("limit\nasync_insert\r\nunheard_of\n".utf8), from: server)
    #expect(noted == ["limit": "0", "async_insert": "0"])
    #expect(settings.known(by: server) == noted && settings.known(by: other) == nil)
    settings.forget(server)
    #expect(settings.known(by: server) == nil)
  }

  @Test func `the question for names has the settings without which it may be answered in part`() {
    #expect(StatementSettings.forNames.count == 9)
    for name in StatementSettings.values.keys { #expect(StatementSettings.names.contains("'\(name)'")) }
  }

  @Test func `a refused setting is the first one that the error names`() {
    let settings = StatementSettings.forNames
    func refused(_ text: String, _ exception: Int?) -> String? {
      StatementSettings.refused(ClickHouseError(.refused, text, exception: exception), of: settings)
    }
    #expect(refused("http://a answered 404: Unknown setting 'offset': maybe you meant ['limit']", 115) == "offset")
    #expect(
      refused("Code: 115, e.displayText() = DB::Exception: Unknown setting use_query_cache", 115) == "use_query_cache")
    #expect(
      refused("http://limit-db answered 404, exception 115: Code: 115. Unknown setting 'offset'", 115) == "offset")
    #expect(refused("Unknown setting 'read_overflow_mode_leaf', not read_overflow_mode", 115) == "read_overflow_mode")
    #expect(refused("Unknown setting 'tern_fault'", 115) == nil)
    #expect(refused("Unknown setting 'offset'", 60) == nil && refused("Unknown setting 'offset'", nil) == nil)
  }
}
