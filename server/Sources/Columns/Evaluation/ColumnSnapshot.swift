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

/// Reads from the database what the columns of an app only number: the names of installs and users, and the errors of a group.
package protocol PersonNames: Sendable {
  /// Returns the names of all installs by number; empty for a number without install.
  func installs() throws -> [String]
  /// Returns the name of an install; empty for a number without install.
  func install(_ number: UInt32) throws -> String
  /// Returns the names of all users by number; empty for a number without user.
  func users() throws -> [String]
  /// Returns the name of a user; empty for a number without user.
  func user(_ number: UInt32) throws -> String
  /// Returns the numbers of the users and installs that some identifiers name, for each list of identifiers.
  func numbers(of persons: [[String]]) throws -> [IdentifierNumbers]
  /// Returns the IDs of the errors of a group, in order.
  func errors(ofGroup number: Int64) throws -> [Int64]
  /// Returns the ID of the first error of each group, by its number.
  func firstErrors() throws -> [Int64: Int64]
}

/// Names that are loaded when a question first needs them.
final class LoadedNames: Sendable {
  private let names: any PersonNames
  private let installs = Locked(NameCache())
  private let users = Locked(NameCache())

  init(_ names: any PersonNames) { self.names = names }

  func install(_ number: UInt32) throws -> String {
    try installs.withLock { try $0.name(number, one: names.install, all: names.installs) }
  }

  func user(_ number: UInt32) throws -> String {
    try users.withLock { try $0.name(number, one: names.user, all: names.users) }
  }

  func numbers(of persons: [[String]]) throws -> [IdentifierNumbers] { try names.numbers(of: persons) }

  func errors(ofGroup number: Int64) throws -> [Int64] { try names.errors(ofGroup: number) }

  func firstErrors() throws -> [Int64: Int64] { try names.firstErrors() }
}

/// Names, first one by one: a page of persons needs a hundred, and loading all would take longer than finding them.
private struct NameCache {
  private static let maximumSingles = 1_000

  private var singles: [UInt32: String] = [:]
  private var all: [String]?

  mutating func name(_ number: UInt32, one: (UInt32) throws -> String, all load: () throws -> [String]) rethrows
    -> String
  {
    if all == nil, singles.count < Self.maximumSingles {
      let name = try singles[number] ?? one(number)
      singles[number] = name
      return name
    }
    let names = try all ?? load()
    all = names
    return Int(number) < names.count ? names[Int(number)] : ""
  }
}
