import TernBase
import TernEvents
import TernTestSupport

@testable import TernLog

extension FuzzTarget {
  /// Files of the device's log, in which the checksums of headers and records are made right, and which are then adopted,
  /// claimed, delivered in part, and erased.
  static var segments: FuzzTarget {
    FuzzTarget(changes: 50) { input in
      for bytes in [Array(input), repaired(Array(input))] { read(bytes) }
    }
  }

  private static func read(_ bytes: [UInt8]) {
    let files = InMemoryFileSystem()
    let name = SegmentName(number: 1, lane: .normal)
    // In the directory that the log takes, and in that of a dead process.
    for directory in ["/queue", "/queue/log-0", "/queue/log-1"] {
      do { try files.makeDirectory(directory) } catch { fatalError("\(error)") }
      if directory != "/queue" { files.setContents(of: "\(directory)/\(name.text)", to: bytes) }
    }
    guard
      let log = try? EventLog(EventLog.Configuration(directory: "/queue"), fileSystem: files, clock: StillClock())
    else { return }
    _ = log.adoptOrphans()
    var isFirst = true
    while let claim = log.claim(maximumEvents: 3, maximumBytes: 2_000) {
      precondition(!claim.records.isEmpty, "a claim without records")
      let part = BatchResolution.partly(delivered: Set(claim.records.prefix(1).map(\.id)), dropped: [:])
      guard log.settle(claim.id, isFirst ? part : .delivered) else { break }
      isFirst = false
    }
    log.erase()
    log.close()
  }

  /// The bytes with valid checksums, wherever a header or a record begins.
  private static func repaired(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.count >= SegmentHeader.minimumSize, let header = SegmentHeader(repairing: bytes) else { return bytes }
    var file = [UInt8](repeating: 0, count: header.size)
    file.withUnsafeMutableBytes { if let start = $0.baseAddress { header.encode(to: start) } }
    var payload = bytes.dropFirst(SegmentHeader.minimumSize)
    var ordinal = 0
    // A record: its length, the distance of its number to the one before, times, and its payload.
    while payload.count > 12 {
      let head = Array(payload.prefix(12))
      let length = min(Int(head[0]), payload.count - 12)
      let text = Array(payload.dropFirst(12).prefix(length))
      payload = payload.dropFirst(12 + length)
      ordinal += Int(head[1])
      let time = head[2..<10].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      var record = text.withUnsafeBytes {
        RecordHeader(
          payload: $0, time: Timestamp(millisecondsSince1970: Int64(bitPattern: time)),
          uptimeMilliseconds: UInt64(head[10]) << 40 | time & 0xFFFF, id: UniqueID(high: time, low: UInt64(ordinal)))
      }
      record.ordinal = ordinal & 0xFFFF
      record.isVoid = head[11] == 1
      let place = file.count
      file += [UInt8](repeating: 0, count: RecordHeader.size) + text
      file.withUnsafeMutableBytes {
        if let start = $0.baseAddress { record.encode(to: start + place, salt: header.salt, offset: place) }
      }
    }
    return file + payload
  }
}

extension SegmentHeader {
  /// The header in the first bytes of a file, whose checksum may be wrong.
  fileprivate init?(repairing bytes: [UInt8]) {
    guard let lane = Lane(rawValue: bytes[6] & 1), let part = LogContext.Part(rawValue: bytes[7] & 1) else {
      return nil
    }
    let (salt, created, uptime, identity) = bytes.withUnsafeBytes { bytes in
      (
        bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self),
        bytes.loadUnaligned(fromByteOffset: 16, as: Int64.self),
        bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self),
        bytes.loadUnaligned(fromByteOffset: 48, as: UInt32.self)
      )
    }
    let facts = Array(bytes[64..<min(64 + Int(bytes[12]) % 64, bytes.count)])
    self.init(
      salt: salt, created: Timestamp(millisecondsSince1970: created), createdUptimeMilliseconds: uptime,
      bootID: UniqueID(high: 0, low: UInt64(bytes[40] & 1)), lane: lane,
      context: LogContext(identity: identity, part: part, facts: facts))
  }
}

/// A clock that stands still.
private struct StillClock: TernClock {
  var wallTime: Timestamp { FuzzTarget.moments[0] }
  var uptime: Duration { .seconds(1_000) }
  func sleep(until deadline: Duration) async {}
}
