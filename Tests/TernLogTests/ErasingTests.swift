import Foundation
import TernEvents
import TernTestSupport
import Testing

@testable import TernLog

/// Shared by the tests of erasing: events of which every third must be erased.
protocol ErasingTests {}

extension ErasingTests {
  /// The identity of an event in these tests: every third belongs to the erased identity.
  func identity(_ number: Int) -> UInt32 { number % 3 == 0 ? 3 : UInt32(number % 3) }
  func lane(_ number: Int) -> Lane { number % 5 == 0 ? .critical : .normal }

  func append(_ fixture: LogFixture, _ log: EventLog, _ numbers: Range<Int>) {
    for number in numbers { fixture.append(log, number, lane: lane(number), identity: identity(number)) }
  }

  /// The numbers of the events whose payloads are in any file of the log's directories.
  func onDisk(_ fixture: LogFixture, _ numbers: Range<Int>) -> [Int] {
    let files = (fixture.memory?.paths ?? []).compactMap { fixture.memory?.contents(of: $0) }.map { Data($0) }
    return numbers.filter { number in
      let payload = Data(LogFixture.payload(number))
      return files.contains { $0.range(of: payload) != nil }
    }
  }

  /// Runs an erasure during other work; the failing operation is one of the erasure.
  func erase(
    _ fixture: LogFixture, fault: (@Sendable (Int) -> InMemoryFileSystem.Fault?)?
  ) throws -> (log: EventLog, isComplete: Bool, operations: Int) {
    fixture.configuration.segmentBytes = 1 << 10
    let log = try fixture.open()
    append(fixture, log, 0..<40)
    let claim = try #require(log.claim(9))
    log.settle(
      claim.id, .partly(delivered: Set(claim.numbers.filter { $0 % 2 == 0 }.map { LogFixture.id($0) }), dropped: [:]))
    let before = fixture.memory?.operationCount ?? 0
    fixture.memory?.setScript { fault?($0.number - before) }
    let isComplete = log.erase(.identity(3))
    let operations = (fixture.memory?.operationCount ?? 0) - before
    fixture.memory?.setScript(nil)
    return (log, isComplete, operations)
  }
}
