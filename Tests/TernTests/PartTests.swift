import Foundation
import Tern
import TernEvents
import TernTestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct `Usage and errors` {
  private struct Broken: Error {}

  @Test func `disabling usage erases events and sessions and keeps errors`() async throws {
    let harness = try TestHarness()
    let tern = try harness.client()
    tern.track("A")
    tern.record(Broken())
    tern.setRecording(false, of: .usage)
    tern.track("B")
    tern.record(Broken())
    #expect(await tern.flush() == .sent(3), "two errors and the drop report")
    #expect(harness.transport.received.map(\.type).sorted() == ["drops", "handled_error", "handled_error"])
    #expect(harness.transport.received.last?.session == nil)
    #expect(tern.ledger.balances)
    await tern.shutdown()
  }

  @Test func `disabling errors keeps events`() async throws {
    let harness = try TestHarness()
    let tern = try harness.client()
    tern.identify("user-7")
    tern.track("A")
    tern.record(Broken(), attachments: [.init(name: "log", text: "x")])
    tern.setRecording(false, of: .errors)
    tern.record(Broken())
    await tern.flush()
    #expect(!harness.transport.received.contains { $0.type == "handled_error" || $0.type == "attachment" })
    #expect(harness.transport.received.names == ["A"])
    await tern.shutdown()
  }

  @Test func `a disabled part stays disabled across launches, and events left by a crash are erased`() async throws {
    let harness = try TestHarness()
    let tern = try harness.client()
    tern.setRecording(false, of: .usage)
    await tern.shutdown()
    let next = try harness.client()
    #expect(!next.isRecording(.usage) && next.isRecording(.errors) && next.sessionID == nil)
    next.track("A")
    await next.flush()
    #expect(harness.transport.received.names.isEmpty)
    next.setRecording(true, of: .usage)
    #expect(next.sessionID != nil)
    next.track("B")
    await next.flush()
    #expect(harness.transport.received.names == ["B"])
    await next.shutdown()
  }

  @Test func `erased events are not sent again by a request that failed before`() async throws {
    let harness = try TestHarness(transport: ScriptedTransport(answers: [.status(503)]))
    let tern = try harness.client {
      $0.retries = .limited([.seconds(5) ... .seconds(10)])
      $0.maximumBatchEvents = 50
    }
    tern.track("A")
    tern.record(Broken())
    _ = await tern.flush()
    tern.setRecording(false, of: .usage)
    await tern.flush()
    #expect(!harness.transport.received.contains { $0.type == "event" })
    #expect(harness.transport.received.contains { $0.type == "handled_error" })
    await tern.shutdown()
  }

  @Test func `the rest of a failed batch is sent again without another event after an erasure`() async throws {
    let harness = try TestHarness(transport: ScriptedTransport(answers: [.status(503)]))
    let tern = try harness.client {
      $0.retries = .limited([.seconds(3_600) ... .seconds(3_600)])
      $0.maximumBatchEvents = 50
    }
    tern.track("A")
    tern.record(Broken())
    _ = await tern.flush()
    tern.setRecording(false, of: .usage)
    // Neither a flush nor an event follows. The first deadline may still be that of the retry.
    let start = harness.clock.uptime
    while await harness.clock.sleeping() - start > .seconds(60) { await Task.yield() }
    harness.clock.advance(by: .seconds(60))
    let second = await harness.transport.request(number: 2)
    #expect(second.events.map(\.type).contains("handled_error"))
    await tern.shutdown()
  }

  @Test func `erasing a user's events erases the user's errors too`() async throws {
    let harness = try TestHarness()
    let tern = try harness.client { $0.sessions = .manual }
    tern.record(Broken())
    tern.identify("user-7")
    tern.record(Broken(), ["Of": "user-7"])
    tern.erase()
    await tern.flush()
    #expect(harness.transport.received.all("handled_error").map(\.properties) == [[:]])
    await tern.shutdown()
  }
}

