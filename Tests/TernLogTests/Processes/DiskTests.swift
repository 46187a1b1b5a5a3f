import TernBase

#if canImport(Glibc)
  import Foundation
  import Glibc
  import TernChildProcess
  import TernEvents
  import TernTestSupport
  import Testing

  @testable import CrashHelper
  @testable import TernLog

  @Suite struct `A log on a failing real disk` {
    private let clock = ManualClock()

    private func configuration(_ disk: SmallDisk) -> EventLog.Configuration {
      EventLog.Configuration(directory: disk.path + "/queue", segmentBytes: 4 << 10)
    }

    private func open(_ disk: SmallDisk) throws -> EventLog {
      try EventLog(configuration(disk), fileSystem: SystemFileSystem(), clock: clock)
    }

    /// Appends numbered events; returns the stored ones.
    private func append(_ log: EventLog, _ numbers: Range<Int>) -> [UInt32] {
      numbers.compactMap { number in
        clock.advance(by: .milliseconds(10))
        let event = NumberedEvent(process: 0, thread: 0, index: number)
        let outcome = log.append(
          event.payload, id: event.id, time: clock.wallTime, uptimeMilliseconds: clock.uptime.wholeMilliseconds,
          lane: event.lane,
          context: LogContext(identity: event.identity))
        guard case .stored = outcome else {
          #expect(outcome == .dropped(.storageFailed))
          return nil
        }
        return event.number
      }
    }

    private func check(_ log: EventLog, _ stored: [UInt32], _ place: Comment) {
      var history = History()
      history.add(stored.map { Message(.stored, $0) }, place)
      #expect(history.check(log, place) == 0, "refused events are not there, \(place)")
      #expect(log.counts.waiting == stored.count, place)
    }

    @Test func `full: every refusal is counted, and storing resumes when there is room again`() throws {
      guard let disk = SmallDisk(bytes: 256 << 10) else { return }
      var log = try open(disk)
      var stored = append(log, 0..<100)
      #expect(stored.count == 100)
      var refused = 0
      for round in 1...6 {
        let filler = disk.fill()
        let more = append(log, round * 1000..<round * 1000 + 100)
        stored += more
        refused += 100 - more.count
        #expect(more.count < 60, "round \(round): at most as many as fit in a page")
        #expect(log.counts.dropped == [.storageFailed: refused])
        // A launch on a full disk also keeps existing events.
        if round % 2 == 0 {
          log.close()
          log = try open(disk)
        }
        check(log, stored, "full, round \(round)")
        try SystemFileSystem().remove(filler)
        let again = append(log, round * 1000 + 500..<round * 1000 + 550)
        #expect(again.count == 50, "room again, round \(round)")
        stored += again
      }
      check(log, stored, "at the end")
      log.close()
      log = try open(disk)
      check(log, stored, "after a restart")
      #expect(log.counts.dropped[.storageFailed] == refused)
      #expect(log.counts.dropped[.damaged] == nil, "a truncated write left no trace")
    }

    @Test func `full: claims and settlements still work, and free space`() throws {
      guard let disk = SmallDisk(bytes: 128 << 10) else { return }
      let log = try open(disk)
      var stored: [UInt32] = []
      var number = 0
      while log.counts.dropped.isEmpty {
        stored += append(log, number..<number + 1)
        number += 1
      }
      var received: [UInt32] = []
      for _ in 0..<20 {
        guard let claim = log.claim(10) else { break }
        received += claim.records.map { UInt32(truncatingIfNeeded: $0.id.low) }
        log.settle(claim.id, .delivered)
      }
      #expect(Set(received).isSubset(of: stored) && Set(received).count == received.count)
      #expect(received.count > 100)
      let more = append(log, 10_000..<10_100)
      #expect(more.count == 100, "settled segments made room")
      log.close()
      let rest = Set(stored).union(more).subtracting(received)
      check(try open(disk), rest.sorted { NumberedEvent(number: $0).index < NumberedEvent(number: $1).index }, "later")
    }

    @Test func `full: a killed process loses no event that was stored`() throws {
      // Large enough for the rounds without a filler: each change of identity begins a file, which takes a block.
      guard let disk = SmallDisk(bytes: 2 << 20) else { return }
      var history = History()
      var options = Options()
      options.directory = disk.path + "/queue"
      options.threads = 2
      for round in 0..<6 {
        options.process = round
        let filler = round % 2 == 1 ? disk.fill() : nil
        let helper = try HelperProcess(options)
        // Until an event is refused on a full disk, or else until half of the disk is full.
        let messages = helper.read { messages in
          messages.count > 200 && (filler == nil || messages.contains { $0.kind == .dropped })
        }
        history.add(messages + helper.kill(), "round \(round)")
        if filler == nil, round > 0 { continue }
        if let filler { try SystemFileSystem().remove(filler) }
        let log = try EventLog(
          EventLog.Configuration(directory: options.directory, bootID: HelperClock.bootID),
          fileSystem: SystemFileSystem(), clock: HelperClock())
        #expect(history.check(log, "round \(round)") <= 12)
        log.close()
      }
      #expect(history.dropped > 0 && history.stored.count > 400)
    }

    @Test func `read-only while open: drops are counted, claims still work, and storing resumes later`() throws {
      guard let disk = SmallDisk(bytes: 512 << 10) else { return }
      let log = try open(disk)
      var stored = append(log, 0..<60)
      guard disk.coverReadOnly() else { return print("skipped: a read-only mount is refused") }
      let during = append(log, 1000..<1100)
      #expect(during.count < 60, "no more than fit in the open segments")
      #expect(log.counts.dropped == [.storageFailed: 100 - during.count])
      stored += during
      check(log, stored, "while read-only")
      let claim = try #require(log.claim(20))
      let received = claim.records.map { UInt32(truncatingIfNeeded: $0.id.low) }
      log.settle(claim.id, .delivered)
      #expect(log.counts.waiting == stored.count - received.count)
      #expect(disk.uncover())
      clock.advance(by: .seconds(1))
      let after = append(log, 2000..<2050)
      #expect(after.count == 50)
      check(log, (stored + after).filter { !received.contains($0) }, "writable again")
    }

    @Test func `read-only at the start: no event is lost, every drop is counted, and nothing crashes`() throws {
      guard let disk = SmallDisk(bytes: 512 << 10) else { return }
      let first = try open(disk)
      let stored = append(first, 0..<60)
      first.close()
      #expect(disk.remount(readOnly: true))
      let log = try open(disk)
      check(log, stored, "while read-only")
      #expect(append(log, 1000..<1010) == [])
      #expect(log.counts.dropped == [.storageFailed: 10])
      log.synchronize()
      log.setMaximumBytes(24 << 10)
      // The first ten leave this process's log, but their tombstones cannot be written.
      if let claim = log.claim(10) { log.settle(claim.id, .delivered) }
      #expect(log.counts.waiting == 50)
      log.close()
      #expect(disk.remount(readOnly: false))
      let again = try open(disk)
      check(again, stored, "writable again: events settled meanwhile come back, and the collector recognises them")
      again.close()
    }

    @Test func `read-only without a directory: every drop is counted until the directory can be created`() throws {
      guard let disk = SmallDisk(bytes: 512 << 10), disk.remount(readOnly: true) else { return }
      let log = EventLog(unopened: configuration(disk), fileSystem: SystemFileSystem(), clock: clock)
      #expect(throws: LogError.self) { try log.open() }
      #expect(append(log, 0..<10) == [])
      #expect(disk.remount(readOnly: false))
      try log.open()
      let stored = append(log, 10..<20)
      #expect(stored.count == 10)
      check(log, stored, "writable")
      #expect(log.counts.dropped == [.storageFailed: 10])
    }
  }
#endif
