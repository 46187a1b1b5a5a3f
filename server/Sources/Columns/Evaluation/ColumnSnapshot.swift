import TernBase

/// All rows of one app at a moment, in the order in which they were stored.
package struct ColumnSnapshot: Sendable {
  package var chunks: [Chunk]
  package var names: any PersonNames

  package init(chunks: [Chunk], names: any PersonNames) {
    self.chunks = chunks
    self.names = names
  }
}

/// The names of the numbered installs and users of an app.
package protocol PersonNames: Sendable {
  /// Returns the names of all installs by number; empty for a number without install.
  func installs() throws -> [String]
  /// Returns the names of all users by number; empty for a number without user.
  func users() throws -> [String]
}

/// Names that are loaded when a question first needs them.
final class LoadedNames: Sendable {
  private let names: any PersonNames
  private let known = Locked((installs: [String]?.none, users: [String]?.none))

  init(_ names: any PersonNames) { self.names = names }

  func install(_ number: UInt32) throws -> String {
    try known.withLock { known in
      let all = try known.installs ?? names.installs()
      known.installs = all
      return Self.name(number, all)
    }
  }

  func user(_ number: UInt32) throws -> String {
    try known.withLock { known in
      let all = try known.users ?? names.users()
      known.users = all
      return Self.name(number, all)
    }
  }

  private static func name(_ number: UInt32, _ names: [String]) -> String {
    Int(number) < names.count ? names[Int(number)] : ""
  }
}