@Suite(.timeLimit(.minutes(30))) struct `Errors and attachments` {
  private struct Broken: Error, CustomStringConvertible { let description = "It broke" }

  private func lines(_ harness: TestHarness, _ type: String) throws -> [[String: Any]] {
    try harness.transport.requests.flatMap(\.lines)
      .compactMap { try JSONSerialization.jsonObject(with: Data($0)) as? [String: Any] }
      .filter { $0["type"] as? String == type }
  }

  @Test func `an error has its type, its message and its properties`() async throws {
    let harness = try TestHarness()
    let tern = try harness.client()
    tern.record(Broken(), ["While": "saving"])
    await tern.flush()
    let line = try #require(lines(harness, "handled_error").first)
    let exception = try #require(line["exception"] as? [String: Any])
    #expect(exception["message"] as? String == "It broke")
    #expect((exception["type"] as? String)?.hasSuffix("Broken") == true)
    #expect(line["name"] as? String == exception["type"] as? String)
    #expect(line["properties"] as? [String: String] == ["While": "saving"])
    #expect(line["session"] != nil)
    await tern.shutdown()
  }

  @Test func `an attachment is sent in pieces that add up to the file`() async throws {
    let harness = try TestHarness()
    let tern = try harness.client()
    let data = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let receipt = tern.record(Broken(), attachments: [.init(name: "state.bin", data: data)])
    await tern.flush()
    let pieces = try lines(harness, "attachment").compactMap { $0["attachment"] as? [String: Any] }
    #expect(pieces.map { $0["part"] as? Int } == [0, 1, 2] && pieces.allSatisfy { $0["parts"] as? Int == 3 })
    #expect(pieces.allSatisfy { $0["error"] as? String == receipt.id?.description })
    #expect(Set(pieces.map { $0["id"] as? String }).count == 1)
    #expect(pieces.first?["name"] as? String == "state.bin")
    #expect(pieces.first?["contentType"] as? String == "application/octet-stream")
    let joined = pieces.compactMap { ($0["data"] as? String).flatMap { Data(base64Encoded: $0) } }.reduce(Data(), +)
    #expect(Array(joined) == data)
    await tern.shutdown()
  }

  @Test(arguments: [0, 1, 2, 3, 40 << 10, (40 << 10) + 1])
  func `an attachment of any length arrives whole`(length: Int) async throws {
    let harness = try TestHarness()
    let tern = try harness.client()
    let data = [UInt8](repeating: 0xA7, count: length)
    tern.record(Broken(), attachments: [.init(data: data)])
    await tern.flush()
    let pieces = try lines(harness, "attachment").compactMap { $0["attachment"] as? [String: Any] }
    let joined = pieces.compactMap { ($0["data"] as? String).flatMap { Data(base64Encoded: $0) } }.reduce(Data(), +)
    #expect(Array(joined) == data && pieces.count == max((length + 40_959) / 40_960, 1))
    await tern.shutdown()
  }

  @Test(arguments: [40 << 10, 7 << 20]) func `no piece exceeds the size limit of an event, whatever accompanies it`(
    length: Int
  ) async throws {
    let harness = try TestHarness()
    let tern = try harness.client { $0.maximumQueueBytes = 64 << 20 }
    // Each of these takes six bytes as JSON.
    let worst = String(repeating: "\u{1}", count: 5000)
    tern.identify(worst)
    tern.setDeviceFacts(["wrapperSdkName": String(worst.prefix(700))])
    let data = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    tern.record(Broken(), attachments: [.init(name: worst, contentType: worst, data: data)])
    await tern.flush()
    #expect(tern.status.dropped == 0)
    let lines = harness.transport.requests.flatMap { $0.body.split(separator: UInt8(ascii: "\n")) }
    let longest = try #require(lines.map(\.count).max())
    #expect(longest <= NativeProtocol.maximumEventBytes && longest > 60 << 10)
    let pieces = try self.lines(harness, "attachment").compactMap { $0["attachment"] as? [String: Any] }
      .sorted { ($0["part"] as? Int ?? 0) < ($1["part"] as? Int ?? 0) }
    let joined = pieces.compactMap { ($0["data"] as? String).flatMap { Data(base64Encoded: $0) } }.reduce(Data(), +)
    #expect(Array(joined) == data && pieces.allSatisfy { $0["parts"] as? Int == pieces.count })
    await tern.shutdown()
  }

  @Test func `a huge exception with huge properties loses part of its stack but is recorded`() async throws {
    let harness = try TestHarness()
    let tern = try harness.client()
    // App Center allows twenty properties of at most 125 characters; some here must be escaped in JSON.
    let properties = Properties(
      (0..<20).map { number in
        .init(
          name: "\(number)" + String(repeating: "漢", count: 120),
          value: .string(String(repeating: "\u{1}", count: 125)))
      })
    // Just below the size limit of an exception alone.
    let frame = ExceptionFacts.Frame(className: String(repeating: "C", count: 440), methodName: "f")
    tern.record(
      ExceptionFacts(type: "Deep", frames: [ExceptionFacts.Frame](repeating: frame, count: 100)), properties)
    await tern.flush()
    let line = try #require(lines(harness, "handled_error").first)
    #expect((line["properties"] as? [String: String])?.count == 20 && tern.status.dropped == 0)
    let frames = ((line["exception"] as? [String: Any])?["frames"] as? [Any])?.count ?? 0
    #expect((25..<100).contains(frames))
    await tern.shutdown()
  }

  @Test func `an app names the group of an error itself`() async throws {
    let harness = try TestHarness()
    let tern = try harness.client()
    tern.record(Broken(), fingerprint: String(repeating: "é", count: 200))
    tern.record(Broken())
    await tern.flush()
    let prints = try lines(harness, "handled_error").map {
      ($0["exception"] as? [String: Any])?["fingerprint"] as? String
    }
    #expect(prints == [String(repeating: "é", count: 128), nil])
    await tern.shutdown()
  }

  @Test func `an attachment over 7 MiB is left out and counted`() throws {
    let harness = try TestHarness()
    let tern = try harness.client()
    tern.pause()
    tern.record(Broken(), attachments: [.init(data: [UInt8](repeating: 0, count: (7 << 20) + 1))])
    #expect(tern.status.queued == 2 && tern.status.droppedByReason == [.tooLarge: 1])
    #expect(tern.ledger.balances)
  }

  @Test func `a huge exception loses the outer end of its stack and fits`() async throws {
    let harness = try TestHarness()
    let tern = try harness.client()
    let frames = (0..<5000).map {
      ExceptionFacts.Frame(methodName: "m\($0)", fileName: String(repeating: "f", count: 99))
    }
    let inner = ExceptionFacts(type: "Inner", stackTrace: String(repeating: "\u{1}", count: 90_000), frames: frames)
    tern.record(
      ExceptionFacts(
        type: "Outer", message: String(repeating: "m", count: 90_000), frames: frames, innerExceptions: [inner]))
    await tern.flush()
    let exception = try #require(lines(harness, "handled_error").first?["exception"] as? [String: Any])
    let kept = try #require(exception["frames"] as? [[String: Any]])
    #expect(kept.first?["methodName"] as? String == "m0" && kept.count > 10)
    #expect((exception["innerExceptions"] as? [[String: Any]])?.first?["type"] as? String == "Inner")
    await tern.shutdown()
  }
}
