import ServerBase
package import Warehouse

/// Aliases, which questions need although rows of their kind have no properties: they lie in a column whose name is no text,
/// so that no question, and no property of a client, can name it.
extension Chunk {
  static let aliasName: [UInt8] = [0xFF]

  /// Calls `body` with the number of the user of each alias and the identifier that it joins with them, in the order of rows.
  func forEachAlias(_ body: (_ user: UInt32, _ identifier: UnsafeRawBufferPointer) throws -> Void) rethrows {
    guard let column = Self.aliasName.withUnsafeBytes({ property($0) }) else { return }
    for position in 0..<column.count {
      let row = column.rows.map { Int($0[position]) } ?? position
      let user = senderUsers[Int(senders[row])]
      guard user > 0, case .text(let text) = column.value(Int(column.indexes[position]), self) else { continue }
      try body(user - 1, text)
    }
  }
}

extension ChunkBuilder {
  /// Makes the last row an alias, which joins its user with an identifier.
  package func add(alias identifier: String) {
    add(Chunk.aliasName.withUnsafeBytes { text($0) }, text: text(identifier))
  }
}

extension JoinedIdentifiers {
  /// Joins the identifiers of the aliases in a chunk. Chunks must come in the order of their rows.
  ///
  /// - Parameter user: Returns the name of a user; empty for a number without user.
  package mutating func join(_ chunk: Chunk, user: (UInt32) throws -> String) rethrows {
    try chunk.forEachAlias { join(try user($0), String(decoding: $1, as: UTF8.self)) }
  }
}

/// The numbers that identifiers have as users and as installs.
package struct IdentifierNumbers: Sendable {
  package var users: [UInt32]
  package var installs: [UInt32]

  package init(users: [UInt32] = [], installs: [UInt32] = []) { (self.users, self.installs) = (users, installs) }
}
