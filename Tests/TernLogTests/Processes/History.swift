import TernEvents
import TernLog
import TernTestSupport
import Testing

@testable import CrashHelper

/// The messages of helpers about one directory, and the checks of the log that they left.
struct History {
  private(set) var stored: Set<UInt32> = []
  /// The events handed out by a claim: a server may have them.
  private(set) var received: Set<UInt32> = []
  private(set) var settled: Set<UInt32> = []
  /// The identities whose erasure has started, and those whose erasure is complete.
  private(set) var erasing: Set<UInt32> = []
  private(set) var erased: Set<UInt32> = []
  private(set) var dropped = 0
  /// The number of events handed out more than once, because of a crash between claim and settlement.
  private(set) var repeated = 0

  mutating func add(_ messages: [Message], _ place: Comment) {
    for message in messages {
      let event = NumberedEvent(number: message.number)
      switch message.kind {
      case .began, .opened, .resident, .finished: break
      case .stored: stored.insert(message.number)
      case .dropped: dropped += 1
      case .received:
        #expect(!settled.contains(message.number), "settled and claimed again, \(place)")
        if !received.insert(message.number).inserted { repeated += 1 }
      case .settled: settled.insert(message.number)
      case .erasing: erasing.insert(event.identity)
      case .erased: erased.insert(event.identity)
      case .disorder: Issue.record("claimed out of order at \(message.number), \(place)")
      }
    }
  }

  /// Checks a log's waiting events against all messages; returns the number of events never acknowledged.
  @discardableResult
  func check(_ log: EventLog, _ place: Comment) -> Int {
    var waiting: [UInt32] = []
    var claims: [LogClaim.ID] = []
    while let claim = log.claim(maximumEvents: 500, maximumBytes: .max) {
      claims.append(claim.id)
      for record in claim.records {
        let event = NumberedEvent(number: UInt32(truncatingIfNeeded: record.id.low))
        waiting.append(event.number)
        #expect(
          record.id == event.id && Array(record.payload) == event.payload, "event \(event.number) changed, \(place)")
        #expect(
          record.context.identity == event.identity && record.lane == event.lane,
          "event \(event.number) changed, \(place)")
      }
    }
    for claim in claims { log.settle(claim, .returned) }
    let found = Set(waiting)
    #expect(found.count == waiting.count, "an event twice, \(place)")
    var last: [UInt32: UInt32] = [:]
    for event in waiting.map({ NumberedEvent(number: $0) }) {
      if let previous = last[event.source] {
        #expect(previous < event.number, "\(event.number) after \(previous), \(place)")
      }
      last[event.source] = event.number
    }
    let lost = stored.subtracting(found).subtracting(received).filter {
      !erasing.contains(NumberedEvent(number: $0).identity)
    }
    #expect(lost.count == 0, "lost \(lost.sorted().prefix(20)), \(place)")
    let back = found.filter { settled.contains($0) || erased.contains(NumberedEvent(number: $0).identity) }
    #expect(back.count == 0, "settled or erased, and back: \(back.sorted().prefix(20)), \(place)")
    return found.subtracting(stored).count
  }
}

extension History {
  /// Adds to the sums over all directories of a run.
  func count(into total: inout (acknowledged: Int, settled: Int, repeated: Int, unacknowledged: Int)) {
    total.acknowledged += stored.count
    total.settled += settled.count
    total.repeated += repeated
  }

  /// The number of kill rounds of a test: few by default, or the value of `TERN_KILL_ROUNDS`.
  static func rounds(default number: Int) -> Int {
    environmentNumber("TERN_KILL_ROUNDS") ?? number
  }
}
