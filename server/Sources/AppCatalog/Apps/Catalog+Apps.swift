import GRDB
import ServerBase
import TernEvents
package import Warehouse

extension CatalogSchema {
  /// `keeping` is the period for which rows are kept, or null for ever.
  static let apps = """
    CREATE TABLE app (
      id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, key TEXT NOT NULL UNIQUE,
      app_secret TEXT NOT NULL UNIQUE, tracking_id TEXT NOT NULL UNIQUE, time_zone TEXT NOT NULL,
      created INTEGER NOT NULL, keeping TEXT
    );
    """
}

extension AuditEntry.Action {
  static let appCreated = Self("app created")
  static let appChanged = Self("app changed")
}

extension Catalog {
  /// Returns all apps, oldest first.
  package func apps() throws -> [App] {
    // The apps in memory may be older than the transaction.
    if let database = transaction { return try AppDirectory.load(database).all }
    return try appDirectory.all()
  }

  /// Returns the app with an ID, or `nil` if there is none.
  package func app(_ id: AppID) throws -> App? {
    if let database = transaction { return try AppDirectory.load(database).byID[id] }
    return try appDirectory.find { $0.byID[id] }
  }

  /// Returns the app with a key, or `nil` if there is none.
  ///
  /// Known keys are served from memory. An app just created by another process is found immediately, and a change to an
  /// app within a second.
  package func app(key: String) throws -> App? { try appDirectory.find { $0.byKey[key] } }

  /// Returns the app with an App Center secret in either case, or `nil` if there is none.
  package func app(appSecret: String) throws -> App? {
    // Nearly all clients send lowercase; trying it first saves a copy.
    try appDirectory.find { $0.bySecret[appSecret] ?? $0.bySecret[appSecret.lowercased()] }
  }

  /// Returns the app with a key or an App Center secret. Apps that were moved from App Center know only the latter.
  package func app(keyOrAppSecret text: String) throws -> App? {
    try appDirectory.find { $0.byKey[text] ?? $0.bySecret[text] ?? $0.bySecret[text.lowercased()] }
  }

  /// Returns the app with a Google Analytics tracking ID, or `nil` if there is none.
  package func app(trackingID: String) throws -> App? { try appDirectory.find { $0.byTrackingID[trackingID] } }

  /// Throws unless there is an app with an ID, or none is given.
  func checkExists(_ app: AppID?) throws {
    guard let app, try self.app(app) == nil else { return }
    throw unknownApp(app)
  }

  func unknownApp(_ app: AppID) -> WarehouseError {
    WarehouseError(.unknownApp, "There is no app \(app). Run `tern apps list` to see all apps.")
  }

  /// Creates an app.
  ///
  /// - Parameters:
  ///   - name: 1 to 100 characters; need not be unique.
  ///   - timeZone: The IANA name of the time zone for the app's reports.
  ///   - appSecret: The UUID that App Center clients send; generated if `nil`.
  ///   - trackingID: The ID that Measurement Protocol clients send, `UA-<number>-<number>`; generated if `nil`.
  ///   - writeKeys: The keys that clients of other systems send.
  /// - Throws: ``WarehouseError`` with code `invalid` if a value is invalid or already used by another app.
  package func createApp(
    name: String, timeZone: String = "UTC", appSecret: String? = nil, trackingID: String? = nil,
    writeKeys: [String] = []
  ) throws -> App {
    try makeApp(name: name, timeZone: timeZone, appSecret: appSecret, trackingID: trackingID, writeKeys: writeKeys)
  }

