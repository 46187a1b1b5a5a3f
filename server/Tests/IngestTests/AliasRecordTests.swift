import TernEvents
import Testing

@testable import Ingest

/// The records of all protocols that two identifiers are one person.
@Suite struct AliasRecordTests {
  /// The install, the user and the other identifier that a request's event names.
  private func read(_ fixture: String, _ body: String) throws -> [String] {
    let event = try #require(try ClientFixture(fixture).read(Array(body.utf8)).events.first?.event)
    #expect(event.kind == .other && event.name == AliasRecord.name)
    let others = event.properties.filter { $0.name == AliasRecord.name }.map(\.value)
    guard let other = others.first else { return [event.install, event.user] }
    guard others.count == 1, case .string(let text) = other else {
      Issue.record("\(others)")
      return []
    }
    return [event.install, event.user, text]
  }

  @Test func `Segment's alias joins the user with the previous identifier, an anonymous one, and numbers`() throws {
    func segment(_ members: String) throws -> [String] {
      try read("segment-01", #"{"batch":[{"type":"alias","messageId":"1",\#(members)}]}"#)
    }
    #expect(try segment(#""userId":"u","previousId":"p""#) == ["p", "u", "p"])
    #expect(try segment(#""userId":7,"previousId":8,"anonymousId":"a""#) == ["a", "7", "8"])
    #expect(try segment(#""anonymousId":"a","previousId":"p","traits":{"alias":1}"#) == ["a", "a", "p"])
    #expect(try segment(#""userId":"u""#) == ["u", "u"])
  }

  @Test func `PostHog's aliases and merges name a user also before a login`() throws {
    func postHog(_ name: String, _ person: String, _ properties: String) throws -> [String] {
      try read(
        "posthog-01",
        #"{"api_key":"k","batch":[{"event":"\#(name)",\#(person)"properties":{\#(properties)}}]}"#)
    }
    let person = #""distinct_id":"u","#
    for name in ["$create_alias", "$merge_dangerously"] {
      #expect(try postHog(name, person, #""alias":"p""#) == ["u", "u", "p"])
      #expect(try postHog(name, person, #""$device_id":"u","alias":7"#) == ["u", "u", "7"])
      #expect(try postHog(name, "", #""distinct_id":"u","alias":"p""#) == ["u", "u", "p"])
    }
    #expect(try postHog("$create_alias", person, "") == ["u", "u"])
  }

  @Test func `Mixpanel's identifiers of devices lose their prefix, and merges join two`() throws {
    func mixpanel(_ name: String, _ properties: String) throws -> [String] {
      try read("mixpanel-01", #"[{"event":"\#(name)","properties":{"token":"k",\#(properties)}}]"#)
    }
    #expect(try mixpanel("$create_alias", #""distinct_id":"u","alias":"p""#) == ["u", "u", "p"])
    #expect(try mixpanel("$create_alias", #""distinct_id":"$device:d","alias":"u""#) == ["d", "d", "u"])
    #expect(try mixpanel("$merge", #""$distinct_ids":["u","$device:d","x"]"#) == ["u", "u", "d"])
    #expect(try mixpanel("$merge", #""$distinct_ids":["u"]"#) == ["", ""])
  }
}
