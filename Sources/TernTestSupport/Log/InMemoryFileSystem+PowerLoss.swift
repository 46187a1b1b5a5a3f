import TernBase
import TernEvents

extension InMemoryFileSystem {
  /// Ends the process and cuts the power: for each sector, chance decides if unflushed bytes reached the medium.
  ///
  /// Flushing a file flushes its bytes, flushing any directory flushes all names. The same seed makes the same choices.
  package func losePower(seed: UInt64) {
    var generator = FastGenerator(seed: seed)
    state.withLock { $0.losePower(&generator) }
  }
}

extension InMemoryFiles {
  private static let sectorBytes = 512

  /// Records that a file's bytes, or all names, are on the medium.
  mutating func flush(_ path: String) {
    if let inode = files[path] {
      let bytes = inodes[inode]?.bytes ?? []
      inodes[inode]?.flushed = bytes
      inodes[inode]?.cut = .max
    } else {
      flushNames()
    }
  }

  private mutating func flushNames() {
    flushedFiles = files
    for inode in inodes.keys {
      guard let cut = inodes[inode]?.cut, cut < .max else { continue }
      let kept = Array(inodes[inode]?.flushed.prefix(cut) ?? [])
      inodes[inode]?.flushed = kept
      inodes[inode]?.cut = .max
    }
  }

  mutating func losePower(_ generator: inout FastGenerator) {
    open = [:]
    // Names and truncations are journalled: all changes since the last flush are on the medium, or none.
    if generator.next() % 2 == 0 { files = flushedFiles } else { flushNames() }
    let named = Set(files.values)
    for inode in inodes.keys.sorted() {
      guard named.contains(inode), var bytes = inodes[inode]?.bytes, let flushed = inodes[inode]?.flushed else {
        inodes[inode] = nil
        continue
      }
      if generator.next() % 2 == 0 { bytes.removeLast(max(bytes.count - flushed.count, 0)) }
      if bytes.count < flushed.count, generator.next() % 2 == 0 {
        bytes += flushed[bytes.count...]
      }
      for sector in stride(from: 0, to: bytes.count, by: Self.sectorBytes) where generator.next() % 2 == 0 {
        for offset in sector..<min(sector + Self.sectorBytes, bytes.count) {
          bytes[offset] = offset < flushed.count ? flushed[offset] : 0
        }
      }
      inodes[inode] = Inode(bytes: bytes, isLinked: true, flushed: bytes)
    }
  }
}
