import Foundation
import TernBase
import TernEvents
import TernLog
import TernTestSupport
import Testing

@testable import Tern

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite(.timeLimit(.minutes(30))) struct `A path that is not a regular file` {
  private let harness: TestHarness

  init() throws { harness = try TestHarness() }

  private func makePipe(_ name: String) throws -> String {
    let path = harness.directory.appendingPathComponent(name).path
    try #require(mkfifo(path, 0o600) == 0)
    return path
  }

  @Test(arguments: [OpenMode.read, .update, .lock]) func `is not opened`(mode: OpenMode) throws {
    let path = try makePipe("pipe")
    // Both ends are open, so that a call that waits for the other end fails instead of hanging.
    let end = open(path, O_RDWR | O_NONBLOCK)
    defer { close(end) }
    #expect(throws: FileError.self) { try SystemFileSystem().open(path, mode) }
    #expect(throws: FileError.self) { try SystemFileSystem().open(harness.directory.path, mode) }
    try SystemFileSystem().synchronize(harness.directory.path)
  }

  @Test func `does not prevent a client from starting and delivering`() async throws {
    let first = try harness.client { $0.sessions = .manual }
    first.isEnabled = false
    await first.shutdown()
    let names = [
      "install-id", "settings.json", "opt-outs.json", "delivery.json", "log-0/drops", "log-0/clock", "log-0/erasing",
      "log-0/spare-7",
      "log-0/1.unreadable",
    ]
    var ends: [Int32] = []
    for name in names {
      try? FileManager.default.removeItem(at: harness.directory.appendingPathComponent(name))
      ends.append(open(try makePipe(name), O_RDWR | O_NONBLOCK))
    }
    defer { for end in ends { close(end) } }
    let second = try harness.client { $0.sessions = .manual }
    #expect(second.isEnabled)
    second.track("A")
    #expect(await second.flush() == .sent(1))
    second.identify("user-7")
    second.erase()
    await second.shutdown()
    let third = try harness.client { $0.sessions = .manual }
    #expect(third.installID == second.installID)
    #expect(third.engine.recorder.withLock { $0.user } == "user-7")
    await third.shutdown()
  }
}
