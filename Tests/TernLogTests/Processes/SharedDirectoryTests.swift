import Foundation
import TernBase
import TernChildProcess
import TernEvents
import TernTestSupport
import Testing

@testable import CrashHelper
@testable import TernLog

@Suite struct `A directory used by real processes` {
  private func open(_ directory: String) throws -> EventLog {
    try EventLog(
      EventLog.Configuration(directory: directory, maximumBytes: 64 << 20, bootID: HelperClock.bootID),
      fileSystem: SystemFileSystem(), clock: HelperClock())
  }

  private func options(_ directory: String, process: Int, claims: Bool = false) -> Options {
    var options = Options()
    options.directory = directory
    options.process = process
    options.claims = claims
    return options
  }

  @Test func `is recreated when it is deleted under a running log, and the lost events are counted`() throws {
    let directory = try TemporaryDirectory()
    let queue = directory.path + "/queue"
    var options = options(queue, process: 1)
    options.threads = 2
    // Each append advances the uptime by a tenth of a second; the log checks its directory once a second.
    options.step = 100
    let helper = try HelperProcess(options)
    var said = helper.read { $0.count > 200 }
    while FileManager.default.fileExists(atPath: queue) { try? FileManager.default.removeItem(atPath: queue) }
    while (try? SystemFileSystem().list(queue + "/log-0").contains { $0.hasSuffix(".seg") }) != true {
      let next = helper.messages()
      try #require(!next.isEmpty, "the process keeps running")
      said += next
    }
    // More messages than the pipe holds: the events after them were stored in the new directory.
    let late = said.count + 2 * 4096 / Message.size
    said += helper.read { said.count + $0.count > late + 400 }
    said += helper.kill()
    let log = try open(queue)
    var found: Set<UInt32> = []
    while let claim = log.claim(1000) { found.formUnion(claim.records.map { UInt32(truncatingIfNeeded: $0.id.low) }) }
    let stored = said.filter { $0.kind == .stored }.map(\.number)
    #expect(Set(said[late...].filter { $0.kind == .stored }.map(\.number)).isSubset(of: found))
    let lost = Set(stored).subtracting(found)
    // A directory that goes while an event is written into it, or before it is whole again, drops that event.
    let gone = lost.count + said.count { $0.kind == .dropped }
    let counted = log.counts.dropped[.storageFailed, default: 0]
    #expect(gone <= counted && counted <= gone + 2, "each thread may not have reported its last event")
    #expect(!said[late...].contains { $0.kind == .dropped })
  }

  @Test func `is shared by processes, and opening it adopts the events of dead ones once`() throws {
    let directory = try TemporaryDirectory()
    let queue = directory.path + "/queue"
    var history = History()
    var started: [HelperProcess] = []
    for process in 1...3 {
      var options = options(queue, process: process)
      options.events = 150
      let helper = try HelperProcess(options)
      history.add(helper.read { $0.last?.kind == .finished }, "process \(process)")
      started.append(helper)
    }
    #expect(history.stored.count == 450)
    started[1].kill()
    var options = options(queue, process: 4)
    options.events = 100
    let successor = try HelperProcess(options)
    let said = successor.read { $0.last?.kind == .finished }
    #expect(said.contains(Message(.opened, 150)), "the events of the dead process, not those of the living ones")
    history.add(said, "the successor")
    let third = try open(queue)
    #expect(third.counts.waiting == 0, "all events belong to living processes")
    successor.kill()
    third.close()
    let log = try open(queue)
    #expect(log.counts.waiting == 250)
    _ = try started[0].finish()
    _ = try started[2].finish()
    log.close()
    let last = try open(queue)
    #expect(last.counts.waiting == 550)
    #expect(history.check(last, "at the end") == 0)
  }

  @Test func `loses no event when processes start together and die one after another`() throws {
    let seed = environmentNumber("TERN_KILL_SEED").map { UInt64($0) } ?? 2
    var generator = FastGenerator(seed: seed)
    let directory = try TemporaryDirectory()
    let queue = directory.path + "/queue"
    var history = History()
    var living: [HelperProcess] = []
    // Eighty rounds of three processes use up the distinct numbers.
    for round in 0..<min(History.rounds(default: 8), 80) {
      let place: Comment = "seed \(seed), round \(round)"
      // All start before any is read from, so that they open the directory simultaneously.
      while living.count < 3 {
        var options = options(queue, process: round * 3 + living.count + 1, claims: true)
        options.seed = generator.next()
        options.segmentBytes = 2 << 10
        living.append(try HelperProcess(options))
      }
      for _ in 0...generator.next() % 3 {
        let index = Int(generator.next() % UInt64(living.count))
        let wanted = Int(generator.next() % 200) + 2
        let helper = living.remove(at: index)
        history.add(helper.read { $0.count >= wanted } + helper.kill(), place)
        if living.isEmpty { break }
      }
    }
    for helper in living { history.add(helper.kill(), "the last ones") }
    let log = try open(queue)
    history.check(log, "seed \(seed)")
    #expect(history.stored.count > 100)
  }
}
