import CTernJSON
import TernEvents
import Testing

@testable import Ingest

/// Tests protocols as tables of members, and the limits that apply to all of them.
@Suite struct WireFormatTests {
  @Test func `a further protocol needs only a table`() throws {
    let format = WireFormat(
      list: "events",
      record: [
        .text("event_name", .name), .value("at", .time), .text("client", .install), .block("platform", .device),
        .properties("params"),
      ],
      block: [.blockText("system", .osName), .blockText("release", .appVersion)], date: "when")
    let body =
      #"{"sent":1,"events":[{"event_name":"A","at":5,"client":"c","platform":{"system":"iOS","release":3},"#
      + #""params":{"p":1.5,"d":{"when":7}},"name":"no"},{"event_name":"B","platform":{"system":"iOS","release":3}}]}"#
    let read = try withBytes(of: Array(body.utf8)) { (bytes) throws(IngestError) in
      try withRecords(of: bytes, format: format, limits: .native) { (result) throws(IngestError) in
        let records = result.recordList
        #expect(records.map { $0.name.string(limit: 9) } == ["A", "B"])
        #expect(records[0].time.integer == 5 && records[0].install.string(limit: 9) == "c")
        #expect(records.map(\.device) == [0, 0] && result.blockList.count == 1)
        #expect(result.blockList[0].osName.string(limit: 9) == "iOS")
        #expect(result.blockList[0].appVersion.string(limit: 9) == "3")
        let properties = result.properties(of: records[0])
        #expect(properties.map { $0.name.string(limit: 9) } == ["p", "d"])
        #expect(UInt32(properties[1].value.kind) == TERN_VALUE_DATE.rawValue && properties[1].value.integer == 7)
        return records.count
      }
    }
    #expect(read == 2)
  }

  @Test func `brackets in texts do not count as nesting, whatever the size of the body`() throws {
    let brackets = String(repeating: "[", count: 300_000)
    let log = eventLog("A", id: uuid(1), more: #","x":"\"\#(brackets)\\","y":"\#(brackets)""#)
    let batch = try parseLogs(logs(log, eventLog("B", id: uuid(2)))).batch
    #expect(batch.names(.event) == ["A", "B"] && batch.rejections.isEmpty)
  }

  @Test func `a log nested far too deeply is lost with the logs after it, but none before it`() throws {
    let first = eventLog("A", id: uuid(1))
    for (depth, names) in [(60_000, ["A", "B"]), (70_000, ["A"]), (4 << 20, ["A"])] {
      let deep = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
      let batch = try parseLogs(Array(#"{"logs":[\#(first),\#(deep),\#(eventLog("B", id: uuid(2)))]}"#.utf8)).batch
      #expect(batch.names(.event) == names)
      #expect(batch.reasons == ["not_json"] && batch.rejections.map(\.index) == [1])
    }
  }

  @Test(arguments: [2_000, 200_000]) func `a line nested too deeply is located`(depth: Int) throws {
    let error = #expect(throws: IngestError.self) {
      try parseLines("\n" + #"{"a":"# + String(repeating: "[", count: depth))
    }
    #expect(error?.code == .malformed && error?.index == 1 && error?.message.contains("nested too deeply") == true)
    #expect(abs((error?.position ?? 0) - 1_029) <= 1)
  }
}
