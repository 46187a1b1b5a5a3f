import TernBase
import TernEvents
import TernTestSupport
import Testing

@testable import TernLog

@Suite struct `Settling a part of a segment` {
  /// Between any two operations on a segment, other threads may fill the log: a segment that is evicted then becomes
  /// another segment at once, which must not be overwritten.
  @Test func `damages no other segment when a full log evicts in the middle of it`() throws {
    let faultless = try run(appendingBefore: .max)
    #expect(faultless.operations >= 4, "a void is an opening and a write")
    for operation in 1...faultless.operations { _ = try run(appendingBefore: operation) }
  }

  /// Settles every second event of the oldest segment; before an operation on a segment, a thread appends.
  private func run(appendingBefore place: Int) throws -> (operations: Int, log: EventLog) {
    let fixture = LogFixture()
    fixture.configuration.maximumBytes = 24 << 10
    let log = try fixture.open()
    var number = 0
    while log.counts.dropped.isEmpty {
      fixture.append(log, number)
      number += 1
    }
    let claim = try #require(log.claim(6))
    let delivered = claim.numbers.filter { $0 % 2 == 0 }
    let appending = Appending(fixture, log, from: number, count: 300, before: place)
    // The other operations are performed under the lock.
    fixture.memory?.setScript { $0.path.hasSuffix(".seg") ? appending.step() : nil }
    log.settle(claim.id, .partly(delivered: Set(delivered.map { LogFixture.id($0) }), dropped: [:]))
    fixture.memory?.setScript(nil)
    #expect(log.counts.balances)
    let present = log.presentNumbers
    #expect(present.isDisjoint(with: delivered))
    fixture.memory?.killProcess()
    let again = try fixture.open()
    #expect(again.counts.dropped[.damaged] == nil, "before operation \(place)")
    #expect(again.presentNumbers == present, "before operation \(place)")
    return (appending.operations, log)
  }

  /// Appends events before one of the file operations, as another thread would.
  private final class Appending: Sendable {
    private nonisolated(unsafe) let fixture: LogFixture
    private let log: EventLog
    private let numbers: Range<Int>
    private let place: Int
    private let state = Locked((operations: 0, isAppending: false))

    init(_ fixture: LogFixture, _ log: EventLog, from first: Int, count: Int, before place: Int) {
      self.fixture = fixture
      self.log = log
      numbers = first..<first + count
      self.place = place
    }

    var operations: Int { state.withLock { $0.operations } }

    func step() -> InMemoryFileSystem.Fault? {
      let isNow = state.withLock { state in
        if state.isAppending { return false }
        state.operations += 1
        state.isAppending = state.operations == place
        return state.isAppending
      }
      guard isNow else { return nil }
      for number in numbers { fixture.append(log, number) }
      state.withLock { $0.isAppending = false }
      return nil
    }
  }
}
