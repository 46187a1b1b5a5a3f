import ServerBase

/// Rows as columns, in ClickHouse's Native format: the number of columns and of rows, then the columns.
package struct NativeBlock: Sendable, Equatable {
  package var columns: [NativeColumn]

  package init(_ columns: [NativeColumn]) { self.columns = columns }

  /// The number of rows.
  package var rows: Int { columns.first?.rows ?? 0 }

  package subscript(name: String) -> NativeColumn? { columns.first { $0.name == name } }

  /// The block as bytes.
  package var encoded: [UInt8] {
    var block: [UInt8] = []
    block.reserveCapacity(columns.reduce(100) { $0 + $1.bytes.count + 8 * $1.ends.count + 50 })
    block.appendVarint(UInt64(columns.count))
    block.appendVarint(UInt64(rows))
    for column in columns { column.write(to: &block) }
    return block
  }

  /// The blocks of an answer, which has as many as ClickHouse likes.
  ///
  /// - Throws: ``ClickHouseError`` with code `damaged` if the bytes are anything else, such as an answer that was cut off.
  package static func blocks(_ bytes: [UInt8]) throws(ClickHouseError) -> [NativeBlock] {
    let result = bytes.withUnsafeBytes { bytes -> Result<[NativeBlock], ClickHouseError> in
      var reader = ByteReader(bytes)
      var blocks: [NativeBlock] = []
      do throws(ClickHouseError) {
        while !reader.isAtEnd { blocks.append(try block(&reader)) }
      } catch {
        return .failure(error)
      }
      return .success(blocks)
    }
    return try result.get()
  }

  private static func block(_ reader: inout ByteReader) throws(ClickHouseError) -> NativeBlock {
    guard let count = reader.varint(), let rows = reader.varint().flatMap({ Int(exactly: $0) }) else { throw .cutOff }
    var columns: [NativeColumn] = []
    for _ in 0..<count {
      guard let name = reader.text(), let typeName = reader.text() else { throw .cutOff }
      guard let type = ColumnType(typeName) else {
        throw ClickHouseError(
          .damaged, "The answer has a column \(visible(name)) of a type that Tern doesn't read: \(visible(typeName)).")
      }
      guard let column = NativeColumn(name, type, rows: rows, from: &reader) else { throw .cutOff }
      columns.append(column)
    }
    return NativeBlock(columns)
  }

  private static func visible(_ text: String) -> String { String(reflecting: String(text.prefix(80))) }
}

extension ClickHouseError {
  fileprivate static var cutOff: ClickHouseError {
    ClickHouseError(.damaged, "The answer is cut off, or not in ClickHouse's Native format.")
  }
}
