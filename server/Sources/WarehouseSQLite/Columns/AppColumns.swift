import Columns
import ServerBase

/// The columns of one app: full chunks, and the rows after them.
final class AppColumns {
  let app: Int64
  private(set) var chunks: [Chunk] = []
  @exclusivity(unchecked) private(set) var builder: ChunkBuilder
  /// The IDs of names, and for each its text among those of the builder.
  private let names = PairTable()
  private let texts = GrowingMemory<UInt32>(zero: 0)
  var lastUser: (bytes: [UInt8], number: UInt32) = ([], 0)
  /// The current session of each install that sends hits of the Measurement Protocol.
  private var hitSessions: [UInt32: Int64] = [:]
  /// The builder's rows as a chunk.
  private var latest: Chunk?

  /// Begins after a row.
  init(app: Int64, after: Int64) {
    self.app = app
    builder = ChunkBuilder(app: app, after: after)
  }

  /// Continues after full chunks.
  init(app: Int64, chunks: [Chunk] = []) {
    self.app = app
    self.chunks = chunks
    builder = ChunkBuilder(app: app, after: chunks.last?.header.last ?? 0)
    for chunk in chunks {
      // The sessions of each install come in order.
      chunk.forEachSender { slot, session in if session < 0 { hitSessions[slot] = session } }
    }
  }

  /// The last row in full chunks.
  var chunked: Int64 { builder.after }

  func text(_ id: Int64, _ load: (Int64) throws -> String) rethrows -> UInt32 {
    let (number, isNew) = names.number(UInt64(bitPattern: id), 0)
    // After a failure, these columns are not used again.
    if isNew { texts.append(builder.text(try load(id))) }
    return texts.elements[number]
  }

  /// The session of a row; 0 for none.
  ///
  /// Hits have no sessions of their own. The warehouse marks those that begin one, and the install's further hits
  /// belong to it, in the order of arrival. Sessions that clients name are positive.
  func session(of row: EventRow) -> Int64 {
    guard row.flags.isMeasurement, row.session == 0 else { return row.session }
    if row.flags.startsSession { hitSessions[row.slot] = -row.id }
    return hitSessions[row.slot] ?? 0
  }

  /// Ends the chunk that the builder makes.
  ///
  /// - Parameter store: Stores a full chunk and returns the one to be used.
  func endChunk(_ store: (Chunk) -> Chunk) {
    let chunk = store(builder.finished())
    chunks.append(chunk)
    builder = ChunkBuilder(app: app, after: chunk.header.last)
    latest = nil
    names.removeAll()
    texts.removeAll()
  }

  /// Forgets full chunks.
  func dropChunks() { chunks = [] }

  /// All rows so far.
  func allChunks() -> [Chunk] {
    guard builder.rows > 0 else { return chunks }
    let known = latest.flatMap { $0.header.after == chunked && $0.rows == builder.rows ? $0 : nil }
    let chunk = known ?? builder.finished()
    latest = chunk
    return chunks + [chunk]
  }
}
