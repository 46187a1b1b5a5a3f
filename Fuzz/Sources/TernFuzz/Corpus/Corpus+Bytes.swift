import Ingest
import ServerBase
import TernEvents

@testable import RowFiles
@testable import WarehouseSQLite

extension Corpus {
  private static func properties(_ elements: [(String, PropertyValue)]) -> [UInt8] {
    var bytes: [UInt8] = []
    for (index, element) in elements.enumerated() {
      PropertyCoding.append(name: element.0, id: UInt64(index % 3), to: &bytes)
      PropertyCoding.append(element.1, to: &bytes)
    }
    return bytes
  }

  private static let someProperties: [[UInt8]] = [
    [], properties([("a", .string("x")), ("b", .integer(-5)), ("c", .double(2.5)), ("d", .boolean(true))]),
    properties([("", .date(FuzzTarget.moments[0])), ("queue_full", .integer(.max)), ("e", .double(.nan))]),
  ]

  /// Blocks of one row of each kind, and of all kinds.
  static var rows: [[UInt8]] {
    let rows = StoredKind.allCases.enumerated().map { index, kind in
      EventRow(
        id: Int64(index) + 1, app: 1, time: FuzzTarget.moments[0].millisecondsSince1970 + Int64(index) * 1_000,
        lag: Int64(index % 2) * 500, slot: UInt32(index / 3), device: 1, session: Int64(index / 2),
        flags: EventRow.Flags(rawValue: Int64(kind.rawValue | (index % 4) << 4)), name: Int64(index % 5),
        key: index % 3 == 0 ? nil : DuplicateKey(milliseconds: Int64(index), hash: Int64(index) &* 0x5851_F42D_4C95))
    }
    return rows.map { block([$0]) } + [block(rows), block(rows.reversed()), block(Array(rows.prefix(3)) + rows)]
  }

  private static func block(_ rows: [EventRow]) -> [UInt8] {
    var writer = RowBlockWriter()
    for row in rows {
      let user = row.id % 2 == 0 ? Array("user".utf8) : []
      let properties = someProperties[Int(row.id) % someProperties.count]
      let hit = HitCoding.encoded([HitParameter(name: "t", value: "screenview"), HitParameter(name: "cd", value: "A")])
      user.withUnsafeBytes { user in
        properties.withUnsafeBytes { properties in
          hit.withUnsafeBytes {
            writer.append(row, user: user, properties: properties, parameters: row.id % 3 == 0 ? $0 : nil)
          }
        }
      }
    }
    return Array(writer.bytes.bytes)
  }

  /// Pairs of packs with few and many users, equal and different values.
  static var packs: [[UInt8]] {
    let some = [
      pack([(0, 1)]), pack([(0, 1), (1, 3), (PropertyPack.other, 2)]), pack([(5, SlotSet.smallCount)]),
      pack([(0, SlotSet.smallCount + 2), (3, 1)]), pack([]),
    ]
    return some.flatMap { left in
      some.filter { left.count + $0.count < 1_500 }.map { right in
        let whole = max(left.count + right.count, 1)
        return [UInt8(clamping: (left.count * 256 + whole - 1) / whole)] + left + right
      }
    }
  }

  private static func pack(_ values: [(number: Int, users: Int)]) -> [UInt8] {
    var output: [UInt8] = []
    var previous = 0
    for (number, users) in values {
      var value: [UInt8] = []
      PropertyCoding.append(.string("v\(number)"), to: &value)
      value.withUnsafeBytes {
        PropertyPack.appendHead(
          step: number - previous, value: number == PropertyPack.other ? nil : $0, count: Int64(users), to: &output)
      }
      (0..<users).map { UInt32($0 * 200) }.withUnsafeBufferPointer { SlotSet.encode($0, into: &output) }
      previous = number
    }
    return output
  }

  /// Rows from a seed, by their bytes.
  static var columns: [[UInt8]] {
    (0..<20).map { seed in
      var generator = FastGenerator(seed: UInt64(seed))
      let largest: ClosedRange<UInt8> = 0...(seed % 2 == 0 ? 7 : 255)
      return (0..<3 + 14 * (1 + seed * 2)).map { _ in UInt8.random(in: largest, using: &generator) }
    }
  }

  static var keys: [[UInt8]] {
    (0..<12).map { seed in
      var generator = FastGenerator(seed: UInt64(seed))
      let count = seed * 3
      let numbers: [Int64] = [0, Int64(count), 1_770_033_600_000, Int64(count), 1]
      let keys = (0..<count).map { Int64($0) * 1_000 }.flatMap { [$0, Int64(bitPattern: generator.next())] }
      return (numbers + keys + [0] + (0..<8).map { _ in .max }).flatMap { number in
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
      }
    }
  }

  /// Headers with records of different lengths behind them, as the target for segments reads them.
  static var segments: [[UInt8]] {
    (0..<16).map { seed in
      var generator = FastGenerator(seed: UInt64(seed))
      let header = (0..<128).map { _ in seed % 4 == 0 ? 0 : UInt8.random(in: 0...255, using: &generator) }
      let records = (0..<seed).flatMap { number -> [UInt8] in
        let payload = Array("\"name\":\"n\(number)\"".utf8)
        let time = withUnsafeBytes(of: (1_770_000_000_000 + UInt64(number)).bigEndian) { Array($0) }
        return [UInt8(payload.count), 1] + time + [0, UInt8(number % 7 == 6 ? 1 : 0)] + payload
      }
      return header + records
    }
  }

  static var netlink: [[UInt8]] {
    func words(_ numbers: UInt32...) -> [UInt8] {
      numbers.flatMap { number in withUnsafeBytes(of: number) { Array($0) } }
    }
    func message(_ type: UInt32, _ body: [UInt8]) -> [UInt8] { words(UInt32(16 + body.count), type, 1, 0) + body }
    let up = message(16, words(0, 2, 0x1_0001, 0))
    let loopback = message(16, words(0, 1, 0x1_0009, 0))
    let removed = message(17, words(0, 2, 0, 0))
    let address = message(20, [2, 24, 0, 0] + words(2) + [8, 0, 1, 0, 192, 0, 2, 7, 8, 0, 2, 0, 192, 0, 2, 7])
    let long = message(20, [10, 64, 0, 0] + words(2) + [20, 0, 1, 0] + (0..<16) + [8, 0, 8, 0, 0x80, 0, 0, 0])
    let gone = message(21, [2, 24, 0, 0] + words(2) + [8, 0, 1, 0, 192, 0, 2, 7])
    let route = message(24, [2, 0, 0, 0, 254, 3, 0, 1] + words(0) + [8, 0, 4, 0, 2, 0, 0, 0])
    let done = message(3, words(0))
    let each = [up, loopback, removed, address, long, gone, route, done]
    let stories = [
      [up + loopback + done, address + done, removed, up, route], [done, done, up + address, gone, address],
      [up + address + done + long], [loopback, done, done, address, long + gone],
    ]
    return (each.map { [$0] } + stories).map { $0.flatMap { [UInt8($0.count)] + $0 } }
  }
}
