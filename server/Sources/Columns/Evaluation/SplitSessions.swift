import ServerBase
import Threads

/// The sessions that may have rows of several senders or in several chunks; few others are among them.
///
/// One bit for each hash: a table of all sessions would take most of the time.
final class SplitSessions {
  private let once: Memory<UInt64>
  private let twice: Memory<UInt64>
  private let mask: UInt64

  /// - Parameter threads: Those that look at the chunks at the same time.
  convenience init(_ chunks: [Chunk], _ threads: ParallelThreads) throws {
    let senders = chunks.reduce(0) { $0 + $1.header.senders }
    // 32 bits per sender: about one session in thirty is taken for a split one.
    var words = 64
    while words * 2 < senders { words *= 2 }
    let (size, count) = (words, max(min(threads.count, chunks.count), 1))
    let parts = try threads.map(count) { part in
      let sessions = SplitSessions(words: size)
      for chunk in chunks[chunks.count * part / count..<chunks.count * (part + 1) / count] { sessions.add(chunk) }
      return sessions
    }
    self.init(words: words)
    for part in parts { merge(part) }
  }

  private init(words: Int) {
    mask = UInt64(words) * 64 - 1
    once = Memory(count: words, zero: 0)
    twice = Memory(count: words, zero: 0)
  }

  private func add(_ chunk: Chunk) {
    for sender in 0..<chunk.header.senders where chunk.senderSessions[sender] != 0 {
      let hash = mixed(UInt64(chunk.senderSlots[sender]), UInt64(bitPattern: chunk.senderSessions[sender])) & mask
      let (word, bit) = (Int(hash >> 6), UInt64(1) << (hash & 63))
      twice[word] |= once[word] & bit
      once[word] |= bit
    }
  }

  private func merge(_ other: SplitSessions) {
    for word in 0..<once.count {
      twice[word] |= other.twice[word] | once[word] & other.once[word]
      once[word] |= other.once[word]
    }
  }

  var byteCount: Int { once.count * 16 }

  func mayContain(_ install: UInt32, _ session: Int64) -> Bool {
    let hash = mixed(UInt64(install), UInt64(bitPattern: session)) & mask
    return twice[Int(hash >> 6)] >> (hash & 63) & 1 == 1
  }
}
