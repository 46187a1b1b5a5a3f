package import Ingest
import ServerBase

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Hits in their stored form, to be read and counted by several threads.
///
/// The bytes are in separately mapped pages, which return to the system as soon as they are freed. `@unchecked
/// Sendable` because one thread fills it, and afterwards it is only read.
package final class RawHits: @unchecked Sendable {
  package struct Hit: BitwiseCopyable {
    package var id: Int64
    package var time: Int64
    package var device: Int64
    package var slot: UInt32
    fileprivate var block: UInt32 = 0
    fileprivate var userLength: UInt32 = 0
    fileprivate var start: UInt32 = 0
    fileprivate var length: UInt32 = 0

    package init(id: Int64, time: Int64, device: Int64, slot: UInt32) {
      (self.id, self.time, self.device, self.slot) = (id, time, device, slot)
    }
  }

  private static let blockSize = 1 << 20
  package var hits: [Hit] = []
  /// The devices of the hits, by number.
  package var devices: [Int64: IncomingDevice] = [:]
  private var blocks: [UnsafeMutableRawBufferPointer] = []
  private var used = 0

  /// Creates an empty list.
  package init() {}

  deinit { for block in blocks { munmap(block.baseAddress, block.count) } }

  /// The size in bytes.
  package var byteCount: Int {
    blocks.reduce(hits.count * MemoryLayout<Hit>.stride) { $0 + $1.count }
  }

  /// Adds a hit with its `uid` and its parameters in their stored form.
  package func add(_ hit: Hit, user: UnsafeRawBufferPointer, parameters: UnsafeRawBufferPointer) {
    var hit = hit
    let size = user.count + parameters.count
    if used + size > blocks.last?.count ?? 0 { addBlock(size) }
    (hit.block, hit.start) = (UInt32(blocks.count - 1), UInt32(used))
    (hit.userLength, hit.length) = (UInt32(user.count), UInt32(parameters.count))
    if let block = blocks.last, size > 0 {
      UnsafeMutableRawBufferPointer(rebasing: block[used...]).copyMemory(from: user)
      UnsafeMutableRawBufferPointer(rebasing: block[(used + user.count)...]).copyMemory(from: parameters)
    }
    used += size
    hits.append(hit)
  }

  private func addBlock(_ size: Int) {
    let size = max(size, Self.blockSize)
    let start = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let start, start != MAP_FAILED else { fatalError("There is no memory for hits.") }
    blocks.append(UnsafeMutableRawBufferPointer(start: start, count: size))
    used = 0
  }

  package func user(_ hit: Hit) -> UnsafeRawBufferPointer { bytes(hit, Int(hit.start), Int(hit.userLength)) }

  package func parameters(_ hit: Hit) -> UnsafeRawBufferPointer {
    bytes(hit, Int(hit.start + hit.userLength), Int(hit.length))
  }

  private func bytes(_ hit: Hit, _ start: Int, _ count: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: blocks[Int(hit.block)][start..<start + count])
  }

  /// Sorts hits by user, keeping the stored order within each user.
  package func sort() {
    var order = hits.indices.map { UInt64(hits[$0].slot) << 32 | UInt64($0) }
    order.withUnsafeMutableBufferPointer { $0.sortAscending() }
    hits = order.map { hits[Int($0 & 0xFFFF_FFFF)] }
  }

  /// Keeps about `limit` bytes of hits: those of the users with the smallest numbers, and at least one user's.
  ///
  /// - Returns: The kept hits, and the first user whose hits were left out, if any.
  package func limited(to limit: Int) -> (kept: RawHits, next: UInt32?) {
    sort()
    let kept = RawHits()
    kept.devices = devices
    var size = 0
    for (index, hit) in hits.enumerated() {
      if size > limit, hit.slot != hits[index - 1].slot { return (kept, hit.slot) }
      size += MemoryLayout<Hit>.stride + Int(hit.userLength + hit.length)
      kept.add(hit, user: user(hit), parameters: parameters(hit))
    }
    return (kept, nil)
  }

  /// Consecutive hits of whole users, about `size` each, or fewer if they take many bytes; ``sort()`` comes first.
  package func portions(of size: Int, bytes most: Int = 1 << 20) -> [Range<Int>] {
    var portions: [Range<Int>] = []
    var (start, bytes) = (0, 0)
    for (index, hit) in hits.enumerated() {
      if index > start, hit.slot != hits[index - 1].slot, index - start >= size || bytes >= most {
        portions.append(start..<index)
        (start, bytes) = (index, 0)
      }
      bytes += Int(hit.userLength + hit.length)
    }
    if start < hits.count { portions.append(start..<hits.count) }
    return portions
  }

  /// Decodes a range of hits.
  package func batch(_ range: Range<Int>) -> HitBatch {
    let batch = HitBatch()
    var numbers: [Int64: UInt32] = [:]
    for hit in hits[range] {
      let device = numbers[hit.device] ?? batch.number(of: devices[hit.device] ?? IncomingDevice())
      numbers[hit.device] = device
      batch.add(hit, user: user(hit), parameters: parameters(hit), device: device)
    }
    return batch
  }

  package func users(_ range: Range<Int>) -> Set<UInt32> { Set(hits[range].lazy.map(\.slot)) }
}
