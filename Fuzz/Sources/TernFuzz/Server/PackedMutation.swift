import Ingest
import TernGzip

/// Changes compressed inputs by what is in them: a changed byte seldom leaves a body that can be decompressed.
enum PackedMutation {
  /// Changes the body behind the byte that chooses the encoding, three times in four if it can be decompressed.
  static func mutate(
    _ bytes: UnsafeMutablePointer<UInt8>, _ size: Int, _ capacity: Int, _ seed: UInt32, _ mutator: TextMutator
  ) -> Int {
    guard seed % 4 > 0, size > 1,
      let body = try? BodyDecoder.decode(
        Array(UnsafeBufferPointer(start: bytes + 1, count: size - 1)),
        encoding: FuzzTarget.encodings[Int(bytes[0]) % 5],
        limits: .native)
    else { return FuzzTarget.changeBytes(bytes, size, capacity, seed) }
    var changed = body + [UInt8](repeating: 0, count: 1_024)
    let count = changed.withUnsafeMutableBufferPointer { buffer -> Int in
      guard let start = buffer.baseAddress else { return 0 }
      return mutator.mutate(start, body.count, buffer.count, seed / 4)
    }
    guard let packed = TernGzip.gzip(Array(changed.prefix(count))), packed.count < capacity else {
      return FuzzTarget.changeBytes(bytes, size, capacity, seed)
    }
    // As gzip, or as the same without its header and checksum.
    let isBare = seed % 8 > 4
    let result = [isBare ? 1 : 0] + (isBare ? packed.dropFirst(10).dropLast(8) : packed[...])
    result.withUnsafeBufferPointer { if let start = $0.baseAddress { bytes.update(from: start, count: $0.count) } }
    return result.count
  }
}