  /// Creates an app as ``createApp(name:timeZone:appSecret:trackingID:writeKeys:)`` does, or makes one again that rows name.
  ///
  /// - Parameters:
  ///   - id: The number that stored rows have for it; the next one if `nil`.
  ///   - key: The key that Tern's clients send; generated if `nil`.
  package func makeApp(
    name: String, timeZone: String, appSecret: String?, trackingID: String?, writeKeys: [String] = [], id: AppID? = nil,
    key givenKey: String? = nil
  ) throws -> App {
    try check(name: name)
    let zone = try newZone(timeZone)
    let secret = try secret(from: appSecret)
    if let trackingID { try check(trackingID: trackingID) }
    let created = now()
    if let givenKey { try check(key: givenKey) }
    let key = givenKey ?? "tern_" + Base64URL.encode(randomBytes(18))
    return try writing { database in
      // Apps that stored rows name must come back, however many there are.
      if id == nil { try checkRoom(for: .apps, database) }
      if try isTaken(key, column: "key", database) {
        throw WarehouseError(.invalid, "Another app already has the key \(key).")
      }
      if try isTaken(secret, column: "app_secret", database) {
        throw WarehouseError(
          .invalid, "Another app already has the app secret \(secret). Leave it out to get a new one.")
      }
      let tracking = try trackingID ?? self.freeTrackingID(database)
      if try isTaken(tracking, column: "tracking_id", database) {
        throw WarehouseError(
          .invalid, "Another app already has the tracking ID \(tracking). Leave it out to get a new one.")
      }
      try database.execute(
        sql:
          """
          INSERT INTO app (id, name, key, app_secret, tracking_id, time_zone, zone_data, created) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
          """,
        arguments: [
          id?.rawValue, name, key, secret, tracking, zone.identifier, try Self.store(zone, database),
          created.millisecondsSince1970,
        ])
      let id = AppID(database.lastInsertedRowID)
      try Self.setWriteKeys(of: id, to: writeKeys, database)
      try record(.appCreated, "\(id) \(name)", database)
      // Part of the new app, so the audit log does not list it.
      _ = try insert(.standard(for: id, created: created), database)
      var app = App(
        id: id, name: name, key: key, appSecret: secret, trackingID: tracking, zone: zone, created: created)
      app.writeKeys = writeKeys
      return app
    }
  }

  /// Changes an app in one transaction. A running server applies it within a second.
  ///
  /// A change of the time zone adds the job of counting all days again, so they are, whatever happens next. The same time
  /// zone changes nothing, unless its days could not be counted: then it repeats the job.
  ///
  /// - Returns: The app, and the job that counts its days in the time zone of the change; `nil` without such a job.
  /// - Throws: ``WarehouseError`` with code `invalid` if a value is invalid or already used by another app, or if the days
  ///   are still being counted again in another time zone.
  @discardableResult
  package func changeApp(_ id: AppID, _ change: AppChange) throws -> (app: App, recount: DataJob?) {
    guard let app = try apps().first(where: { $0.id == id }) else { throw unknownApp(id) }
    if let name = change.name { try check(name: name) }
    let wanted = try change.timeZone.map { try $0 == app.timeZone ? app.zone : newZone($0) }
    if let trackingID = change.trackingID { try check(trackingID: trackingID) }
    if let number = change.newNamesPerDay ?? nil { try Self.check(newNamesPerDay: number) }
    let identifiers = [
      ("app_secret", "app secret", try change.appSecret.map { try secret(from: $0) }, app.appSecret),
      ("tracking_id", "tracking ID", change.trackingID, app.trackingID),
    ]
    let recount = try writing { database in
      var (changes, recount): ([String], DataJob?) = ([], nil)
      func set(_ column: String, to value: String?, _ words: String) throws {
        try database.execute(sql: "UPDATE app SET \(column) = ? WHERE id = ?", arguments: [value, id.rawValue])
        changes.append(words)
      }
      if let name = change.name, name != app.name { try set("name", to: name, "name \(name)") }
      for case (let column, let title, let value?, let current) in identifiers where value != current {
        if try isTaken(value, column: column, except: id, database) {
          throw WarehouseError(.invalid, "Another app already has the \(title) \(value).")
        }
        try set(column, to: value, "\(column) \(value)")
      }
      if let keys = change.writeKeys, keys != app.writeKeys {
        try Self.setWriteKeys(of: id, to: keys, database)
        changes.append("write keys \(keys.isEmpty ? "none" : keys.joined(separator: " "))")
      }
      if let number = change.newNamesPerDay {
        try Self.setNewNamesPerDay(of: id, to: number, database)
        changes.append("new names per day \(number.map(String.init) ?? "as usual")")
      }
      if let keeping = change.keeping, keeping != app.keeping {
        try set("keeping", to: keeping?.text, "keep \(keeping?.text ?? KeepingPeriod.foreverText)")
      }
      if let rules = wanted {
        let zone = rules.identifier
        let latest = try Self.latestZoneJob(of: id, database)
        if case .running? = latest?.state {
          guard zone == app.timeZone else {
            throw WarehouseError(
              .invalid,
              "All days are being counted again in \(app.timeZone). Wait until that is done, then change the time zone."
            )
          }
          recount = latest?.job
        } else if zone != app.timeZone || latest?.state != nil {
          // Another name of the same zone changes no day.
          let isSame = latest?.state == nil && rules.hasSameTimes(as: app.zone)
          if change.recountsDays, !isSame {
            recount = try Self.insertJob(.changeZone, app: id, argument: zone, database)
          }
          try database.execute(
            sql: "UPDATE app SET zone_data = ? WHERE id = ?", arguments: [try Self.store(rules, database), id.rawValue])
          try set("time_zone", to: zone, "time_zone \(zone)" + (recount == nil ? "" : ", days counted again"))
        }
      }
      if !changes.isEmpty { try record(.appChanged, "\(id): " + changes.joined(separator: ", "), database) }
      return recount
    }
    // This process sees the change at once.
    return (try apps().first { $0.id == id } ?? app, recount)
  }

