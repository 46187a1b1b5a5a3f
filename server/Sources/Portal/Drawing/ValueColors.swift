import Warehouse

/// The colours of a chart by values.
///
/// A value has the same colour in every chart whose values are the same, whatever their order, and as a rule in every other
/// chart: readers compare the cards of a dashboard by colour. Each value prefers one colour, which depends on nothing else; of
/// several values in a chart that prefer the same one, the others take the colours that are left.
enum ValueColors {
  /// The numbers of the colours in the style sheet; the next one stands for all other values together.
  static let numbers = 1...(Chart.otherColor - 1)

  /// Returns the number of the colour of each value; `nil` stands for rows without a value. Of more values than colours, some
  /// share one.
  static func numbers(of values: [String?]) -> [Int] {
    let hashes = values.map(hash)
    // The order of a chart depends on its days. That of versions is the same in all charts, and lets the newest one, which is
    // looked at the most, keep its colour beside older ones.
    let order = values.indices.sorted { AppVersion.isOrdered(values[$1] ?? "", before: values[$0] ?? "") }
    var chosen = Array(repeating: 0, count: values.count)
    var free = Set(numbers)
    for index in order where free.remove(preferred(hashes[index])) != nil { chosen[index] = preferred(hashes[index]) }
    for index in order where chosen[index] == 0 {
      let start = preferred(hashes[index])
      let color = numbers.map { (start + $0 - 1) % numbers.count + 1 }.first { free.contains($0) } ?? start
      free.remove(color)
      chosen[index] = color
    }
    return chosen
  }

  private static func preferred(_ hash: UInt64) -> Int { Int(hash % UInt64(numbers.count)) + 1 }

  /// FNV-1a, mixed, because its lowest bits depend on the lowest bits of the bytes alone.
  private static func hash(_ value: String?) -> UInt64 {
    let bytes: [UInt8] = value.map { Array($0.utf8) + [1] } ?? [0]
    let hash = bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    return ((hash ^ (hash >> 32)) &* 0xD6E8_FEB8_6659_FD93) >> 32
  }
}
