import ServerBase

/// The sessions that may have rows of several senders or in several chunks; few others are among them.
///
/// One bit for each hash: a table of all sessions would take most of the time.
final class SplitSessions {
  private let once: Memory<UInt64>
  private let twice: Memory<UInt64>
  private let mask: UInt64

  init(_ chunks: [Chunk]) {
    let senders = chunks.reduce(0) { $0 + $1.header.senders }
    // 32 bits per sender: about one session in thirty is taken for a split one.
    var words = 64
    while words * 2 < senders { words *= 2 }
    mask = UInt64(words) * 64 - 1
    once = Memory(count: words, zero: 0)
    twice = Memory(count: words, zero: 0)
    for chunk in chunks {
      for sender in 0..<chunk.header.senders where chunk.senderSessions[sender] != 0 {
        let hash = mixed(UInt64(chunk.senderSlots[sender]), UInt64(bitPattern: chunk.senderSessions[sender])) & mask
        let (word, bit) = (Int(hash >> 6), UInt64(1) << (hash & 63))
        twice[word] |= once[word] & bit
        once[word] |= bit
      }
    }
  }

  var byteCount: Int { once.count * 16 }

  func mayContain(_ install: UInt32, _ session: Int64) -> Bool {
    let hash = mixed(UInt64(install), UInt64(bitPattern: session)) & mask
    return twice[Int(hash >> 6)] >> (hash & 63) & 1 == 1
  }
}
