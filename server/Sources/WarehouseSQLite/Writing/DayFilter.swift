import Ingest
import Views
import Warehouse

/// A Bloom filter over the keys of one day, which identifies most new keys without a look-up.
///
/// The filter is blocked, so a query touches one cache line per layer. Layers grow fourfold, so the number of keys
/// needn't be known in advance. At 12 bits per key, about one in a hundred new keys is a false positive.
final class DayFilter {
  private struct Layer {
    let words: Memory<UInt64>
    var blocks: UInt64
    var capacity: Int
    var count = 0

    init(capacity: Int) {
      self.capacity = capacity
      blocks = UInt64(max(1, capacity * 12 / 512))
      words = Memory(count: Int(blocks) * 8, zero: 0)
    }
  }

  private var layers = [Layer(capacity: 1 << 12)]

  /// The memory used, in bytes.
  var byteCount: Int { layers.reduce(0) { $0 + $1.words.count * 8 } }

  /// Adds a key; returns false if it was definitely not present.
  @inline(__always)
  func insert(_ key: DuplicateKey) -> Bool {
    let hash = mixed(UInt64(bitPattern: key.hash), UInt64(bitPattern: key.milliseconds))
    let bits = mixed(hash, 0x2545_F491_4F6C_DD1D)
    for index in layers.indices.dropLast() where contains(layers[index], hash, bits) { return true }
    if layers[layers.count - 1].count >= layers[layers.count - 1].capacity {
      if contains(layers[layers.count - 1], hash, bits) { return true }
      layers.append(Layer(capacity: layers[layers.count - 1].capacity * 4))
    }
    return set(&layers[layers.count - 1], hash, bits)
  }

  @inline(__always)
  private func contains(_ layer: Layer, _ hash: UInt64, _ bits: UInt64) -> Bool {
    let base = Int(hash.multipliedFullWidth(by: layer.blocks).high) * 8
    var bits = bits
    for _ in 0..<6 {
      if layer.words[base + Int(bits & 7)] & (1 << (bits >> 3 & 63)) == 0 { return false }
      bits >>= 9
    }
    return true
  }

  @inline(__always)
  private func set(_ layer: inout Layer, _ hash: UInt64, _ bits: UInt64) -> Bool {
    let base = Int(hash.multipliedFullWidth(by: layer.blocks).high) * 8
    var bits = bits
    var wasThere = true
    for _ in 0..<6 {
      let word = base + Int(bits & 7)
      let bit: UInt64 = 1 << (bits >> 3 & 63)
      if layer.words[word] & bit == 0 {
        wasThere = false
        layer.words[word] |= bit
      }
      bits >>= 9
    }
    if !wasThere { layer.count += 1 }
    return wasThere
  }
}
