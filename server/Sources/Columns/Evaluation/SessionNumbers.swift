import ServerBase

/// Numbers sessions across chunks.
final class SessionNumbers {
  static let none = Int32(-1)
  private static let unknown = Int32(-2)
  private let table = PairTable()
  private let known = Memory<Int32>(count: Chunk.maximumRows, zero: unknown)
  @exclusivity(unchecked) private var chunk: Chunk?

  var count: Int { table.count }
  var byteCount: Int { count * 40 }

  /// Begins with the senders of a chunk. Their sessions are numbered as rows need them: few may pass.
  func move(to chunk: Chunk) {
    self.chunk = chunk
    known.start.update(repeating: Self.unknown, count: chunk.header.senders)
  }

  /// Returns the number of the session of a sender of the chunk.
  @inline(__always)
  func number(ofSender sender: Int) -> Int32 {
    let number = known[sender]
    return number == Self.unknown ? newNumber(ofSender: sender) : number
  }

  private func newNumber(ofSender sender: Int) -> Int32 {
    guard let chunk else { return Self.none }
    let session = chunk.senderSessions[sender]
    known[sender] = session == 0 ? Self.none : Int32(number(chunk.senderSlots[sender], session))
    return known[sender]
  }

  /// Returns the number of a session.
  func number(_ install: UInt32, _ session: Int64) -> Int {
    table.number(UInt64(install), UInt64(bitPattern: session)).0
  }

  /// True if a session has a number; rows without a session have none.
  func contains(_ install: UInt32, _ session: Int64) -> Bool {
    session != 0 && table.find(UInt64(install), UInt64(bitPattern: session)) != nil
  }

  func install(_ number: UInt32) -> UInt32 { UInt32(table.pair(Int(number)).first) }

  /// A session's number on its install.
  func session(_ number: UInt32) -> Int64 { Int64(bitPattern: table.pair(Int(number)).second) }

  /// Adds the sessions of another part; returns the number that each has here.
  func adopt(_ other: SessionNumbers) -> [Int] {
    (0..<other.count).map { index in
      let pair = other.table.pair(index)
      return table.number(pair.first, pair.second).0
    }
  }
}
