import Views

/// Numbers sessions across chunks.
final class SessionNumbers {
  static let none = Int32(-1)
  private let table = PairTable()
  /// The number of the session of each sender of the chunk.
  let ofSender = Memory<Int32>(count: Chunk.maximumRows, zero: 0)

  var count: Int { table.count }
  var byteCount: Int { count * 40 }

  /// Numbers the sessions of a chunk.
  func load(_ chunk: Chunk) {
    for sender in 0..<chunk.header.senders {
      let session = chunk.senderSessions[sender]
      ofSender[sender] =
        session == 0
        ? Self.none : Int32(table.number(UInt64(chunk.senderSlots[sender]), UInt64(bitPattern: session)).0)
    }
  }

  /// The install of a session.
  func install(_ number: UInt32) -> UInt32 { UInt32(table.pair(Int(number)).first) }
}
