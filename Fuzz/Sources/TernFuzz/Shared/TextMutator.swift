import TernEvents

/// The form of a text of names and values, such as a form or JSON.
///
/// libFuzzer's own changes seldom put a whole number or a known name into the place of another.
struct TextMutator {
  /// The byte between a name and its value.
  let assignment: UInt8
  /// The bytes that end a value.
  let ends: Set<UInt8>
  /// The names that the target knows.
  let names: [String]
  /// Values besides ``extremes``.
  let values: [String]
  /// Writes a name with a value, to be inserted behind the end of another value.
  let pair: (String, String) -> String

  /// A form with one record in each line.
  static func form(names: [String], values: [String]) -> TextMutator {
    TextMutator(assignment: UInt8(ascii: "="), ends: Set("&\n".utf8), names: names, values: values) {
      "\($0)=\($1)&"
    }
  }

  /// JSON; the values are written as they are, with the quotes of texts.
  static func json(names: [String], values: [String]) -> TextMutator {
    TextMutator(assignment: UInt8(ascii: ":"), ends: Set(",}]\n".utf8), names: names, values: values) {
      "\"\($0)\":\($1),"
    }
  }

  /// Numbers at which arithmetic goes wrong, and texts that are almost numbers.
  static let extremes = [
    "-9223372036854775808", "9223372036854775807", "4611686018427387904", "-4294967296", "-1", "-0.000001",
    "9223372036854775808", "-9223372036854.775808", "9223372036853.775807", "-4611686018427387904", "4294967296",
    "2147483648", "-2147483649", "65536", "9007199254740993", "1e308", "-1e308", "5e-324", "1e400", "0.000001", "1.5",
    "-0", "0", "1", "NaN", "inf", ".", "-", "00000000000000000000000000000000000001",
  ]

  /// Changes an input in place and returns its new size, at most the capacity.
  func mutate(_ bytes: UnsafeMutablePointer<UInt8>, _ size: Int, _ capacity: Int, _ seed: UInt32) -> Int {
    var generator = FastGenerator(seed: UInt64(seed))
    let kind = Int.random(in: 0..<8, using: &generator)
    let text = Array(UnsafeBufferPointer(start: bytes, count: size))
    let changed: [UInt8]? =
      switch kind {
      case 0: replacingValue(text, &generator)
      case 1: insertingPair(text, &generator)
      case 2: repeating(text, &generator)
      case 3, 4: replacingKinds(text, &generator)
      default: nil
      }
    guard let changed, changed.count <= capacity else { return FuzzTarget.changeBytes(bytes, size, capacity, seed) }
    changed.withUnsafeBufferPointer { if let base = $0.baseAddress { bytes.update(from: base, count: changed.count) } }
    return changed.count
  }

  private func value(_ generator: inout FastGenerator) -> String {
    let list = values.isEmpty || Bool.random(using: &generator) ? Self.extremes : values
    return list.randomElement(using: &generator) ?? "0"
  }

  /// The text with another value behind one of its names.
  private func replacingValue(_ text: [UInt8], _ generator: inout FastGenerator) -> [UInt8]? {
    let signs = text.indices.filter { text[$0] == assignment }
    guard let sign = signs.randomElement(using: &generator) else { return nil }
    let end = text[(sign + 1)...].firstIndex { ends.contains($0) } ?? text.count
    return Array(text[...sign]) + Array(value(&generator).utf8) + Array(text[end...])
  }

  /// The text with other numbers: equal ones behind names that differ in their digits only, such as `pr1pr` and
  /// `pr2pr`, so that sums of them become extreme as well.
  private func replacingKinds(_ text: [UInt8], _ generator: inout FastGenerator) -> [UInt8]? {
    // The first ones are those whose sums and products leave the range.
    let list = Bool.random(using: &generator) ? Self.extremes[...] : Self.extremes.prefix(6)
    var chosen: [[UInt8]: [UInt8]] = [:]
    var changed: [UInt8] = []
    var start = 0
    while let sign = text[start...].firstIndex(of: assignment) {
      let end = text[(sign + 1)...].firstIndex { ends.contains($0) } ?? text.count
      let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
      let isNumber =
        end > sign + 1 && text[(sign + 1)..<end].allSatisfy { digits.contains($0) || "+-.eE".utf8.contains($0) }
      let name = text[start..<sign].filter { !digits.contains($0) && !ends.contains($0) }
      changed += text[start...sign]
      // A hit whose version is not 1 is not read any further.
      if isNumber, name != [UInt8(ascii: "v")] {
        let value = chosen[name] ?? Array((list.randomElement(using: &generator) ?? "0").utf8)
        chosen[name] = value
        changed += value
      } else {
        changed += text[(sign + 1)..<end]
      }
      start = end
    }
    return chosen.isEmpty ? nil : changed + text[start...]
  }

  /// The text with a further name and value.
  private func insertingPair(_ text: [UInt8], _ generator: inout FastGenerator) -> [UInt8]? {
    guard let name = names.randomElement(using: &generator) else { return nil }
    let places = text.indices.filter { ends.contains(text[$0]) || text[$0] == UInt8(ascii: "{") }.map { $0 + 1 } + [0]
    let place = places.randomElement(using: &generator) ?? 0
    return Array(text[..<place]) + Array(pair(name, value(&generator)).utf8) + Array(text[place...])
  }

  /// The text with a part of it, from one end of a value to another, a second time in another place; half of the time
  /// with the next numbers in its names, so that one product becomes two.
  private func repeating(_ text: [UInt8], _ generator: inout FastGenerator) -> [UInt8]? {
    let places = text.indices.filter { ends.contains(text[$0]) }.map { $0 + 1 } + [0, text.count]
    let chosen = (0..<3).map { _ in places.randomElement(using: &generator) ?? 0 }
    let (first, last) = (min(chosen[0], chosen[1]), max(chosen[0], chosen[1]))
    var part = Array(text[first..<last])
    if Bool.random(using: &generator) {
      var isName = true
      for index in part.indices {
        if ends.contains(part[index]) { isName = true } else if part[index] == assignment { isName = false }
        if isName, (0x30..<0x39).contains(part[index]) { part[index] += 1 }
      }
    }
    return Array(text[..<chosen[2]]) + part + Array(text[chosen[2]...])
  }
}
