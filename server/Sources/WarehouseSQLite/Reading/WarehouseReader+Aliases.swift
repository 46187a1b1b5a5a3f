package import Columns
package import Warehouse

extension WarehouseReader {
  /// Returns the identifiers that are one person with a user, the user's own included; `nil` if aliases join them with none.
  package func identifiers(ofUser name: String, app: AppID, _ connection: SQLConnection) throws -> [String]? {
    try Self.joinedIdentifiers(chunks(app, connection), app, connection).identifiers(with: name)
  }

  /// Returns the identifiers that the aliases of an app join.
  static func joinedIdentifiers(
    _ chunks: [Chunk], _ app: AppID, _ connection: SQLConnection
  ) throws -> JoinedIdentifiers {
    let find = try connection.prepare(kept: "SELECT name FROM member WHERE app = ? AND number = ?")
    var names: [UInt32: String] = [:]
    var joined = JoinedIdentifiers()
    for chunk in chunks {
      try joined.join(chunk) { number in
        if let name = names[number] { return name }
        let name = try find.bind(app.rawValue, Int64(number)).first { $0.text(0) } ?? ""
        names[number] = name
        return name
      }
      // Neighbouring chunks have other users.
      if names.count > 100_000 { names = [:] }
    }
    return joined
  }
}

/// Finds the numbers of the users and installs of an app that identifiers name. Not thread-safe.
package struct IdentifierLookup {
  private let app: Int64
  private let findUser: SQLStatement
  private let findInstall: SQLStatement

  package init(app: Int64, _ connection: SQLConnection) throws {
    self.app = app
    findUser = try connection.prepare(kept: "SELECT number FROM member WHERE app = ? AND name = ?")
    findInstall = try connection.prepare(kept: "SELECT slot FROM install WHERE app = ? AND name = ?")
  }

  /// Returns the numbers of a person's users and installs.
  package func numbers(of identifiers: [String]) throws -> IdentifierNumbers {
    IdentifierNumbers(users: try identifiers.compactMap(user), installs: try installs(of: identifiers))
  }

  private func user(_ name: String) throws -> UInt32? {
    try findUser.bind(app, name).first { UInt32(clamping: $0.integer(0)) }
  }

  package func installs(of identifiers: [String]) throws -> [UInt32] {
    try identifiers.compactMap { name in
      WriterInstalls.bind(app: app, install: name, to: findInstall)
      return try findInstall.first { UInt32(clamping: $0.integer(0)) }
    }
  }
}
