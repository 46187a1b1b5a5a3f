import Ingest
import TernEvents
import Testing

@Suite struct `Contexts of a native request` {
  private static let other = "9b2d9f4e-0f7e-4c4a-8d4f-1f5f5a2b7c11"

  private func context(_ members: String) -> String { #"{"context":{\#(members)}}"# }

  private func line(_ number: Int, _ members: String = "") -> String {
    #"{"id":"\#(uuid(number))","time":\#(testTime.millisecondsSince1970),"type":"event","name":"A"\#(members)}"#
  }

  private var shared: String {
    #""install":"\#(testInstall)","session":"\#(testSession)","user":"user-7","boot":"b","#
      + #""device":{"osName":"iOS","model":"iPhone"},"app":{"version":"3.2.0","build":"418"}"#
  }

  @Test func `hold for the events behind them, and an event's own members win`() throws {
    let batch = try parseLines(
      [
        context(shared), line(1), line(2, #","install":"\#(Self.other)","user":"u","device":{"osName":"tvOS"}"#), "",
        line(3), context(#""install":"\#(Self.other)""#), line(4),
      ].joined(separator: "\n"))
    #expect(batch.rejections.isEmpty)
    let own = testInstall.lowercased()
    #expect(batch.events.map { batch.installs[$0.install] } == [own, Self.other, own, Self.other])
    #expect(batch.events.map(\.user) == ["user-7", "u", "user-7", ""])
    #expect(batch.events.map { batch.devices[$0.device].osName } == ["iOS", "tvOS", "iOS", ""])
    #expect(batch.events.map { batch.devices[$0.device].appVersion } == ["3.2.0", "3.2.0", "3.2.0", ""])
    #expect(batch.events[0].session > 0 && batch.events[0].session == batch.events[2].session)
    #expect(batch.events[3].session == 0, "a context replaces the one before as a whole")
    #expect(batch.events.map(\.index) == [0, 1, 3, 4], "blank lines count, contexts do not")
  }

  @Test func `give the same events as lines that have all of their members`() throws {
    let device = Device(osName: "Linux", osVersion: "12", locale: "pt_BR", appVersion: "3.2.0", appBuild: "418")
    var json = JSONWriter()
    var complete: [UInt8] = []
    for number in 1...5 {
      let event = Event(
        id: UniqueID(uuid(number)) ?? UniqueID(high: 0, low: 0), name: "Played", time: testTime,
        uptimeMilliseconds: number == 3 ? nil : Int64(number), boot: "b",
        install: UniqueID(testInstall) ?? UniqueID(high: 0, low: 0), session: UniqueID(testSession),
        user: number < 4 ? "user \"7\"" : nil, properties: ["n": Int64(number)])
      complete += event.line(device: device.encodedMembers()) + [UInt8(ascii: "\n")]
      var members = JSONWriter()
      members.members(of: event)
      if number == 1 || number == 4 {
        json.context(EventContext(of: event, device: device.encodedMembers()).encodedMembers())
      }
      json.line(id: event.id, time: testTime, uptimeMilliseconds: Int64(number), members: members.bytes[...])
    }
    let expected = try NativeParser.parse(complete, received: testTime, key: testKey, app: 1)
    let batch = try NativeParser.parse(json.bytes, received: testTime, key: testKey, app: 1)
    #expect(String(describing: batch) == String(describing: expected))
    #expect(batch.events.count == 5 && batch.rejections.isEmpty)
    #expect(json.bytes.count < complete.count)
  }

  @Test(arguments: [
    (#"{"context":5}"#, ["id_missing", "install_missing"]), (#"{"context":null}"#, ["id_missing", "install_missing"]),
    (#"{"context":[{}]}"#, ["id_missing", "install_missing"]), (#"{"context":{}}"#, ["install_missing"]),
    (#"{"context":{"install":7}}"#, ["install_missing"]), (#"{"context":{"install":"7"}}"#, ["install_invalid"]),
    (#"{"context":{"context":{"install":"\#(Self.other)"}}}"#, ["install_missing"]),
    (#"{"context":{"properties":{"a":1},"exception":{"a":[[1]]}}}"#, ["install_missing"]),
  ]) func `without usable members give none`(text: String, reasons: [String]) throws {
    let batch = try parseLines(text + "\n" + line(1))
    #expect(batch.reasons == reasons && batch.events.isEmpty)
  }

  @Test func `are no events, whatever other members they have`() throws {
    let text = #"{"context":{"install":"\#(testInstall)"},"id":"\#(uuid(9))","type":"event","name":"X","time":1}"#
    let batch = try parseLines(text + "\n" + line(1))
    #expect(batch.events.map(\.name) == ["A"] && batch.rejections.isEmpty)
    #expect(try parseLines(text).events.isEmpty)
  }

  @Test func `that cannot be read fail the request, and are listed`() throws {
    for bad in [#"{"context":{"install":"#, #"{"context":{"device":{},"device":{}}}"#, #"{"context":{}} {}"#] {
      let body = [context(shared), line(1), bad, line(2)].joined(separator: "\n")
      let error = #expect(throws: IngestError.self) { try parseLines(body) }
      #expect(error?.code == .malformed && error?.indexes == [1])
    }
  }

  @Test func `may be as many as the events of a request, and no more`() throws {
    let limits = IngestLimits(maximumEvents: 50)
    let pairs = (0..<50).map { context(shared) + "\n" + line($0) }
    #expect(try parseLines(pairs.joined(separator: "\n"), limits: limits).events.count == 50)
    for more in [context(shared), line(50)] {
      let body = (pairs + [more]).joined(separator: "\n")
      let error = #expect(throws: IngestError.self) { try parseLines(body, limits: limits) }
      #expect(error?.code == .tooLarge)
    }
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>) func `with damaged bytes neither trap nor lose count`(seed: UInt64)
    throws
  {
    var generator = SplitMix64(seed: seed)
    let body = Array([context(shared), line(1), context(shared), line(2), line(3)].joined(separator: "\n").utf8)
    for _ in 0..<200 {
      var damaged = body
      for _ in 0...Int.random(in: 0..<4, using: &generator) {
        let place = Int.random(in: 0..<damaged.count, using: &generator)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: damaged[place] = UInt8.random(in: .min ... .max, using: &generator)
        case 1: damaged.remove(at: place)
        default: damaged.insert(Array(#"{}[]",:"#.utf8).randomElement(using: &generator) ?? 0, at: place)
        }
      }
      guard let batch = try? NativeParser.parse(damaged, received: testTime, key: testKey, app: 1) else { continue }
      let indexes = batch.events.map(\.index) + batch.rejections.map(\.index)
      #expect(Set(indexes).count == indexes.count && indexes.allSatisfy { $0 < 12 })
    }
  }
}
