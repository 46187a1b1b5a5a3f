package import Ingest
package import Warehouse

/// The persons who were deleted with the request to refuse what they still send.
///
/// Only keyed hashes of their names are stored, so that the table names no one.
package final class RefusedPersons {
  private static let keyNames = ["refusal key 1", "refusal key 2"]
  private let connection: SQLConnection
  private let load: SQLStatement
  private var hashes: [Int64: Set<Int64>] = [:]
  private var key: DuplicateHashKey?

  init(_ connection: SQLConnection) throws {
    self.connection = connection
    load = try connection.prepare("SELECT hash FROM refused_person WHERE app = ?")
  }

  func forget() {
    hashes = [:]
    key = nil
  }

  /// Refuses a person from now on, in the open transaction.
  package func add(_ person: Person, app: Int64) throws {
    try add(app: app) { [Self.hash(person, app: app, $0)] }
  }

  /// Refuses, in the open transaction, the user whom an identifier names, and the events without a user of the install that it
  /// names.
  package func add(identifier: String, app: Int64) throws {
    try add(app: app) { [Self.hash(.user(identifier), app: app, $0), Self.hash(anonymous: identifier, app: app, $0)] }
  }

  private func add(app: Int64, _ hashes: (DuplicateHashKey) -> [Int64]) throws {
    let insert = try connection.prepare("INSERT OR IGNORE INTO refused_person (app, hash) VALUES (?, ?)")
    for hash in hashes(try storedKey() ?? createKey()) { try insert.bind(app, hash).run() }
    forget()
  }

  /// Returns a check of an app's events; `nil` if the app refuses no one.
  package func check(app: Int64) throws -> RefusedPersonCheck? {
    let refused = try hashes[app] ?? Set(load.bind(app).all { $0.integer(0) })
    hashes[app] = refused
    guard !refused.isEmpty, let key = try key ?? storedKey() else { return nil }
    self.key = key
    return RefusedPersonCheck(app: app, key: key, hashes: refused)
  }

  static func hash(_ person: Person, app: Int64, _ key: DuplicateHashKey) -> Int64 {
    switch person {
    case .install(let name): key.hash(of: WriterInstalls.canonical(name), kind: 0, app: app)
    case .user(let name): key.hash(of: name, kind: 1, app: app)
    }
  }

  /// The hash of an install's events without a user.
  static func hash(anonymous install: String, app: Int64, _ key: DuplicateHashKey) -> Int64 {
    key.hash(of: WriterInstalls.canonical(install), kind: 2, app: app)
  }

  private func storedKey() throws -> DuplicateHashKey? {
    let load = try connection.prepare("SELECT value FROM state WHERE name = ?")
    let halves = try Self.keyNames.compactMap { name in try load.bind(name).first { $0.integer(0) } }
    return halves.count == 2 ? DuplicateHashKey(UInt64(bitPattern: halves[0]), UInt64(bitPattern: halves[1])) : nil
  }

  private func createKey() throws -> DuplicateHashKey {
    var generator = SystemRandomNumberGenerator()
    let key = DuplicateHashKey.random(using: &generator)
    let store = try connection.prepare("INSERT OR REPLACE INTO state (name, value) VALUES (?, ?)")
    for (name, half) in zip(Self.keyNames, [key.first, key.second]) {
      try store.bind(name, Int64(bitPattern: half)).run()
    }
    return key
  }
}

/// Tells refused events of one batch from others.
package struct RefusedPersonCheck {
  let app: Int64
  let key: DuplicateHashKey
  let hashes: Set<Int64>
  /// The results for the batch's installs, by position: all their events, and those without a user.
  private var installs: [Int: (all: Bool, anonymous: Bool)] = [:]
  private var lastUser: (name: String, isRefused: Bool)?

  init(app: Int64, key: DuplicateHashKey, hashes: Set<Int64>) {
    self.app = app
    self.key = key
    self.hashes = hashes
  }

  /// True if the event's install or user is refused.
  package mutating func contains(_ event: IncomingEvent, of batch: IncomingBatch) -> Bool {
    let refused = installs[event.install] ?? results(batch.installs[event.install])
    installs[event.install] = refused
    return refused.all || (event.user.isEmpty ? refused.anonymous : contains(user: event.user))
  }

  private func results(_ install: String) -> (all: Bool, anonymous: Bool) {
    (contains(install: install), hashes.contains(RefusedPersons.hash(anonymous: install, app: app, key)))
  }

  package func contains(install: String) -> Bool {
    hashes.contains(RefusedPersons.hash(.install(install), app: app, key))
  }

  private mutating func contains(user: String) -> Bool {
    if let lastUser, lastUser.name.utf8.elementsEqual(user.utf8) { return lastUser.isRefused }
    let isRefused = hashes.contains(RefusedPersons.hash(.user(user), app: app, key))
    lastUser = (user, isRefused)
    return isRefused
  }
}
