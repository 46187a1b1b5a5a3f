import Foundation
import Ingest
import Testing

/// Tests that a request of another system's client, of which a compressed body may be a thousand times as long, makes no more work
/// than its length.
@Suite(.timeLimit(.minutes(1))) struct ClientLimitTests {
  private static let events = 2_000
  private static let long = String(repeating: "x", count: 8 << 20)

  private static func list(_ element: String) -> String {
    "[" + Array(repeating: element, count: events).joined(separator: ",") + "]"
  }

  @Test(arguments: ["segment-08", "bugsnag-01", "sentry-07", "otlp-logs-01", "ga4-01"])
  func `what the events of a request share is read once`(name: String) throws {
    var fixture = try ClientFixture(name)
    let body: String
    switch fixture.client {
    case let client where client.hasPrefix("segment"):
      let message = #"{"type":"track","event":"E","userId":"u"}"#
      body = #"{"context":{"traits":{"a":"\#(Self.long)"}},"batch":\#(Self.list(message))}"#
    case let client where client.hasPrefix("bugsnag"):
      let report = #"{"exceptions":[{"errorClass":"E"}]}"#
      body = #"{"notifier":{"name":"n","a":"\#(Self.long)"},"events":\#(Self.list(report))}"#
    case let client where client.hasPrefix("sentry"):
      let counts = #"[{"started":"2026-11-28T10:00:00Z","exited":\#(Self.events)}]"#
      body =
        "{}\n" + #"{"type":"sessions"}"# + "\n" + #"{"attrs":{"a":"\#(Self.long)"},"aggregates":\#(counts)}"#
    case let client where client.hasPrefix("otlp"):
      fixture.headers = ["content-type": "application/json"]
      let resource = #"{"attributes":[{"key":"k","value":{"stringValue":"\#(Self.long)"}}]}"#
      let scope = #"{"logRecords":\#(Self.list(#"{"eventName":"E"}"#))}"#
      body = #"{"resourceLogs":[{"resource":\#(resource),"scopeLogs":[\#(scope)]}]}"#
    default:
      body = #"{"client_id":"\#(Self.long)","events":\#(Self.list(#"{"name":"E"}"#))}"#
    }
    #expect(try fixture.read(Array(body.utf8)).events.count == Self.events)
  }

  @Test func `items of an envelope of which nothing is stored count like events`() throws {
    let report = #"{"type":"client_report"}"# + "\n{}\n"
    let event = #"{"type":"event"}"# + "\n" + #"{"exception":[{"type":"E"}]}"# + "\n"
    let fixture = try ClientFixture("sentry-07")
    func body(_ count: Int) -> [UInt8] { Array(("{}\n" + String(repeating: report, count: count) + event).utf8) }
    #expect(try fixture.read(body(IngestLimits.clients.maximumEvents - 1)).events.count == 1)
    #expect(throws: IngestError.self) { try fixture.read(body(IngestLimits.clients.maximumEvents)) }
  }

  @Test func `a form's parameters are read up to as many as a hit may have`() throws {
    let fixture = try ClientFixture("matomo-01")
    for (count, name) in [(4_000, "E"), (5_000, "T")] {
      let body = "idsite=k&action_name=T&" + String(repeating: "a&", count: count) + "e_a=E"
      #expect(try fixture.read(Array(body.utf8)).events.map(\.event.name) == [name])
    }
  }
}
