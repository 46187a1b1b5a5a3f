import Foundation
import TernBase
import TernEvents
import TernTestSupport
import Testing

@testable import Tern

@Suite struct `The launch of a crash that the system reports` {
  private static let session = UniqueID(high: 0x1111_2222_3333_4444, low: 0x5555_6666_7777_8888)

  /// A launch whose start is in seconds since 1970.
  private func launch(_ process: Int, at start: Int64, version: String = "1", user: String = "bob")
    -> LaunchHistory.Launch
  {
    var device = TestHarness.device
    (device.appVersion, device.appBuild) = (version, "7")
    let context = CrashContext.encoded(session: Self.session, user: user, device: device.encodedMembers())
    return .init(process: process, launched: start * 1000, context: String(decoding: context, as: UTF8.self))
  }

  private func diagnostic(_ period: ClosedRange<Double>, process: Int?, version: String = "1") -> CrashDiagnostic {
    CrashDiagnostic(
      signal: 11, appVersion: version, appBuild: "7", process: process,
      periodStart: Date(timeIntervalSince1970: period.lowerBound),
      time: Date(timeIntervalSince1970: period.upperBound), callStacks: Data("{}".utf8))
  }

  private func history(_ launches: LaunchHistory.Launch...) -> LaunchHistory {
    launches.reduce(into: LaunchHistory()) { $0.update($1) }
  }

  @Test func `is found by the number of its process`() {
    let history = history(launch(1, at: 100), launch(2, at: 200), launch(3, at: 300))
    #expect(history.launch(of: diagnostic(0...1000, process: 2))?.launched == 200_000)
    #expect(history.launch(of: diagnostic(0...1000, process: 4)) == nil)
  }

  @Test func `is not guessed if several launches may have crashed`() {
    let several = history(launch(1, at: 100), launch(2, at: 200))
    #expect(several.launch(of: diagnostic(0...1000, process: nil)) == nil)
    #expect(several.launch(of: diagnostic(0...150, process: nil))?.process == 1)
    #expect(several.launch(of: diagnostic(250...300, process: nil))?.process == 2, "the first one had ended")
    let reused = history(launch(1, at: 100), launch(1, at: 200))
    #expect(reused.launch(of: diagnostic(0...1000, process: 1)) == nil)
  }

  @Test func `has the version of the report, and began before the period's end`() {
    let history = history(launch(1, at: 100, version: "1"), launch(2, at: 200, version: "2"))
    #expect(history.launch(of: diagnostic(0...1000, process: nil, version: "2"))?.process == 2)
    #expect(history.launch(of: diagnostic(0...1000, process: 1, version: "2")) == nil)
    #expect(history.launch(of: diagnostic(0...199, process: 2, version: "2")) == nil)
  }

  @Test func `is kept with its last context, and the last 32 launches are`() {
    var history = history(launch(1, at: 100, user: "bob"))
    history.update(launch(1, at: 100, user: "eve"))
    #expect(history.launches.map(\.crashContext.user) == ["eve"])
    for number in 0..<100 { history.update(launch(number, at: 1000 + Int64(number))) }
    #expect(history.launches.map(\.process) == Array(68..<100))
  }

  @Test func `gives the event its session, user and start; without it they are unknown`() async throws {
    let harness = try TestHarness()
    func events() throws -> [[String: Any]] {
      try harness.transport.requests.flatMap(\.lines).compactMap {
        try JSONSerialization.jsonObject(with: Data($0)) as? [String: Any]
      }.filter { $0["type"] as? String == "crash" }
    }
    let first = try harness.client()
    first.engine.keepLaunches(process: 41)
    first.identify("eve")
    let session = try #require(first.sessionID)
    await first.shutdown()
    let second = try harness.client()
    second.engine.keepLaunches(process: 42)
    let now = Double(harness.clock.wallTime.millisecondsSince1970) / 1000
    var crash = diagnostic(now - 10...now + 10, process: 41)
    (crash.appVersion, crash.appBuild) = (TestHarness.device.appVersion, TestHarness.device.appBuild)
    second.engine.record(crash)
    crash.process = 40
    second.engine.record(crash)
    await second.flush()
    let events = try events()
    #expect(events.map { $0["session"] as? String } == [session.description, nil])
    #expect(events.map { $0["user"] as? String } == ["eve", nil])
    #expect(events.map { $0["launched"] != nil } == [true, false])
    await second.shutdown()
  }

  @Test func `is kept with a report until its owner decides`() throws {
    let crash = diagnostic(0...1000, process: 1)
    let kept = EarlierDiagnostic(crash, launch(1, at: 100))
    let read = try #require(EarlierDiagnostic(kept.encoded))
    #expect(read == kept && read.origin.user == "bob" && read.origin.session == Self.session && read.process == 1)
    #expect(read.id == crash.id && read.signalName == "SIGSEGV")
    #expect(EarlierDiagnostic([]) == nil && EarlierDiagnostic(Array("{}".utf8)) == nil)
  }

  @Test func `is unknown if the file of launches is damaged`() throws {
    let harness = try TestHarness()
    let file = harness.directory.appendingPathComponent("launches")
    try Data("{\"launches\":[{}]}".utf8).write(to: file)
    #expect(LaunchJournal(file, process: 1, launched: harness.clock.wallTime).earlier.launches.isEmpty)
  }
}
