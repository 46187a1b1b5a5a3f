import TernBase
import TernEvents

/// The age of events, independent of wall clock changes: the log's own time, which only runs forward.
///
/// Within a boot it is the uptime. Between two boots it advances by the difference of the wall clock, but at least by
/// the uptime of the later boot, which is certain, and by no more than that if the wall clock claims more than the age
/// limit, since the clock may have been set. So a clock that jumps by years expires nothing, and one that falls back
/// keeps nothing forever.
struct AgeClock: Equatable {
  /// A boot, and the log's time at which its uptime was zero, in milliseconds.
  struct Boot: Equatable {
    var id: UniqueID
    var start: Int64
  }

  /// The readings of both clocks at one moment of a boot.
  struct Moment: Equatable {
    var wall: Timestamp
    var uptime: Int64

    init(wall: Timestamp, uptime: Duration) {
      self.init(wall: wall, uptime: uptime.wholeMilliseconds)
    }

    init(wall: Timestamp, uptime: Int64) {
      self.wall = wall
      // Readings from a file can be anything; the bound keeps sums from overflowing.
      self.uptime = min(max(uptime, 0), Self.bound)
    }

    static let bound = Int64.max / 8
  }

  /// The present boot last, the others in no order.
  private(set) var boots: [Boot] = []
  /// The latest known moment of the last of `boots`.
  private(set) var latest = Moment(wall: Timestamp(millisecondsSince1970: 0), uptime: 0)

  /// Records the current moment; the first moment of another boot begins that boot.
  mutating func observe(_ moment: Moment, boot: UniqueID, limit: Duration) {
    if let last = boots.last, last.id != boot {
      let before = last.start + latest.uptime
      let start = before + Self.gap(from: latest, to: moment, limit) - moment.uptime
      boots.removeAll { $0.id == boot }
      boots.append(Boot(id: boot, start: min(start, Moment.bound)))
      latest = moment
    } else {
      if boots.isEmpty { boots.append(Boot(id: boot, start: 0)) }
      if moment.uptime >= latest.uptime { latest = moment }
    }
  }

  /// Adds an unknown boot whose records were found, by the latest moment of its records.
  mutating func place(_ boot: UniqueID, latest moment: Moment, limit: Duration) {
    guard let present = boots.last, !boots.contains(where: { $0.id == boot }) else { return }
    let end = present.start + latest.uptime - Self.gap(from: moment, to: latest, limit)
    boots.insert(Boot(id: boot, start: max(end - moment.uptime, -Moment.bound)), at: 0)
  }

  /// Moves the latest moment forward to that of a record, as needed after a kill.
  mutating func extend(_ boot: UniqueID, to moment: Moment) {
    if boots.last?.id == boot, moment.uptime > latest.uptime { latest = moment }
  }

  /// Removes boots that have no record left.
  mutating func keep(_ used: Set<UniqueID>) {
    guard let present = boots.last else { return }
    boots.removeAll { $0.id != present.id && !used.contains($0.id) }
  }

  /// The age of an event at an uptime of a boot; `nil` if the boot is unknown.
  func age(of uptime: UInt64, boot: UniqueID) -> Duration? {
    guard let present = boots.last, let own = boots.first(where: { $0.id == boot }) else { return nil }
    let then = own.start + min(Int64(clamping: uptime), Moment.bound)
    return .milliseconds(present.start + latest.uptime - then)
  }

  /// The time that passed between two moments of different boots.
  private static func gap(from earlier: Moment, to later: Moment, _ limit: Duration) -> Int64 {
    let wall = later.wall.since(earlier.wall)
    return wall > limit ? later.uptime : min(max(later.uptime, wall.wholeMilliseconds), Moment.bound)
  }
}

/// The file that keeps the age clock across boots.
extension AgeClock {
  static let fileName = "clock"
  /// "TCLK" in the order of the bytes.
  private static let magic: UInt32 = 0x4B4C_4354
  private static let headBytes = 32
  private static let bootBytes = 24
  /// A larger file was not written by a log.
  static let maximumFileBytes = headBytes + 10_000 * bootBytes

  func encoded() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Self.headBytes + boots.count * Self.bootBytes)
    bytes.withUnsafeMutableBytes { buffer in
      guard let target = buffer.baseAddress else { return }
      target.put(Self.magic, at: 0)
      target.put(UInt32(boots.count), at: 8)
      target.put(latest.wall.millisecondsSince1970, at: 16)
      target.put(latest.uptime, at: 24)
      for (index, boot) in boots.enumerated() {
        let offset = Self.headBytes + index * Self.bootBytes
        target.put(boot.id.high.byteSwapped, at: offset)
        target.put(boot.id.low.byteSwapped, at: offset + 8)
        target.put(boot.start, at: offset + 16)
      }
      target.put(Self.check(UnsafeRawBufferPointer(buffer)), at: 4)
    }
    return bytes
  }

  /// Reads the file's bytes; `nil` if the check is wrong.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= Self.headBytes, let source = bytes.baseAddress,
      source.get(UInt32.self, at: 0) == Self.magic, source.get(UInt32.self, at: 4) == Self.check(bytes)
    else { return nil }
    let count = min(Int(source.get(UInt32.self, at: 8)), (bytes.count - Self.headBytes) / Self.bootBytes)
    latest = Moment(
      wall: Timestamp(millisecondsSince1970: source.get(Int64.self, at: 16)), uptime: source.get(Int64.self, at: 24))
    for index in 0..<count {
      let offset = Self.headBytes + index * Self.bootBytes
      let start = source.get(Int64.self, at: offset + 16)
      boots.append(
        Boot(
          id: UniqueID(
            high: source.get(UInt64.self, at: offset).byteSwapped,
            low: source.get(UInt64.self, at: offset + 8).byteSwapped),
          start: min(max(start, -Moment.bound), Moment.bound)))
    }
  }

  private static func check(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    Checksum.of(UnsafeRawBufferPointer(rebasing: bytes[8...]))
  }
}
