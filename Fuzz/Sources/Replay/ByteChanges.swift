import TernEvents

extension FuzzTarget {
  /// Changes some bytes of an input in place: the ways of libFuzzer that matter most, with the same result for a seed.
  static func changeBytes(
    _ bytes: UnsafeMutablePointer<UInt8>, _ size: Int, _ capacity: Int, _ seed: UInt32
  ) -> Int {
    // Other numbers than those that chose to change bytes.
    var generator = FastGenerator(seed: UInt64(seed) << 32)
    var changed = Array(UnsafeBufferPointer(start: bytes, count: size))
    let place = Int.random(in: 0...size, using: &generator)
    let length = min(1 << Int.random(in: 0..<7, using: &generator), size - place)
    let part = place..<place + length
    switch Int.random(in: 0..<7, using: &generator) {
    case 0 where length > 0: changed[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
    case 1 where length > 0: changed[place] = UInt8.random(in: 0...255, using: &generator)
    case 2: changed.removeSubrange(part)
    case 3: changed.insert(contentsOf: changed[part], at: Int.random(in: 0...size, using: &generator))
    case 4:
      // Lengths and counts, of each width and in both orders.
      let extreme =
        [0, 1, 127, 128, 255, 256, 32_767, 65_535, .max, .min, -1, Int(Int32.max), Int(UInt32.max)]
        .randomElement(using: &generator) ?? 0
      let width = 1 << Int.random(in: 0..<4, using: &generator)
      let number = (0..<width).map { UInt8(truncatingIfNeeded: extreme >> ($0 * 8)) }
      let end = min(place + width, size)
      changed.replaceSubrange(
        place..<end, with: (Bool.random(using: &generator) ? number : number.reversed()).prefix(end - place))
    case 5:
      // The largest number of variable length, and others that look like it.
      let byte: UInt8 = Bool.random(using: &generator) ? 255 : 0
      changed.insert(contentsOf: [UInt8](repeating: byte, count: length) + [1], at: place)
    default:
      let random = (0...length).map { _ in UInt8.random(in: 0...255, using: &generator) }
      changed.insert(contentsOf: random, at: place)
    }
    let result = changed.prefix(capacity)
    result.withUnsafeBufferPointer { if let start = $0.baseAddress { bytes.update(from: start, count: $0.count) } }
    return result.count
  }
}