  private func secret(from given: String?) throws -> String {
    guard let given else {
      let bytes = randomBytes(16)
      let halves = (0..<2).map { half in bytes[half * 8..<half * 8 + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
      return UniqueID(
        high: halves[0] & 0xFFFF_FFFF_FFFF_0FFF | 0x4000, low: halves[1] & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
      ).description
    }
    guard let identifier = UniqueID(given) else {
      throw WarehouseError(
        .invalid, "An app secret must be a UUID such as 0f8fad5b-d9cb-469f-a165-70867728950e; got \"\(given)\".")
    }
    return identifier.description
  }

  private func check(key: String) throws {
    let isLetter = { (byte: UInt8) in
      UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
        || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }
    guard key.hasPrefix("tern_"), key.utf8.count == 29, key.utf8.allSatisfy(isLetter) else {
      throw WarehouseError(.invalid, "A key is tern_ and 24 letters, digits, - and _; got \"\(key)\".")
    }
  }

  private func check(trackingID: String) throws {
    let parts = trackingID.split(separator: "-", omittingEmptySubsequences: false)
    let areNumbers = parts.dropFirst().allSatisfy { part in
      !part.isEmpty && part.utf8.count <= 12 && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
    guard parts.count == 3, parts[0] == "UA", areNumbers else {
      throw WarehouseError(.invalid, "A tracking ID must look like UA-12345678-1; got \"\(trackingID)\".")
    }
  }

  private func freeTrackingID(_ database: Database) throws -> String {
    for _ in 0..<1_000 {
      let number = randomBytes(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) } % 90_000_000 + 10_000_000
      let candidate = "UA-\(number)-1"
      if try !isTaken(candidate, column: "tracking_id", database) { return candidate }
    }
    throw WarehouseError(.invalid, "No unused tracking ID was found. Choose one, such as UA-12345678-1.")
  }

  /// Returns true if another app is known by a value.
  private func isTaken(
    _ value: String, column: String, except app: AppID? = nil, _ database: Database
  ) throws -> Bool {
    try Bool.fetchOne(
      database,
      sql: """
        SELECT EXISTS (SELECT 1 FROM app WHERE \(column) = ?1 AND id IS NOT ?2)
        OR EXISTS (SELECT 1 FROM write_key WHERE key = ?1 AND app IS NOT ?2)
        """, arguments: [value, app?.rawValue]) ?? false
  }
}
