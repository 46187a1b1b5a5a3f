import Testing

@testable import ClickHouse

/// A block with the boundary values of every type, alone and in arrays.
enum SampleBlock {
  /// The bits of the smallest and largest values, and of some between them.
  static func numbers(_ scalar: ColumnType.Scalar) -> [UInt64] {
    guard let width = scalar.width else { return [] }
    if scalar == .float64 {
      return [0, -0.0, 1, -1.5, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .infinity, -.infinity, .nan]
        .map(\.bitPattern)
    }
    let bits = UInt64(8 * width)
    if scalar.isSigned {
      let largest = Int64.max >> Int64(64 - bits)
      return [0, 1, -1, largest, -largest - 1].map { UInt64(bitPattern: $0) }
    }
    return [0, 1, UInt64.max >> (64 - bits)]
  }

  static let strings =
    ["", "a", "\0", "é\u{301}🇩🇪", "'\\`\n\t\u{7F}", String(repeating: "x", count: 300)].map { Array($0.utf8) } + [
      [0xFF, 0xC0, 0x80], Array(0...255),
    ]

  static func column(_ scalar: ColumnType.Scalar, rows: Int) -> NativeColumn {
    var column = NativeColumn("c_\(scalar.rawValue)", .one(scalar))
    let numbers = numbers(scalar)
    for row in 0..<rows {
      if numbers.isEmpty {
        strings[row % strings.count].withUnsafeBytes { column.append(bytes: $0) }
      } else {
        column.append(numbers[row % numbers.count])
      }
    }
    return column
  }

  /// Rows with no element, one, two, and so on, over and over.
  static func arrays(_ scalar: ColumnType.Scalar, rows: Int) -> NativeColumn {
    var column = NativeColumn("a_\(scalar.rawValue)", .array(scalar))
    let values = self.column(scalar, rows: 40)
    let (numbers, strings) = (values.numbers, values.strings)
    for row in 0..<rows {
      for index in 0..<row % 5 {
        if numbers.isEmpty {
          strings[(row + index) % strings.count].withUnsafeBytes { column.append(bytes: $0) }
        } else {
          column.append(numbers[(row + index) % numbers.count])
        }
      }
      column.endRow()
    }
    return column
  }

  static func block(rows: Int) -> NativeBlock {
    NativeBlock(ColumnType.Scalar.allCases.flatMap { [column($0, rows: rows), arrays($0, rows: rows)] })
  }
}

@Suite struct NativeBlockTests {
  @Test(arguments: [0, 1, 2, 40, 300]) func `a block is read as it was written`(rows: Int) throws {
    let block = SampleBlock.block(rows: rows)
    #expect(block.rows == rows)
    #expect(try NativeBlock.blocks(block.encoded) == [block])
    #expect(try NativeBlock.blocks(block.encoded + block.encoded) == [block, block])
  }

  @Test func `a block has the bytes that ClickHouse documents`() {
    var (id, names) = (NativeColumn("id", .one(.uint16)), NativeColumn("n", .array(.string)))
    id.append(258 as UInt64)
    id.append(-1 as Int64)
    names.append(text: "ab")
    names.endRow()
    names.endRow()
    var bytes: [UInt8] = [2, 2]
    bytes += [2] + Array("id".utf8) + [6] + Array("UInt16".utf8)
    bytes += [2, 1, 255, 255]
    bytes += [1] + Array("n".utf8) + [13] + Array("Array(String)".utf8)
    bytes += [1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]
    bytes += [2] + Array("ab".utf8)
    #expect(NativeBlock([id, names]).encoded == bytes)
  }

  @Test(arguments: ColumnType.Scalar.allCases) func `values are read with their sign`(scalar: ColumnType.Scalar) {
    let column = SampleBlock.column(scalar, rows: 40)
    if scalar == .string {
      #expect(column.strings == (0..<40).map { SampleBlock.strings[$0 % SampleBlock.strings.count] })
      #expect(column.numbers.isEmpty)
    } else {
      let values = SampleBlock.numbers(scalar)
      #expect(column.numbers == (0..<40).map { values[$0 % values.count] } && column.strings.isEmpty)
    }
  }

  @Test func `the elements of arrays are found by their row`() {
    let column = SampleBlock.arrays(.int32, rows: 12)
    #expect((0..<12).map { column.elements(of: $0).count } == (0..<12).map { $0 % 5 })
    #expect(column.elements(of: 11) == (column.numbers.count - 1)..<column.numbers.count)
  }

  @Test func `a block that is cut off anywhere is refused`() {
    let bytes = SampleBlock.block(rows: 12).encoded
    for end in 1..<bytes.count {
      #expect(throws: ClickHouseError.self, "\(end)") { try NativeBlock.blocks(Array(bytes.prefix(end))) }
    }
  }

  @Test func `changed bytes are refused or read, without a trap or much memory`() {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("Native blocks: seed \(seed)")
    var chance = seed
    func next(below limit: Int) -> Int {
      chance = chance &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((chance >> 33) % UInt64(limit))
    }
    let bytes = SampleBlock.block(rows: 7).encoded
    var refused = 0
    for _ in 0..<20_000 {
      var changed = bytes
      for _ in 0...next(below: 3) { changed[next(below: changed.count)] = UInt8(next(below: 256)) }
      guard let blocks = try? NativeBlock.blocks(changed) else {
        refused += 1
        continue
      }
      for column in blocks.flatMap(\.columns) { _ = (column.numbers.count, column.strings.count) }
    }
    #expect(refused > 1_000)
  }

  @Test func `types are read as ClickHouse writes them, and others are named`() throws {
    for scalar in ColumnType.Scalar.allCases {
      for type in [ColumnType.one(scalar), .array(scalar)] { #expect(ColumnType(type.description) == type) }
    }
    #expect(ColumnType("DateTime('Europe/Berlin')") == .one(.dateTime))
    for name in ["", "Array()", "Array(Array(UInt8))", "Nullable(UInt8)", "uint8", "LowCardinality(String)"] {
      #expect(ColumnType(name) == nil, "\(name)")
    }
    let block: [UInt8] = [1, 0, 1] + Array("c".utf8) + [15] + Array("Nullable(UInt8)".utf8)
    let error = #expect(throws: ClickHouseError.self) { try NativeBlock.blocks(block) }
    #expect(error?.message.contains("Nullable(UInt8)") == true)
  }
}
