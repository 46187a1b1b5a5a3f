import TernBase
import TernEvents
import TernTestSupport
import Testing

@testable import TernLog

@Suite struct `Flushing from several threads` {
  /// Several logs let the thread sanitizer see their locks in use simultaneously.
  @Test func `leaves every event of every log in place`() async throws {
    let logs = try (0..<4).map { _ in
      let fixture = LogFixture()
      return (fixture, try fixture.open())
    }
    await withTaskGroup(of: Void.self) { group in
      for (fixture, log) in logs {
        nonisolated(unsafe) let fixture = fixture  // Used by this one task until the group ends.
        group.addTask {
          for number in 0..<50 {
            fixture.append(log, number)
            log.synchronize()
          }
        }
        group.addTask { for _ in 0..<50 { log.synchronize() } }
      }
    }
    for (_, log) in logs {
      #expect(log.drain() == Array(0..<50))
      log.close()
    }
  }

  #if DEBUG
    @Test func `a lock around an empty value traps in debug builds`() async {
      await #expect(processExitsWith: .failure) { _ = Locked(()) }
      await #expect(processExitsWith: .success) { _ = Locked(false) }
    }
  #endif
}
