import ServerBase
import Warehouse

/// The first bytes of a chunk. With them, the places of all columns but those of properties are known.
package struct ChunkHeader: BitwiseCopyable, Equatable, Sendable {
  static let currentMark: UInt64 = 0x736C_6F43_6E72_6554  // "TernCols"
  static let currentFormat: UInt64 = 2

  var mark = currentMark
  var format = currentFormat
  package var app: Int64
  /// The rows of the chunk come after this one.
  package var after: Int64
  /// The last row up to which the app has no other rows than those of its chunks so far: that of the chunk, or a later one of
  /// another app.
  package var last: Int64 = 0
  package var rows = 0
  package var earliest: Int64 = .max
  package var latest: Int64 = .min
  /// 1 if rows have microseconds within their millisecond.
  var hasMoments = 0
  var senders = 0
  var devices = 0
  var labels = 0
  var texts = 0
  var textBytes = 0
  var properties = 0
  /// The size of everything, header included.
  package var byteCount = 0
  /// A hash of all bytes after the header.
  package var bodyCheck: UInt64 = 0
  /// A hash of the other members.
  var check: UInt64 = 0

  init(app: Int64, after: Int64) {
    self.app = app
    self.after = after
  }

  var expectedCheck: UInt64 {
    let numbers = [
      app, after, last, Int64(rows), earliest, latest, Int64(hasMoments), Int64(senders), Int64(devices), Int64(labels),
      Int64(texts),
      Int64(textBytes), Int64(properties), Int64(byteCount),
    ]
    return numbers.reduce(mixed(mixed(mark, format), bodyCheck)) { mixed($0, UInt64(bitPattern: $1)) }
  }

  private var hasSupportedTimes: Bool {
    TimeBounds.contains(earliest) && TimeBounds.contains(latest) && earliest <= latest
  }

  /// True if times are stored in 32 bits, as distances from the earliest one.
  var hasShortTimes: Bool { rows == 0 || latest - earliest <= Int64(UInt32.max) }

  /// True if IDs are stored in 32 bits, as distances from the row before the chunk.
  var hasShortIDs: Bool { last - after <= Int64(UInt32.max) }

  /// Returns true if the bytes are a whole chunk of the current format.
  static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count >= MemoryLayout<Self>.size else { return false }
    let header = bytes.load(as: Self.self)
    guard header.mark == currentMark, header.format == currentFormat, header.check == header.expectedCheck,
      header.byteCount == bytes.count, header.rows == 0 || header.hasSupportedTimes
    else { return false }
    return header.bodyCheck == checksum(UnsafeRawBufferPointer(rebasing: bytes[MemoryLayout<Self>.size...]))
  }

  /// A hash of bytes whose number is a multiple of eight.
  static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    let words = bytes.bindMemory(to: UInt64.self)
    var (first, second) = (UInt64(bytes.count), UInt64(0))
    var index = 0
    while index + 1 < words.count {
      first = mixed(first, words[index])
      second = mixed(second, words[index + 1])
      index += 2
    }
    if index < words.count { first = mixed(first, words[index]) }
    return mixed(first, second)
  }
}

/// The places of the columns in a chunk, each at a multiple of eight bytes.
struct ChunkLayout {
  let ids, times, moments, senders, labels: Int
  let senderSlots, senderUsers, senderSessions, senderDevices, senderFirsts, senderLasts: Int
  let deviceTexts, labelKinds, labelNames, textEnds, textBytes, properties: Int
  /// The start of the columns of properties.
  let end: Int

  init(_ header: ChunkHeader) {
    var position = MemoryLayout<ChunkHeader>.size
    func next(_ count: Int, _ width: Int) -> Int {
      defer { position += (count * width + 7) & ~7 }
      return position
    }
    ids = next(header.rows, header.hasShortIDs ? 4 : 8)
    times = next(header.rows, header.hasShortTimes ? 4 : 8)
    moments = next(header.hasMoments != 0 ? header.rows : 0, 2)
    senders = next(header.rows, 2)
    labels = next(header.rows, 2)
    senderSlots = next(header.senders, 4)
    senderUsers = next(header.senders, 4)
    senderSessions = next(header.senders, 8)
    senderDevices = next(header.senders, 2)
    senderFirsts = next(header.senders, 2)
    senderLasts = next(header.senders, 2)
    deviceTexts = next(header.devices * ChunkDevice.factCount, 4)
    labelKinds = next(header.labels, 1)
    labelNames = next(header.labels, 4)
    textEnds = next(header.texts, 4)
    textBytes = next(header.textBytes, 1)
    properties = next(header.properties, MemoryLayout<PropertyEntry>.stride)
    end = position
  }

  /// A property in the directory of a chunk.
  struct PropertyEntry: BitwiseCopyable {
    /// The number of its name among the texts.
    var name: UInt32
    /// The number of rows with a value.
    var rows: UInt32
    /// The distinct values that are numbers.
    var numbers: UInt32
    /// The distinct values that are texts.
    var texts: UInt32
    /// The place of its columns.
    var start: UInt64
  }
}
