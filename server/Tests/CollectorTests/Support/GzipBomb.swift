/// A small gzip stream that inflates to many zeros.
enum GzipBomb {
  /// The stream.
  static func bytes(megabytes: Int) -> [UInt8] {
    var bits = BitWriter()
    // One block with fixed codes: the literal 0, then 258-byte copies at distance 1.
    bits.write(1, count: 1)
    bits.write(1, count: 2)
    bits.writeCode(0b0011_0000, count: 8)
    for _ in 0..<(megabytes << 20) / 258 {
      bits.writeCode(0b1100_0101, count: 8)
      bits.writeCode(0, count: 5)
    }
    bits.writeCode(0, count: 7)
    return [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3] + bits.finished() + [UInt8](repeating: 0, count: 8)
  }
}

/// Packs bits like DEFLATE: lowest first, codes from their highest bit.
private struct BitWriter {
  private var bytes: [UInt8] = []
  private var current: UInt32 = 0
  private var filled = 0

  mutating func write(_ value: UInt32, count: Int) {
    current |= value << UInt32(filled)
    filled += count
    while filled >= 8 {
      bytes.append(UInt8(truncatingIfNeeded: current))
      current >>= 8
      filled -= 8
    }
  }

  mutating func writeCode(_ code: UInt32, count: Int) {
    for bit in (0..<count).reversed() { write(code >> UInt32(bit) & 1, count: 1) }
  }

  mutating func finished() -> [UInt8] {
    if filled > 0 { bytes.append(UInt8(truncatingIfNeeded: current)) }
    return bytes
  }
}
