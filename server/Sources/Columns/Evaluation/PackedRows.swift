/// A row of a person or session.
struct PersonRow: BitwiseCopyable {
  var moment: Moment
  /// Bits that the question needs.
  var bits: UInt32
  /// The number of a value, if the question needs one.
  var value: UInt32
}

/// Rows with their owners in three to five bytes each, written once and read in the same order.
///
/// A row is stored as its difference from the one before: rows arrive about in the order of time, and several of one owner together.
struct PackedRows {
  /// The most bytes that a row takes: two numbers of 64 bits, one of 32, and two bytes.
  private static let maximumRow = 27
  private static let (smallestBlock, largestBlock) = (64, 16_384)

  private var place: UnsafeMutablePointer<UInt8>?
  private var space = 0
  private var owner: UInt32 = 0
  private var time: Int64 = 0
  private(set) var count = 0
  /// The memory that the rows take.
  private(set) var byteCount = 0
  private var blocks: [UnsafeMutableRawBufferPointer] = []

  /// Adds a row.
  ///
  /// - Parameter width: The number of the lowest bits of a row that may be set.
  @inline(__always)
  mutating func append(_ row: PersonRow, of owner: UInt32, width: UInt32) {
    if space < Self.maximumRow { grow() }
    guard let start = place else { return }
    let (step, inMillisecond) = (row.moment.time - time, row.moment.inMillisecond)
    let distance = UInt64(bitPattern: step << 1 ^ step >> 63)
    var next = start
    Self.write(distance << 2 | (owner != self.owner ? 2 : 0) | (inMillisecond != 0 ? 1 : 0), &next)
    if owner != self.owner { Self.write(UInt64(owner), &next) }
    if inMillisecond != 0 {
      UnsafeMutableRawPointer(next).storeBytes(of: inMillisecond, as: UInt16.self)
      next += 2
    }
    Self.write(UInt64(row.value) &<< UInt64(width) | UInt64(row.bits), &next)
    space -= next - start
    (place, self.owner, time) = (next, owner, row.moment.time)
    count += 1
  }

  /// Calls `body` with each row and its owner.
  @inline(__always)
  func forEach(width: UInt32, _ body: (_ owner: UInt32, PersonRow) -> Void) {
    var (owner, time, left) = (UInt32(0), Int64(0), count)
    for block in blocks {
      guard let start = block.baseAddress else { continue }
      var next = UnsafePointer(start.assumingMemoryBound(to: UInt8.self))
      let end = next + block.count
      // A row begins only where the longest one would have fitted.
      while left > 0, end - next >= Self.maximumRow {
        let head = Self.read(&next)
        let distance = head >> 2
        time += Int64(bitPattern: distance >> 1) ^ -Int64(bitPattern: distance & 1)
        if head & 2 != 0 { owner = UInt32(truncatingIfNeeded: Self.read(&next)) }
        var inMillisecond = UInt16(0)
        if head & 1 != 0 {
          inMillisecond = UnsafeRawPointer(next).loadUnaligned(as: UInt16.self)
          next += 2
        }
        let content = Self.read(&next)
        body(
          owner,
          PersonRow(
            moment: Moment(time: time, inMillisecond: inMillisecond),
            bits: UInt32(truncatingIfNeeded: content & (1 &<< UInt64(width) - 1)),
            value: UInt32(truncatingIfNeeded: content &>> UInt64(width))))
        left -= 1
      }
    }
  }

  /// Forgets all rows.
  mutating func removeAll() {
    for block in blocks { block.deallocate() }
    self = PackedRows()
  }

  private mutating func grow() {
    let size = min(max(byteCount, Self.smallestBlock), Self.largestBlock)
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 8)
    blocks.append(block)
    byteCount += size
    place = block.baseAddress?.assumingMemoryBound(to: UInt8.self)
    space = size
  }

  /// Writes a number in seven bits a byte, the lowest ones first.
  @inline(__always)
  private static func write(_ number: UInt64, _ place: inout UnsafeMutablePointer<UInt8>) {
    var rest = number
    while rest >= 0x80 {
      place.pointee = UInt8(truncatingIfNeeded: rest) | 0x80
      place += 1
      rest >>= 7
    }
    place.pointee = UInt8(truncatingIfNeeded: rest)
    place += 1
  }

  @inline(__always)
  private static func read(_ place: inout UnsafePointer<UInt8>) -> UInt64 {
    var (number, shift) = (UInt64(0), UInt64(0))
    while place.pointee >= 0x80 {
      number |= UInt64(place.pointee & 0x7F) &<< shift
      shift += 7
      place += 1
    }
    number |= UInt64(place.pointee) &<< shift
    place += 1
    return number
  }
}
