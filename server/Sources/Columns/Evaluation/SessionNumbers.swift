import ServerBase

/// Numbers sessions across chunks.
final class SessionNumbers {
  static let none = Int32(-1)
  private let table = PairTable()
  let ofSender = Memory<Int32>(count: Chunk.maximumRows, zero: 0)

  var count: Int { table.count }
  var byteCount: Int { count * 40 }

  func load(_ chunk: Chunk) {
    let numbers = ofSender.start
    for sender in 0..<chunk.header.senders {
      let session = chunk.senderSessions[sender]
      numbers[sender] = session == 0 ? Self.none : Int32(number(chunk.senderSlots[sender], session))
    }
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
