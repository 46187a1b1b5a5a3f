package import Columns
import RowFiles
import ServerBase

/// The columns of one app: ended chunks, and the rows after them.
package final class AppColumns {
  let app: Int64
  private(set) var chunks: [Chunk] = []
  @exclusivity(unchecked) package private(set) var builder: ChunkBuilder
  /// The IDs of names, and for each its text among those of the builder.
  private let names = PairTable()
  private let texts = GrowingMemory<UInt32>(zero: 0)
  var lastUser: (bytes: [UInt8], number: UInt32) = ([], 0)
  /// The current session of each install that sends hits of the Measurement Protocol.
  private var hitSessions: [UInt32: Int64] = [:]
  /// The builder's rows as a chunk.
  private var latest: Chunk?

  /// Begins after a row.
  package init(app: Int64, after: Int64) {
    self.app = app
    builder = ChunkBuilder(app: app, after: after)
  }

  /// Continues after ended chunks.
  package init(app: Int64, chunks: [Chunk] = []) {
    self.app = app
    self.chunks = chunks
    builder = ChunkBuilder(app: app, after: chunks.last?.header.last ?? 0)
    for chunk in chunks {
      // The sessions of each install come in order.
      chunk.forEachSender { slot, session in if session < 0 { hitSessions[slot] = session } }
    }
  }

  /// The last row up to which all of the app's rows are in ended chunks.
  var chunked: Int64 { builder.after }

  /// The last row that has been added, or that an ended chunk covers.
  var last: Int64 { builder.last }

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
  /// - Parameters:
  ///   - row: A row up to which the app has no others; `nil` for the last one of the chunk.
  ///   - store: Stores the chunk and returns the one to be used.
  package func endChunk(through row: Int64? = nil, _ store: (Chunk) throws -> Chunk) rethrows {
    let chunk = try store(builder.finished(through: row))
    chunks.append(chunk)
    builder = ChunkBuilder(app: app, after: chunk.header.last)
    latest = nil
    names.removeAll()
    texts.removeAll()
  }

  /// Forgets ended chunks.
  package func dropChunks() { chunks = [] }

  /// All rows so far.
  package func allChunks() -> [Chunk] {
    // A chunk without rows only says up to where there are none.
    let chunks = chunks.contains { $0.rows == 0 } ? chunks.filter { $0.rows > 0 } : chunks
    guard builder.rows > 0 else { return chunks }
    let known = latest.flatMap { $0.header.after == chunked && $0.rows == builder.rows ? $0 : nil }
    let chunk = known ?? builder.finished()
    latest = chunk
    return chunks + [chunk]
  }
}
