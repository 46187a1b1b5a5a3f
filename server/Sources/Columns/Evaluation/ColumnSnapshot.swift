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
final class LoadedNames {
  private let names: any PersonNames
  private lazy var installs = Result { try names.installs() }
  private lazy var users = Result { try names.users() }

  init(_ names: any PersonNames) { self.names = names }

  func install(_ number: UInt32) throws -> String { Self.name(number, try installs.get()) }
  func user(_ number: UInt32) throws -> String { Self.name(number, try users.get()) }

  private static func name(_ number: UInt32, _ names: [String]) -> String {
    Int(number) < names.count ? names[Int(number)] : ""
  }
}
