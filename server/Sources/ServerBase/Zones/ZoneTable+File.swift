extension ZoneTable {
  /// The most bytes of a file; the largest real ones have a twentieth of it.
  package static let maximumFileBytes = 65_536

  /// Reads a TZif file of any version, or returns `nil` if it is damaged or counts leap seconds, which times here don't.
  ///
  /// Source: RFC 9636, section 3
  package init?(file bytes: [UInt8]) {
    guard bytes.count <= Self.maximumFileBytes else { return nil }
    var reader = Reader(bytes: bytes)
    guard var block = reader.header() else { return nil }
    var timeBytes = 4
    if block.version > 1 {
      // The first block has times of 32 bits, for programs that know no other.
      guard reader.skip(block.size(timeBytes: 4)), let second = reader.header(), second.version == block.version
      else { return nil }
      (block, timeBytes) = (second, 8)
    }
    guard block.leapCount == 0, block.typeCount > 0, block.typeCount <= 256 else { return nil }
    var times: [Int64] = []
    for _ in 0..<block.timeCount {
      guard let time = reader.integer(timeBytes) else { return nil }
      times.append(time)
    }
    guard let indexes = reader.take(block.timeCount) else { return nil }
    var offsets: [Int] = []
    for _ in 0..<block.typeCount {
      // Only a type's offset matters here: not its name, nor if it is daylight saving time.
      guard let offset = reader.integer(4), reader.skip(2) else { return nil }
      offsets.append(Int(offset))
    }
    guard indexes.allSatisfy({ $0 < offsets.count }),
      reader.skip(block.charCount + block.standardCount + block.utcCount)
    else { return nil }
    var rule: ZoneRule?
    if timeBytes == 8 {
      guard let footer = reader.line() else { return nil }
      if !footer.isEmpty {
        guard let read = ZoneRule(footer) else { return nil }
        rule = read
      }
    }
    let changes = zip(times, indexes).map { Change(second: $0, offset: offsets[Int($1)]) }
    self.init(first: offsets[0], changes: changes, rule: rule)
    // Times of 32 bits take twice as much when they are written again: refuse what couldn't be read back.
    guard file.count <= Self.maximumFileBytes else { return nil }
  }

  /// The table as a TZif file without the names of its kinds of time.
  package var file: [UInt8] {
    var offsets = [first]
    for change in changes where !offsets.contains(change.offset) { offsets.append(change.offset) }
    func header(_ version: UInt8, times: Int, types: Int) -> [UInt8] {
      Array("TZif".utf8) + [version] + [UInt8](repeating: 0, count: 15)
        + [0, 0, 0, times, types, 1].flatMap { Self.bigEndian(Int64($0), bytes: 4) }
    }
    // The version whose rules may have hours beyond a day.
    let version = UInt8(ascii: "3")
    return header(version, times: 0, types: 1) + [0, 0, 0, 0, 0, 0, 0]
      + header(version, times: changes.count, types: offsets.count)
      + changes.flatMap { Self.bigEndian($0.second, bytes: 8) }
      + changes.map { UInt8(truncatingIfNeeded: offsets.firstIndex(of: $0.offset) ?? 0) }
      + offsets.flatMap { Self.bigEndian(Int64($0), bytes: 4) + [0, 0] } + [0]
      + Array("\n\(rule?.text ?? "")\n".utf8)
  }

  private static func bigEndian(_ value: Int64, bytes: Int) -> [UInt8] {
    (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
}

private struct Block {
  var version: Int
  var utcCount, standardCount, leapCount, timeCount, typeCount, charCount: Int

  func size(timeBytes: Int) -> Int {
    timeCount * (timeBytes + 1) + typeCount * 6 + charCount + leapCount * (timeBytes + 4) + standardCount + utcCount
  }
}

private struct Reader {
  let bytes: [UInt8]
  var position = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
    guard count <= bytes.count - position else { return nil }
    defer { position += count }
    return bytes[position..<position + count]
  }

  mutating func skip(_ count: Int) -> Bool { take(count) != nil }

  /// A signed number in big-endian order.
  mutating func integer(_ count: Int) -> Int64? {
    guard let taken = take(count) else { return nil }
    let value = taken.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return count == 4 ? Int64(Int32(truncatingIfNeeded: value)) : Int64(bitPattern: value)
  }

  /// The numbers of a block's parts, each at most as many as there can be bytes.
  mutating func header() -> Block? {
    guard let magic = take(4), magic.elementsEqual("TZif".utf8), let version = take(1)?.first, skip(15) else {
      return nil
    }
    var counts: [Int] = []
    for _ in 0..<6 {
      guard let count = integer(4), (0...Int64(bytes.count)).contains(count) else { return nil }
      counts.append(Int(count))
    }
    let number = version == 0 ? 1 : Int(version) - Int(UInt8(ascii: "0"))
    guard (1...9).contains(number) else { return nil }
    return Block(
      version: number, utcCount: counts[0], standardCount: counts[1], leapCount: counts[2], timeCount: counts[3],
      typeCount: counts[4], charCount: counts[5])
  }

  /// The text between two line breaks.
  mutating func line() -> String? {
    let end = UInt8(ascii: "\n")
    guard take(1)?.first == end, let stop = bytes[position...].firstIndex(of: end) else { return nil }
    defer { position = stop + 1 }
    return String(decoding: bytes[position..<stop], as: UTF8.self)
  }
}
