import Foundation
import Tern
import TernTestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct `Properties of an event` {
  @Test func `accept variables of all common types`() async throws {
    let harness = try TestHarness()
    let tern = try harness.client { $0.sessions = .manual }
    let text = "Music"
    let count = 7
    let length: Float = 12.5
    let isHD = true
    let added = Date(timeIntervalSince1970: 1_740_694_200.25)
    tern.track("Mixed", ["Category": text, "Part": text.prefix(2), "Count": count, "Length": length, "HD": isHD])
    tern.track("Dated", ["Added": added, "Big": UInt64.max, "Small": Int8(-3)], priority: .critical)
    tern.screen("Library", ["Rows": count])
    let given: [String: String] = ["A": "1"]
    tern.track("Given", Properties(given))
    await tern.flush()
    let events = Dictionary(uniqueKeysWithValues: harness.transport.received.map { ($0.name, $0.properties) })
    #expect(
      events["Mixed"] == ["Category": "Music", "Part": "Mu", "Count": 7, "Length": 12.5, "HD": true]
        as [String: PropertyValue])
    #expect(
      events["Dated"] == [
        "Added": .date(Timestamp(millisecondsSince1970: 1_740_694_200_250)), "Big": .double(18_446_744_073_709_551_616),
        "Small": -3,
      ])
    #expect(events["Library"] == ["Rows": 7] as [String: PropertyValue])
    #expect(events["Given"] == ["A": "1"] as [String: PropertyValue])
    await tern.shutdown()
  }

  @Test func `keep their order in a literal`() async throws {
    let harness = try TestHarness()
    let tern = try harness.client { $0.sessions = .manual }
    tern.track("A", ["Z": 1, "A": "x", "M": 2.5, "B": false])
    await tern.flush()
    let line = String(decoding: harness.transport.requests[0].body, as: UTF8.self)
    #expect(line.contains(#""properties":{"Z":1,"A":"x","M":2.5,"B":false}"#))
    await tern.shutdown()
  }

  @Test(arguments: [
    (0, 0), (-0.0004, 0), (1e300, Int64.max), (-1e300, .min), (.infinity, .max), (-.infinity, .min), (.nan, 0),
  ])
  func `accept any date`(seconds: Double, milliseconds: Int64) {
    #expect(Timestamp(Date(timeIntervalSince1970: seconds)).millisecondsSince1970 == milliseconds)
  }
}
