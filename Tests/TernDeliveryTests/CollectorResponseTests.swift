import TernDelivery
import TernEvents
import Testing

@Suite struct `The outcome of a response` {
  let now = Timestamp(millisecondsSince1970: 784_111_777_000)

  func outcome(_ status: Int, _ body: String = "", events: Int = 3, retryAfter: String? = nil) -> ResponseOutcome {
    CollectorResponse(status: status, retryAfter: retryAfter, body: Array(body.utf8)).outcome(events: events, now: now)
  }

  @Test func `an acknowledgement settles every event it names`() {
    #expect(outcome(200, #"{"accepted":3,"duplicates":[],"rejected":[]}"#) == .acknowledged(rejected: []))
    #expect(outcome(200, #"{"accepted":3}"#) == .acknowledged(rejected: []))
    #expect(outcome(200, #"{"accepted":2,"duplicates":[1]}"#) == .acknowledged(rejected: []))
    let partly = #"{"accepted":1,"duplicates":[0],"rejected":[{"index":2,"id":"x","reason":"r","message":"m"}]}"#
    #expect(outcome(200, partly) == .acknowledged(rejected: [2]))
  }

  @Test(arguments: [
    "", "<html>Please log in</html>", "{}", "[]", "null", #"{"accepted":2}"#, #"{"accepted":4}"#, #"{"accepted":"3"}"#,
    #"{"accepted":3.5}"#, #"{"accepted":2,"duplicates":[3]}"#, #"{"accepted":1,"duplicates":[0,0]}"#,
    #"{"accepted":2,"duplicates":[1],"rejected":[{"index":1}]}"#, #"{"accepted":3} trailing"#, #"{"accepted":3"#,
  ])
  func `a success that does not account for every event exactly once is a failure`(body: String) throws {
    let failure = try #require(outcome(200, body).failure)
    #expect(failure.code == .notAcknowledged)
    #expect(outcome(200, body).disposition(ofEvents: 3) == .requeue(rejecting: []))
  }

  @Test(arguments: [408, 425, 429, 500, 502, 503, 504, 599])
  func `a transient failure keeps the events and the requested delay`(status: Int) {
    let outcome = outcome(status, retryAfter: "7")
    #expect(outcome.failure?.code == .server)
    #expect(outcome.failure?.retryAfter == .seconds(7))
    #expect(outcome.disposition(ofEvents: 1) == .requeue(rejecting: []))
  }

  @Test func `the limit that the collector names is in the client's status`() {
    let body = #"{"error":{"code":"over_limit","message":"This app is over its limit of 20000 events a second."}}"#
    #expect(
      outcome(429, body).failure?.message
        == "The collector answered 429: This app is over its limit of 20000 events a second.")
  }

  @Test(arguments: [401, 403, 404, 405, 407, 410, 100, 301, 302, 304, 307])
  func `a response about the key or the URL never deletes an event`(status: Int) {
    #expect(outcome(status).disposition(ofEvents: 1) == .requeue(rejecting: []))
  }

  @Test func `a wrong key is distinguished from other failures`() {
    #expect(outcome(401).failure?.code == .unauthorized)
  }

  @Test func `a rejection that names an event deletes only that event`() {
    let body = #"{"error":{"code":"malformed","message":"no name","position":123,"index":1}}"#
    #expect(outcome(400, body).disposition(ofEvents: 3) == .requeue(rejecting: [1]))
    #expect(outcome(400, body).failure?.message == "The collector refused the batch (400: no name).")
  }

  @Test(arguments: [400, 409, 413, 418, 422])
  func `a refused batch is split, and a refused single event is dropped`(status: Int) {
    #expect(outcome(status).disposition(ofEvents: 3) == .requeue(rejecting: []))
    #expect(outcome(status, events: 1).disposition(ofEvents: 1) == .remove(rejecting: [0]))
  }

  @Test func `an index outside the batch is ignored`() {
    #expect(outcome(400, #"{"error":{"index":3}}"#).disposition(ofEvents: 3) == .requeue(rejecting: []))
    #expect(outcome(400, #"{"error":{"index":-1}}"#).disposition(ofEvents: 3) == .requeue(rejecting: []))
  }

  @Test func `a Retry-After date is relative to the server's own clock`() {
    let response = CollectorResponse(
      status: 503, retryAfter: "Sun, 06 Nov 1994 08:50:37 GMT", date: "Sun, 06 Nov 1994 08:50:07 GMT")
    #expect(response.outcome(events: 1, now: now).failure?.retryAfter == .seconds(30))
  }

  @Test func `a delay in milliseconds overrides one in seconds`() {
    let response = CollectorResponse(status: 429, retryAfter: "9", retryAfterMilliseconds: "250")
    #expect(response.outcome(events: 1, now: now).failure?.retryAfter == .milliseconds(250))
  }

  @Test(arguments: [
    String(repeating: "[", count: 100_000), #"{"a":"\ud800"}"#, #"{"a":"\u12"}"#, #""\"#, "tru", "-", "1e999",
    #"{"accepted":1e300}"#, #"{1:2}"#, "{\"a\":1,}", "\u{0}",
  ])
  func `hostile bodies are handled as failures`(body: String) {
    #expect(outcome(200, body).failure != nil)
    #expect(outcome(400, body).failure != nil)
  }

  @Test func `an acknowledgement truncated anywhere is a failure`() {
    let whole = #"{"accepted":1,"duplicates":[0],"rejected":[{"index":2,"id":"é\n\"","reason":"r"}]}"#
    #expect(outcome(200, whole) == .acknowledged(rejected: [2]))
    for length in 0..<whole.utf8.count {
      let response = CollectorResponse(status: 200, body: Array(whole.utf8.prefix(length)))
      #expect(response.outcome(events: 3, now: now).failure?.code == .notAcknowledged)
    }
  }
}
