import Foundation
import Tern
import TernEvents
import TernTestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct `Settings that change while a client runs` {
  @Test func `events without a collector are kept and sent once there is one`() async throws {
    let harness = try TestHarness()
    let tern = try harness.client { $0.collector = nil }
    for number in 0..<60 { tern.track("E\(number)", priority: number == 0 ? .critical : .normal) }
    #expect(await tern.flush().error?.code == .stopped)
    #expect(tern.collector == nil && harness.transport.requests.isEmpty && tern.status.queued == 61)
    try tern.setCollector(URL(string: "https://collector.test/base"))
    await tern.waitForStatus { $0.delivered == 61 }
    #expect(harness.transport.requests.first?.raw.url.absoluteString == "https://collector.test/base/v1/events")
    #expect(tern.collector?.absoluteString == "https://collector.test/base")
    await tern.shutdown()
  }

  @Test func `an invalid address leaves the previous one in place`() throws {
    let harness = try TestHarness()
    let tern = try harness.client()
    #expect(throws: TernError.self) { try tern.setCollector(URL(string: "ftp://x")) }
    #expect(tern.collector?.absoluteString == "http://collector.test")
  }

  @Test func `forbidden requests stay forbidden across launches, independent of pausing`() async throws {
    let harness = try TestHarness()
    let tern = try harness.client()
    tern.allowsRequests = false
    tern.pause()
    tern.resume()
    #expect(await tern.flush().error?.code == .stopped)
    await tern.shutdown()
    let next = try harness.client()
    #expect(!next.allowsRequests && next.status.isPaused)
    next.allowsRequests = true
    await next.waitForStatus { $0.queued + $0.inFlight == 0 }
    await next.shutdown()
    let last = try harness.client()
    #expect(last.allowsRequests)
    await last.shutdown()
  }

  @Test func `the app's country overrides the locale's from the next event on`() async throws {
    let harness = try TestHarness()
    let tern = try harness.client { $0.sessions = .manual }
    tern.track("A")
    tern.setCountryCode("br")
    tern.track("B")
    tern.setCountryCode(nil)
    tern.setDeviceFacts(["wrapperSdkName": "custom"])
    tern.track("C")
    await tern.flush()
    let lines = harness.transport.requests[0].lines.map { String(decoding: $0, as: UTF8.self) }
    #expect(lines.map { $0.contains("\"country\":\"GB\"") } == [true, false, true])
    #expect(lines[1].contains("\"country\":\"BR\"") && lines[2].contains("\"wrapperSdkName\":\"custom\""))
    await tern.shutdown()
  }

  @Test func `sessions can become automatic while the client runs`() async throws {
    let harness = try TestHarness()
    let tern = try harness.client { $0.sessions = .manual }
    #expect(tern.sessionID == nil)
    tern.setSessions(.automatic())
    let first = tern.sessionID
    #expect(first != nil)
    tern.setSessions(.automatic())
    #expect(tern.sessionID == first)
    await tern.shutdown()
  }

  @Test func `a limit set while the client runs applies at the next launch`() async throws {
    let harness = try TestHarness()
    let tern = try harness.client { $0.maximumQueueBytes = 24 << 10 }
    tern.pause()
    tern.setMaximumQueueBytes(4 << 20)
    for number in 0..<500 { tern.track("E\(number)") }
    #expect(tern.status.dropped == 0)
    await tern.shutdown()
    let next = try harness.client {
      $0.maximumQueueBytes = 24 << 10
      $0.startsPaused = true
    }
    #expect(next.status.dropped == 0 && next.status.queued == 502)
    next.setMaximumQueueBytes(0)
    #expect(next.status.dropped > 0 && next.queueBytes <= 24 << 10)
    await next.shutdown()
  }

  @Test func `critical events are sent after their delay, without the normal ones`() async throws {
    let harness = try TestHarness()
    let tern = try harness.client {
      $0.sessions = .manual
      $0.criticalFlushInterval = .seconds(3)
      $0.sendsNormalWithCritical = false
      $0.flushInterval = .seconds(60)
    }
    tern.track("Normal")
    tern.track("Critical", priority: .critical)
    await harness.clock.sleeping(until: .seconds(1003))
    harness.clock.advance(by: .seconds(3))
    #expect(await harness.transport.request(number: 1).events.names == ["Critical"])
    await harness.clock.sleeping(until: .seconds(1060))
    harness.clock.advance(by: .seconds(57))
    #expect(await harness.transport.request(number: 2).events.names == ["Normal"])
    await tern.shutdown()
  }
}
