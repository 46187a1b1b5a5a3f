/// The portable format of Roaring bitmaps (github.com/RoaringBitmap/RoaringFormatSpec), as far as it can be wrong.
///
/// CRoaring checks that a set lies within its bytes, but believes what they say: a wrong count makes it write beyond the memory
/// that was reserved for as many numbers, and numbers out of order make its operations wrong.
enum RoaringFormat {
  private static let cookieWithRuns: UInt32 = 12_347
  private static let cookie: UInt32 = 12_346
  /// The number of containers from which a set with runs has offsets as well.
  private static let offsetThreshold = 4
  private static let maximumArray = 4_096
  private static let bitmapWords = 1_024

  /// Returns true if all containers are in order and have the counts that they say.
  static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var cursor = Cursor(bytes)
    guard let first = cursor.next(UInt32.self) else { return false }
    var runs: UnsafeRawBufferPointer?
    let count: Int
    if first & 0xFFFF == cookieWithRuns {
      count = Int(first >> 16) + 1
      runs = cursor.next((count + 7) / 8)
      guard runs != nil else { return false }
    } else {
      guard first == cookie, let number = cursor.next(UInt32.self), number <= 1 << 16 else { return false }
      count = Int(number)
    }
    guard let heads = cursor.next(count * 4) else { return false }
    if runs == nil || count >= offsetThreshold, cursor.next(count * 4) == nil { return false }
    var previousKey = -1
    for index in 0..<count {
      let key = Int(UInt16(littleEndian: heads.loadUnaligned(fromByteOffset: index * 4, as: UInt16.self)))
      let size = Int(UInt16(littleEndian: heads.loadUnaligned(fromByteOffset: index * 4 + 2, as: UInt16.self))) + 1
      guard key > previousKey else { return false }
      previousKey = key
      let isRuns = runs.map { $0[index / 8] >> UInt8(index % 8) & 1 == 1 } ?? false
      let isValid =
        isRuns ? hasRuns(size, &cursor) : size > maximumArray ? hasBits(size, &cursor) : hasArray(size, &cursor)
      guard isValid else { return false }
    }
    return true
  }

  private static func hasArray(_ size: Int, _ cursor: inout Cursor) -> Bool {
    guard let values = cursor.next(size * 2) else { return false }
    var previous = -1
    for index in 0..<size {
      let value = Int(UInt16(littleEndian: values.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self)))
      guard value > previous else { return false }
      previous = value
    }
    return true
  }

  private static func hasBits(_ size: Int, _ cursor: inout Cursor) -> Bool {
    guard let words = cursor.next(bitmapWords * 8) else { return false }
    var bits = 0
    for index in 0..<bitmapWords {
      bits += words.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self).nonzeroBitCount
    }
    return bits == size
  }

  private static func hasRuns(_ size: Int, _ cursor: inout Cursor) -> Bool {
    guard let count = cursor.next(UInt16.self), let runs = cursor.next(Int(count) * 4) else { return false }
    var (end, total) = (-1, 0)
    for index in 0..<Int(count) {
      let start = Int(UInt16(littleEndian: runs.loadUnaligned(fromByteOffset: index * 4, as: UInt16.self)))
      let length = Int(UInt16(littleEndian: runs.loadUnaligned(fromByteOffset: index * 4 + 2, as: UInt16.self))) + 1
      guard start > end, start + length <= 1 << 16 else { return false }
      (end, total) = (start + length - 1, total + length)
    }
    return total == size
  }

  private struct Cursor {
    private var rest: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) { rest = bytes }

    mutating func next(_ count: Int) -> UnsafeRawBufferPointer? {
      guard count <= rest.count else { return nil }
      defer { rest = UnsafeRawBufferPointer(rebasing: rest[count...]) }
      return UnsafeRawBufferPointer(rebasing: rest[..<count])
    }

    mutating func next<Number: FixedWidthInteger & BitwiseCopyable>(_ type: Number.Type) -> Number? {
      next(MemoryLayout<Number>.size).map { Number(littleEndian: $0.loadUnaligned(as: type)) }
    }
  }
}
