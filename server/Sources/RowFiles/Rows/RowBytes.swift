import ServerBase

/// Growing memory for the stored form of rows.
///
/// Raw memory rather than an array: a row takes a dozen appends, and an array checks each of them.
package final class RowBytes {
  @exclusivity(unchecked) private var start: UnsafeMutableRawPointer
  @exclusivity(unchecked) private var capacity: Int
  @exclusivity(unchecked) package private(set) var count = 0

  package init(capacity: Int = 64 << 10) {
    self.capacity = capacity
    start = .allocate(byteCount: capacity, alignment: 8)
  }

  deinit { start.deallocate() }

  package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

  package func removeAll() { count = 0 }

  /// The memory after the bytes, to be filled by a system call.
  package var free: UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(start: start + count, count: capacity - count)
  }

  /// Adds bytes that were written to ``free``.
  package func didFill(_ size: Int) { count += size }

  /// Makes room for bytes that are appended next; nothing else does.
  @inline(__always)
  package func reserve(_ size: Int) {
    if size > capacity - count { grow(by: size) }
  }

  private func grow(by size: Int) {
    capacity = max(capacity * 2, count + size)
    let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
    larger.copyMemory(from: start, byteCount: count)
    start.deallocate()
    start = larger
  }

  @inline(__always)
  func append(_ byte: UInt8) {
    start.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
    count += 1
  }

  @inline(__always)
  func append(word: UInt64) {
    start.storeBytes(of: word.littleEndian, toByteOffset: count, as: UInt64.self)
    count += 8
  }

  @inline(__always)
  func append(varint value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }

  @inline(__always)
  func append(zigzag value: Int64) { append(varint: UInt64(bitPattern: value << 1 ^ value >> 63)) }

  /// Appends the number of bytes, and the bytes.
  @inline(__always)
  func append(counted bytes: UnsafeRawBufferPointer) {
    append(varint: UInt64(bytes.count))
    guard let from = bytes.baseAddress else { return }
    (start + count).copyMemory(from: from, byteCount: bytes.count)
    count += bytes.count
  }
}
