import ServerBase

/// A column of a block: its values one after another, as ClickHouse's Native format has them.
package struct NativeColumn: Sendable, Equatable {
  package let name: String
  package let type: ColumnType
  /// The values; of an array column, the elements of all rows.
  private(set) var bytes: [UInt8] = []
  /// The number of values in `bytes`.
  private(set) var count = 0
  /// For each row of an array column, the number of elements up to its end.
  private(set) var ends: [UInt64] = []

  /// Creates a column without rows.
  package init(_ name: String, _ type: ColumnType) { (self.name, self.type) = (name, type) }

  /// The number of rows.
  package var rows: Int { type.isArray ? ends.count : count }

  // MARK: Writing

  /// Appends a number: its low bytes, as many as the type has. Negative ones and fractions are given by their bits.
  package mutating func append(_ number: UInt64) {
    // One call of a fixed size for each width: a slice would cost several times as much.
    switch type.scalar.width {
    case 8: withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    case 4: withUnsafeBytes(of: UInt32(truncatingIfNeeded: number).littleEndian) { bytes.append(contentsOf: $0) }
    case 2: withUnsafeBytes(of: UInt16(truncatingIfNeeded: number).littleEndian) { bytes.append(contentsOf: $0) }
    case 1: bytes.append(UInt8(truncatingIfNeeded: number))
    default: return append(text: String(number))
    }
    count += 1
  }

  package mutating func append(_ number: Int64) { append(UInt64(bitPattern: number)) }

  package mutating func append(_ number: Double) { append(number.bitPattern) }

  package mutating func append(text: String) { withUTF8(text) { append(bytes: $0) } }

  /// Appends a string of any bytes.
  package mutating func append(bytes string: UnsafeRawBufferPointer) {
    if string.count < 0x80 { bytes.append(UInt8(string.count)) } else { bytes.appendVarint(UInt64(string.count)) }
    bytes.append(contentsOf: string)
    count += 1
  }

  /// Ends a row of an array column after the elements that were appended since the last one.
  package mutating func endRow() { ends.append(UInt64(count)) }

  /// Appends the column to a block.
  func write(to block: inout [UInt8]) {
    block.append(text: name)
    block.append(text: type.description)
    for end in ends { withUnsafeBytes(of: end.littleEndian) { block.append(contentsOf: $0) } }
    block.append(contentsOf: bytes)
  }

  // MARK: Reading

  /// Reads the column of a block with a number of rows; `nil` if the bytes are not one.
  init?(_ name: String, _ type: ColumnType, rows: Int, from reader: inout ByteReader) {
    self.init(name, type)
    var values = rows
    if type.isArray {
      guard let offsets = size(of: rows, width: 8).flatMap({ reader.bytes($0) }) else { return nil }
      var last: UInt64 = 0
      for row in 0..<rows {
        let end = UInt64(littleEndian: offsets.loadUnaligned(fromByteOffset: row * 8, as: UInt64.self))
        guard end >= last else { return nil }
        ends.append(end)
        last = end
      }
      guard let elements = Int(exactly: last) else { return nil }
      values = elements
    }
    let start = reader.position
    if let width = type.scalar.width {
      guard let size = size(of: values, width: width), reader.bytes(size) != nil else { return nil }
    } else {
      for _ in 0..<values {
        guard let length = reader.varint().flatMap({ Int(exactly: $0) }), reader.bytes(length) != nil else {
          return nil
        }
      }
    }
    bytes = Array(reader.slice(from: start))
    count = values
  }

  /// The numbers, those with a sign as bits of an `Int64` and fractions as bits of a `Double`; empty for strings.
  package var numbers: [UInt64] {
    guard let width = type.scalar.width else { return [] }
    let shift = UInt64(64 - 8 * width)
    let isSigned = type.scalar.isSigned
    return bytes.withUnsafeBytes { bytes in
      (0..<count).map { index in
        var number: UInt64 = 0
        let value = UnsafeRawBufferPointer(rebasing: bytes[index * width..<(index + 1) * width])
        withUnsafeMutableBytes(of: &number) { $0.copyMemory(from: value) }
        number = UInt64(littleEndian: number)
        return isSigned ? UInt64(bitPattern: Int64(bitPattern: number << shift) >> Int64(shift)) : number
      }
    }
  }

  /// The strings; empty for numbers.
  package var strings: [[UInt8]] {
    guard type.scalar.width == nil else { return [] }
    return bytes.withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      return (0..<count).compactMap { _ in
        reader.varint().flatMap { Int(exactly: $0) }.flatMap { reader.bytes($0) }.map(Array.init)
      }
    }
  }

  /// Adds each row's value to a hash of the row. Columns with the same values give the same hashes, whether this program filled
  /// them or a server sent them.
  package func addHashes(to hashes: inout [UInt64]) {
    let (isArray, width) = (type.isArray, type.scalar.width)
    bytes.withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      var element = 0
      for row in hashes.indices {
        var hash = hashes[row]
        if isArray {
          let end = Int(ends[row])
          hash = mixed(hash, UInt64(end - element))
          while element < end {
            hash = mixed(hash, Self.value(&reader, width))
            element += 1
          }
        } else {
          hash = mixed(hash, Self.value(&reader, width))
        }
        hashes[row] = hash
      }
    }
  }

  /// Reads a value as a number, or as the hash of a string.
  @inline(__always)
  private static func value(_ reader: inout ByteReader, _ width: Int?) -> UInt64 {
    if width == 8 {
      return reader.bytes(8).map { UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) } ?? 0
    }
    let size = width ?? reader.varint().map { Int(clamping: $0) } ?? 0
    return reader.bytes(size).map { StringKey($0, seed: 0).hash } ?? 0
  }

  /// The elements of a row of an array column, as places in ``numbers`` or ``strings``.
  package func elements(of row: Int) -> Range<Int> {
    (row == 0 ? 0 : Int(ends[row - 1]))..<Int(ends[row])
  }
}

/// The bytes of a number of values of one width; `nil` if there is no such number.
private func size(of count: Int, width: Int) -> Int? {
  let (size, overflow) = count.multipliedReportingOverflow(by: width)
  return overflow ? nil : size
}
