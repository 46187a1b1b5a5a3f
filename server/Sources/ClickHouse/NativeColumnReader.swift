import ServerBase

/// Reads the values of a column one after another, in the memory that the column has anyway.
///
/// All methods return `nil` after the last value, and for values of the other kind.
package struct NativeColumnReader: Sendable {
  private let column: NativeColumn
  private let width: Int?
  private var position = 0
  private var row = 0
  private var element = 0

  package init(_ column: NativeColumn) {
    self.column = column
    width = column.type.scalar.width
  }

  /// The next number: one with a sign as the bits of an `Int64`, a fraction as the bits of a `Double`.
  package mutating func number() -> UInt64? {
    guard let width else { return nil }
    let read = column.bytes.withUnsafeBytes { bytes -> UInt64? in
      var reader = ByteReader(bytes)
      reader.position = position
      guard let value = reader.bytes(width) else { return nil }
      var number: UInt64 = 0
      withUnsafeMutableBytes(of: &number) { $0.copyMemory(from: value) }
      return UInt64(littleEndian: number)
    }
    guard let read else { return nil }
    position += width
    let shift = UInt64(64 - 8 * width)
    return column.type.scalar.isSigned ? UInt64(bitPattern: Int64(bitPattern: read << shift) >> Int64(shift)) : read
  }

  /// The next string as text; bytes that aren't UTF-8 are replaced.
  package mutating func text() -> String? { string { String(decoding: $0, as: UTF8.self) } }

  /// The next string as its bytes.
  package mutating func bytes() -> [UInt8]? { string(Array.init) }

  private mutating func string<Value>(_ body: (UnsafeRawBufferPointer) -> Value) -> Value? {
    guard width == nil else { return nil }
    var end = position
    let value = column.bytes.withUnsafeBytes { bytes -> Value? in
      var reader = ByteReader(bytes)
      reader.position = position
      guard let value = reader.varint().flatMap({ Int(exactly: $0) }).flatMap({ reader.bytes($0) }) else { return nil }
      end = reader.position
      return body(value)
    }
    position = end
    return value
  }

  /// The number of elements of an array column's next row, which are to be read before the row after it.
  package mutating func elements() -> Int? {
    guard row < column.ends.count else { return nil }
    let (start, end) = (element, Int(clamping: column.ends[row]))
    (row, element) = (row + 1, end)
    return end - start
  }
}
