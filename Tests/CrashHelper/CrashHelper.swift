import Foundation
import TernBase
import TernEvents
import TernLog

/// A process to be killed: it appends numbered events, reports them on standard output, and never cleans up.
@main struct Helper {
  let options: Options
  let log: EventLog
  let clock: HelperClock
  let signal = DispatchSemaphore(value: 0)

  static func main() {
    let options = Options(arguments: CommandLine.arguments.dropFirst())
    report([Message(.began), Message(.resident, residentKiB)])
    let clock = HelperClock()
    let log = EventLog(
      unopened:
        EventLog.Configuration(
          directory: options.directory, maximumBytes: options.maximumBytes, segmentBytes: options.segmentBytes,
          bootID: HelperClock.bootID),
      fileSystem: SystemFileSystem(), clock: clock)
    try? log.open()
    report([Message(.opened, UInt32(clamping: log.counts.waiting)), Message(.resident, residentKiB)])
    Helper(options: options, log: log, clock: clock).run()
  }

  private func run() {
    if options.claims {
      Thread.detachNewThread { claimForever() }
    }
    let group = DispatchGroup()
    for thread in 0..<options.threads {
      group.enter()
      Thread.detachNewThread {
        append(thread)
        group.leave()
      }
    }
    group.wait()
    Self.report([Message(.finished)])
    // Holds the lock until the test is done with this process.
    while readLine() != nil {}
  }

  private func append(_ thread: Int) {
    var generator = FastGenerator(seed: options.seed &+ UInt64(thread))
    var index = 0
    while options.events == 0 || index < options.events {
      let event = NumberedEvent(process: options.process, thread: thread, index: index)
      clock.advance(by: .milliseconds(options.step))
      let outcome = log.append(
        event.payload, id: event.id, time: clock.wallTime, uptimeMilliseconds: clock.uptime.wholeMilliseconds,
        lane: event.lane,
        context: LogContext(identity: event.identity))
      if case .stored = outcome {
        Self.report([Message(.stored, event.number)])
      } else {
        Self.report([Message(.dropped, event.number)])
      }
      index += 1
      if index % 16 == 0 { signal.signal() }
      if options.erases, index % 64 == 0, generator.next() % 4 == 0 {
        erase(of: NumberedEvent(process: options.process, thread: thread, index: Int(generator.next() % UInt64(index))))
      }
    }
  }

  private func erase(of event: NumberedEvent) {
    Self.report([Message(.erasing, event.number)])
    guard log.erase(.identity(event.identity)) else { return Self.report([Message(.disorder, event.number)]) }
    Self.report([Message(.erased, event.number)])
  }

  private func claimForever() {
    var generator = FastGenerator(seed: options.seed &+ 99)
    while true {
      signal.wait()
      if generator.next() % 8 == 0 { log.synchronize() }
      guard let claim = log.claim(maximumEvents: Int(generator.next() % 40) + 1, maximumBytes: .max) else { continue }
      let events = claim.records.map { NumberedEvent(number: UInt32(truncatingIfNeeded: $0.id.low)) }
      if !isOrdered(events) { Self.report([Message(.disorder, events[0].number)]) }
      Self.report(events.map { Message(.received, $0.number) })
      var left = events
      switch generator.next() % 8 {
      case 0:
        log.settle(claim.id, .returned)
        left = []
      case 1, 2:
        left = events.filter { _ in generator.next() % 2 == 0 }
        log.settle(claim.id, .partly(delivered: Set(left.map(\.id)), dropped: [:]))
      default: log.settle(claim.id, .delivered)
      }
      Self.report(left.map { Message(.settled, $0.number) })
    }
  }

  private func isOrdered(_ events: [NumberedEvent]) -> Bool {
    var last: [UInt32: UInt32] = [:]
    for event in events {
      if let previous = last[event.source], previous >= event.number { return false }
      last[event.source] = event.number
    }
    return true
  }

  private static var residentKiB: UInt32 {
    let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
    return fields.count > 1 ? (UInt32(fields[1]) ?? 0) * UInt32(clamping: sysconf(Int32(_SC_PAGESIZE)) / 1024) : 0
  }

  /// Sends a message to the test atomically: it is small enough for a single write to a pipe.
  private static func report(_ messages: [Message]) {
    let words = messages.map(\.encoded.littleEndian)
    words.withUnsafeBytes { bytes in
      guard !bytes.isEmpty, write(1, bytes.baseAddress, bytes.count) == bytes.count else { return }
    }
  }
}

/// The real wall clock, and an uptime that can be advanced.
final class HelperClock: TernClock {
  static let bootID = UniqueID(high: 7, low: 7)
  private let ahead = Locked(Duration.zero)

  var wallTime: Timestamp { Timestamp(millisecondsSince1970: Int64(Date().timeIntervalSince1970 * 1000)) }
  var uptime: Duration { .seconds(ProcessInfo.processInfo.systemUptime) + ahead.withLock { $0 } }

  func sleep(until deadline: Duration) async {}

  func advance(by duration: Duration) {
    if duration > .zero { ahead.withLock { $0 += duration } }
  }
}
