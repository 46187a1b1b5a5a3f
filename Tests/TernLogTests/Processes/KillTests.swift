import Foundation
import TernEvents
import TernTestSupport
import Testing

@testable import CrashHelper
@testable import TernLog

@Suite struct `A process that is killed at random moments` {
  enum Mode: String, CaseIterable, CustomTestStringConvertible {
    case appending, claiming, erasing

    var testDescription: String { rawValue }
  }

  /// All rounds use one directory, so that recoveries accumulate; a check or the next helper follows each kill.
  @Test(arguments: Mode.allCases)
  func `loses no acknowledged event and brings back no settled one`(
    mode: Mode
  ) throws {
    let seed = environmentNumber("TERN_KILL_SEED").map { UInt64($0) } ?? 1
    var generator = FastGenerator(seed: seed)
    let directory = try TemporaryDirectory()
    let rounds = History.rounds(default: 12)
    var history = History()
    var total = (acknowledged: 0, settled: 0, repeated: 0, unacknowledged: 0)
    for round in 0..<rounds {
      let place: Comment = "seed \(seed), round \(round), \(mode.rawValue)"
      // Every round reads the whole directory; an occasional new one keeps that short.
      let part = round / 25
      if round % 25 == 0 {
        history.count(into: &total)
        history = History()
      }
      var options = Options()
      options.directory = directory.path + "/queue-\(part)"
      options.process = round % 25
      options.threads = Int(generator.next() % 3) + 1
      options.seed = generator.next()
      options.segmentBytes = 1024 << Int(generator.next() % 4)
      options.claims = mode != .appending
      options.erases = mode == .erasing
      let helper = try HelperProcess(options)
      // After one message the helper is opening the log; after more it is at work.
      let wanted = generator.next() % 4 == 0 ? 1 : Int(generator.next() % 400) + 1
      history.add(helper.read { $0.count >= wanted } + helper.kill(), place)
      if generator.next() % 3 == 0 { continue }
      let log = try open(options)
      let extra = history.check(log, place)
      total.unacknowledged = max(total.unacknowledged, extra)
      // Each thread of each helper may have been killed between storing an event and reporting it.
      #expect(extra <= 3 * 25, place)
      #expect(log.counts.dropped[.damaged, default: 0] <= 3 * 25, "only records in the middle of a write, \(place)")
      log.close()
    }
    history.count(into: &total)
    guard environmentNumber("TERN_KILL_ROUNDS") != nil else { return }
    print(
      "\(mode.rawValue): seed \(seed), \(rounds) kills, \(total.acknowledged) events acknowledged, \(total.settled) settled,",
      "0 lost, \(total.repeated) claimed again after a kill before they were settled")
  }

  private func open(_ options: Options) throws -> EventLog {
    try EventLog(
      EventLog.Configuration(directory: options.directory, maximumBytes: 64 << 20, bootID: HelperClock.bootID),
      fileSystem: SystemFileSystem(), clock: HelperClock())
  }
}
