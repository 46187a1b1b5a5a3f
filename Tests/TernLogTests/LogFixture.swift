import Foundation
import TernBase
import TernEvents
import TernTestSupport
import Testing

@testable import TernLog

/// A clock that only moves when a test advances it.
final class ManualClock: TernClock {
  private let locked: Locked<(wall: Int64, uptime: Duration)>

  init(wall: Int64 = 1_800_000_000_000) { locked = Locked((wall, .seconds(1000))) }

  var wallTime: Timestamp { Timestamp(millisecondsSince1970: locked.withLock { $0.wall }) }
  var uptime: Duration { locked.withLock { $0.uptime } }

  func sleep(until deadline: Duration) async {}

  func advance(by duration: Duration) {
    locked.withLock {
      $0.wall += duration.wholeMilliseconds
      $0.uptime += duration
    }
  }

  func setWallTime(to wall: Int64) { locked.withLock { $0.wall = wall } }

  /// Sets the wall clock forward or back.
  func jump(by duration: Duration) { locked.withLock { $0.wall += duration.wholeMilliseconds } }

  /// Switches the device off for a while; uptime starts again.
  func reboot(after duration: Duration) {
    locked.withLock {
      $0.wall += duration.wholeMilliseconds
      $0.uptime = .zero
    }
  }
}

/// The two file systems that the tests run on.
enum World: String, CaseIterable, CustomTestStringConvertible {
  case memory, disk

  var testDescription: String { rawValue }
}

/// A log with its file system and clock.
final class LogFixture {
  let directory: String
  let fileSystem: any FileSystem
  let memory: InMemoryFileSystem?
  let clock = ManualClock()
  var configuration: EventLog.Configuration
  private var appended = 0

  init(_ world: World = .memory) {
    switch world {
    case .memory:
      let memory = InMemoryFileSystem()
      directory = "/queue"
      self.memory = memory
      fileSystem = memory
    case .disk:
      directory = NSTemporaryDirectory() + "tern-log-" + UUID().uuidString
      memory = nil
      fileSystem = SystemFileSystem()
    }
    configuration = EventLog.Configuration(directory: directory)
  }

  /// A log on files that exist already.
  init(memory: InMemoryFileSystem) {
    directory = "/queue"
    self.memory = memory
    fileSystem = memory
    configuration = EventLog.Configuration(directory: directory)
  }

  deinit {
    if memory == nil { try? FileManager.default.removeItem(atPath: directory) }
  }

  func open() throws -> EventLog {
    try EventLog(configuration, fileSystem: fileSystem, clock: clock)
  }

  /// A log that touches no file before `open()`.
  func unopened() -> EventLog { EventLog(unopened: configuration, fileSystem: fileSystem, clock: clock) }

  /// Appends an event identified by its number.
  @discardableResult
  func append(
    _ log: EventLog, _ number: Int? = nil, lane: Lane = .normal, bytes: Int = 100, identity: UInt32 = 7
  ) -> AppendOutcome {
    let number = number ?? appended
    appended = number + 1
    return log.append(
      Self.payload(number, bytes: bytes), id: Self.id(number), time: clock.wallTime,
      uptimeMilliseconds: clock.uptime.wholeMilliseconds, lane: lane,
      context: Self.context(identity))
  }

  /// The context of the events of an identity, in which each byte matters.
  static func context(_ identity: UInt32) -> LogContext {
    LogContext(identity: identity, facts: Array("\"install\":\(identity)".utf8))
  }

  /// The bytes in front of the first record of a segment.
  static let headerBytes = SegmentHeader.size(of: context(7))

  static func id(_ number: Int) -> UniqueID {
    UniqueID(high: 0x1111_2222_3333_4444, low: UInt64(number))
  }

  static func payload(_ number: Int, bytes: Int = 100) -> [UInt8] {
    var payload = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: bytes)
    for (index, byte) in "event \(number)".utf8.enumerated() where index < bytes { payload[index] = byte }
    return payload
  }

  /// The total size of everything in the queue directory.
  var bytesOnDisk: Int {
    if let memory { return memory.totalBytes }
    let files = FileManager.default.enumerator(atPath: directory)
    var total = 0
    while files?.nextObject() != nil {
      let attributes = files?.fileAttributes
      if attributes?[.type] as? FileAttributeType == .typeRegular { total += attributes?[.size] as? Int ?? 0 }
    }
    return total
  }
}

extension LogCounts {
  /// True if every recorded event is waiting, claimed, delivered, or dropped for a reason.
  var balances: Bool { tracked == waiting + claimed + delivered + dropped.values.reduce(0, +) }
}

extension LogClaim {
  /// The numbers of the events, as passed to `LogFixture.append`.
  var numbers: [Int] { records.map { Int($0.id.low) } }

  /// True if every event is byte for byte as appended.
  var isGenuine: Bool {
    records.allSatisfy { record in
      Array(record.payload) == LogFixture.payload(Int(record.id.low), bytes: record.payload.count)
        && record.id.high == LogFixture.id(0).high && record.context == LogFixture.context(record.context.identity)
    }
  }
}

extension EventLog {
  /// Claims and delivers all waiting events; returns their numbers in order.
  func drain(batch: Int = 50) -> [Int] {
    var numbers: [Int] = []
    while let claim = claim(maximumEvents: batch, maximumBytes: 1 << 20) {
      numbers += claim.numbers
      #expect(claim.isGenuine)
      settle(claim.id, .delivered)
    }
    return numbers
  }

  /// The numbers of the events in the log, claimed ones included.
  var presentNumbers: Set<Int> {
    let (segments, paths) = state.withLock { state in
      let segments = state.lanes.flatMap { lane in lane.segments.indices.map { lane.segments[$0] } }
      return (segments, segments.map { state.path($0.name) })
    }
    var numbers: Set<Int> = []
    for (segment, path) in zip(segments, paths) where !segment.isSettled {
      guard let file = try? fileSystem.open(path, .read) else { continue }
      defer { fileSystem.close(file) }
      guard let bytes = try? fileSystem.bytes(of: file, from: segment.start, to: segment.end) else { continue }
      bytes.withUnsafeBytes { buffer in
        var walker = SegmentWalker(
          segment, SegmentReader(bytes: buffer, base: segment.start, salt: segment.header.salt))
        while let item = walker.peek() {
          if case .record(let header, _) = item { numbers.insert(Int(header.id.low)) }
          walker.take(item)
        }
      }
    }
    return numbers
  }

  /// Claims up to a number of events of any size.
  func claim(_ events: Int) -> LogClaim? { claim(maximumEvents: events, maximumBytes: .max) }
}
