import ClickHouse
import Testing

@testable import Shipping

@Suite struct RowColumnsTests {
  private static let home = ShippingManifest.Home(id: 1, epoch: 2)

  private static func columns(_ ids: [Int64]) -> RowColumns {
    var columns = RowColumns()
    for id in ids { _ = columns.add(FakeRows.row(id)) }
    return columns
  }

  @Test func `every column has a value of each row, and a block that is read again has the same hashes`() throws {
    let columns = Self.columns(Array(1...200)).hashed
    let unit = ShippingUnit(epoch: 2, number: 1, segment: 1, ids: 1...200, content: columns.content)
    let block = columns.block(unit, of: Self.home)
    #expect(block.columns.map(\.name) == ClusterSchema.columns.map(\.name))
    #expect(block.columns.allSatisfy { $0.rows == 200 })
    let read = try #require(try NativeBlock.blocks(block.encoded).first)
    let again = try #require(RowColumns(read)).hashed
    #expect(again.columns.ids == columns.columns.ids && again.hashes == columns.hashes)
    #expect(again.errorHashes == columns.errorHashes && again.content == columns.content)
    #expect(Set(columns.hashes).count == 200)
    #expect(read["hash"]?.numbers.reduce(0, &+) == columns.content.checksum)
  }

  @Test func `a value that is changed in any column changes the hash of its row alone`() throws {
    let columns = Self.columns(Array(1...9))
    for column in ClusterSchema.rowColumns + ClusterSchema.errorColumns {
      var changed = columns
      changed.change(column.name, row: 3)
      let (before, after) = (columns.hashed, changed.hashed)
      let isError = ClusterSchema.errorColumns.contains { $0.name == column.name }
      let differ = (0..<9).filter { before.hash(of: $0) != after.hash(of: $0) }
      #expect(differ == [3], "\(column.name)")
      #expect((before.hashes[3] == after.hashes[3]) == isError, "\(column.name)")
    }
  }

  @Test func `large rows end a unit early`() {
    var columns = RowColumns()
    var rows = 0
    repeat { rows += 1 } while columns.add(FakeRows.row(2, text: String(repeating: "x", count: 1 << 20)))
    #expect(rows < 64 && columns.isFull)
  }

  @Test func `the partition of a row is the month in which it was received`() {
    #expect(RowColumns.month(of: 0) == 0 && RowColumns.month(of: 31 * 86_400_000 - 1) == 0)
    #expect(RowColumns.month(of: 31 * 86_400_000) == 31)
    #expect(RowColumns.month(of: -1) == 0 && RowColumns.month(of: .max) == 65_530)
  }
}

extension NativeColumn {
  /// The column with another value in one row.
  fileprivate func changed(row changedRow: Int) -> NativeColumn {
    var column = NativeColumn(name, type)
    let (numbers, strings) = (numbers, strings)
    func append(_ index: Int) {
      if strings.isEmpty {
        column.append(numbers[index])
      } else {
        strings[index].withUnsafeBytes { column.append(bytes: $0) }
      }
    }
    for row in 0..<rows {
      if case .array = type {
        for index in elements(of: row) { append(index) }
        if row == changedRow { column.append(1 as UInt64) }
        column.endRow()
      } else if row != changedRow {
        append(row)
      } else if strings.isEmpty {
        column.append(numbers[row] ^ 1)
      } else {
        column.append(text: "another")
      }
    }
    return column
  }
}

extension RowColumns {
  /// Puts another value into a row's column.
  fileprivate mutating func change(_ name: String, row: Int) {
    let block = NativeBlock(columns.map { $0.name == name ? $0.changed(row: row) : $0 })
    if let changed = RowColumns(block) { self = changed }
  }
}
